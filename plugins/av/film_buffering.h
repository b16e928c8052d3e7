// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>

#include "plugins/av/packet_store.h"

namespace tactus::plugins::av {

/// Tells the bus that a film which comes over a network has run dry, and how far it has filled up again.
class FilmBuffering {
 public:
  explicit FilmBuffering(GstElement* element) noexcept : m_element(element) {}

  /// Without a packet for so long it has run dry.
  static constexpr periodic::Duration kDryFor = std::chrono::milliseconds(200);

  /// By a pad's thread: nothing has come.
  void starve(const PacketStore& store);
  /// By the reader's thread: a packet has come, or the end.
  void grow(const PacketStore& store);

 private:
  void fill();
  void post(int percent);

  GstElement* const m_element;
  // relaxed: set by a pad's thread, taken back by the reader's, which looks again at each packet.
  std::atomic<bool> m_dry{false};
  int m_told = 0;  // reader's thread: per cent
};

}  // namespace tactus::plugins::av
