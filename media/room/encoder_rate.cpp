// SPDX-License-Identifier: Apache-2.0
#include "media/room/encoder_rate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus::media {
namespace {

constexpr double kLongestStep = 1;  // s: a report that was long in coming says nothing of the time before

double seconds(periodic::Duration time) noexcept {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

net::BitRate EncoderRate::update(periodic::TimePoint now, const PathFeedback& feedback) noexcept {
  const double step = std::exchange(m_begun, true) ? std::clamp(seconds(now - m_last), 0.0, kLongestStep) : 0;
  m_last = now;
  m_queue *= std::exp(-step / seconds(m_constants.forget));
  m_queue = std::max(0.0, m_queue + feedback.delayGrowth * step);
  m_loss = feedback.loss + (m_loss - feedback.loss) * std::exp(-step / seconds(m_constants.average));
  const bool congested = m_queue > seconds(m_constants.queue) || m_loss > m_constants.lost;
  if (!congested) {
    m_rate += m_constants.growth * static_cast<double>(m_most.bits()) * step;
  } else if (now >= m_heldUntil) {
    m_rate = m_constants.decrease * std::min(m_rate, static_cast<double>(feedback.received.bits()));
    m_heldUntil = now + m_constants.hold;
    m_queue = m_loss = 0;
  }
  m_rate = std::clamp(m_rate, static_cast<double>(m_least.bits()), static_cast<double>(m_most.bits()));
  return rate();
}

}  // namespace tactus::media
