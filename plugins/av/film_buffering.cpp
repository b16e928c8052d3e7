// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_buffering.h"

#include <algorithm>

namespace tactus::plugins::av {
namespace {

constexpr periodic::Duration kEnough = std::chrono::seconds(2);  // of each stream: it plays on
constexpr int kStep = 5;                                         // per cent

}  // namespace

void FilmBuffering::starve(const PacketStore& store) {
  if (m_dry.exchange(true, std::memory_order_relaxed)) return;
  post(0);
  if (store.filled(kEnough) >= 1) fill();  // the last packet has come just now
}

void FilmBuffering::grow(const PacketStore& store) {
  if (!m_dry.load(std::memory_order_relaxed)) return;
  const int percent = std::clamp(static_cast<int>(100 * store.filled(kEnough)), 0, 100);
  if (percent == 100) {
    m_told = 0;
    fill();
  } else if (percent >= m_told + kStep) {
    m_told = percent;
    post(percent);
  }
}

void FilmBuffering::fill() {
  if (m_dry.exchange(false, std::memory_order_relaxed)) post(100);
}

void FilmBuffering::post(int percent) {
  (void)gst_element_post_message(m_element, gst_message_new_buffering(GST_OBJECT_CAST(m_element), percent));
}

}  // namespace tactus::plugins::av
