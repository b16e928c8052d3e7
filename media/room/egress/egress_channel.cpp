// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/egress_channel.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <utility>

#include "media/room/egress/network_order.h"

namespace tactus::media {

namespace {

/// Sound goes on below it; above it no track is expected.
constexpr net::BitRate kLeastCarried = net::BitRate::perSecond(60'000);
constexpr net::BitRate kMostCarried = net::BitRate::perSecond(20'000'000);
/// A receiver with a busy processor notes arrivals late by as much as a full queue of a line would: loss
/// speaks before delay does.
constexpr net::BandwidthEstimator::Constants kLaw{.queue = std::chrono::milliseconds(250),
                                                  .drain = std::chrono::milliseconds(2'500)};

}  // namespace

EgressChannel::EgressChannel()
    : m_carries({kLeastCarried, kMostCarried, kMostCarried}, kLaw), m_budget(kMostCarried) {}

void EgressChannel::open(SrtpSession session) {
  const std::lock_guard lock(m_mutex);
  m_session = std::move(session);
}

void EgressChannel::close() {
  const std::lock_guard lock(m_mutex);
  m_session.reset();
}

bool EgressChannel::isOpen() const TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  return m_session.has_value() && m_path != nullptr;
}

void EgressChannel::setPath(std::shared_ptr<EgressPath> path) {
  const std::lock_guard lock(m_mutex);
  m_path = std::move(path);
}

std::optional<EgressChannel::Sealed> EgressChannel::seal(std::span<std::byte> out, const ClearPacket& packet,
                                                         periodic::TimePoint now) TACTUS_REALTIME {
  assert(out.size() >= kLargestEgressDatagram && packet.payload.size() <= kLongestRtpPayload);
  const std::lock_guard lock(m_mutex);
  if (!m_session || m_path == nullptr) return std::nullopt;
  const std::size_t payload = packet.payload.size() + (packet.original ? 2 : 0);
  const std::uint16_t number =
      packet.terms->transportNumberId ? m_ledger.sent(payload + kLongestRtpHeader, now) : std::uint16_t{0};
  std::size_t bytes = writeRtpHeader(out, *packet.terms, packet.position, packet.marker, number);
  if (packet.original) {
    put16(&out[bytes], *packet.original);
    bytes += 2;
  }
  std::copy(packet.payload.begin(), packet.payload.end(), out.begin() + static_cast<std::ptrdiff_t>(bytes));
  const auto sealed = m_session->protectRtp(out, bytes + packet.payload.size());
  if (!sealed) return std::nullopt;
  m_budget.sent(now, *sealed);
  m_probe.sent(now, *sealed);
  return Sealed{*sealed, m_path};
}

std::optional<std::size_t> EgressChannel::sealRtcp(std::span<std::byte> packet, std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  return m_session ? m_session->protectRtcp(packet, bytes) : std::nullopt;
}

void EgressChannel::told(const TransportFeedback& feedback, periodic::TimePoint now) {
  const std::lock_guard lock(m_mutex);
  const auto outcomes = m_ledger.told(feedback);
  m_budget.setRate(now, m_carries.update(now, outcomes).target);
  m_probe.told(now, outcomes);
}

bool EgressChannel::admits(bool keyframe, bool going, periodic::TimePoint now) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  return m_budget.admits(now, keyframe, going);
}

void EgressChannel::beginPictures(periodic::TimePoint now) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  m_budget.begin(now);
}

bool EgressChannel::hasRoomForPictures(periodic::TimePoint now) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  return m_budget.isFull(now);
}

std::optional<net::BitRate> EgressChannel::carries() const {
  const std::lock_guard lock(m_mutex);
  const net::BitRate capacity = m_carries.estimate().capacity;
  return capacity < kMostCarried ? std::optional(capacity) : std::nullopt;
}

void EgressChannel::tryRate(net::BitRate rate, periodic::TimePoint now) {
  const std::lock_guard lock(m_mutex);
  m_carries.raise(rate);
  m_budget.setRate(now, m_carries.estimate().target);
}

void EgressChannel::beginProbe(net::BitRate rate, periodic::TimePoint now) {
  const std::lock_guard lock(m_mutex);
  m_probe.begin(now, rate);
}

std::optional<std::size_t> EgressChannel::dueForProbe(periodic::TimePoint now) const {
  const std::lock_guard lock(m_mutex);
  return m_probe.due(now);
}

void EgressChannel::repeatedForProbe(std::size_t packets) {
  const std::lock_guard lock(m_mutex);
  m_probe.repeated(packets);
}

std::optional<ProbeResult> EgressChannel::probed() const {
  const std::lock_guard lock(m_mutex);
  return m_probe.result();
}

DeliveryFigures EgressChannel::delivery() const {
  const std::lock_guard lock(m_mutex);
  return m_ledger.figures();
}

}  // namespace tactus::media
