// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/periodic/time/time.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// A jitter buffer of an ingest: its settings, its figures, and a bound on what waits in it. Normally that
/// are the packets of its latency; more where a consumer blocks. Thread-safe: yes. Real-time-safe: no.
class JitterBuffer {
 public:
  /// Packets that wait at most, give or take kLook: 4 s of 8 Mbit/s, 5 MB. Further ones are dropped on their
  /// way in, as if the network had lost them.
  static constexpr std::uint64_t kMostWaiting = 4096;
  /// So many packets come between two looks.
  static constexpr std::uint64_t kLook = 256;

  struct Figures {
    std::uint64_t lost = 0;                                     ///< given up
    std::uint64_t dropped = 0;                                  ///< on their way in, as too many waited
    periodic::Duration jitter{};                                ///< mean (RFC 3550, 6.4.1)
    std::optional<periodic::Duration> retransmissionTime = {};  ///< mean from NACK to packet
  };

  explicit JitterBuffer(GstElement* element);
  ~JitterBuffer();
  JitterBuffer(const JitterBuffer&) = delete;
  JitterBuffer& operator=(const JitterBuffer&) = delete;

  [[nodiscard]] Figures figures() const;

 private:
  static GstPadProbeReturn onPacket(GstPad*, GstPadProbeInfo*, gpointer self);
  [[nodiscard]] bool overflows();
  /// False while a packet is with the consumers.
  [[nodiscard]] bool idle() const;

  const plugins::ElementPtr m_element;
  const plugins::PadPtr m_sink, m_source;
  gulong m_probe = 0;
  std::uint64_t m_arrived = 0;              // passed on; thread that receives
  std::uint64_t m_pushed = 0;               // when last looked at; thread that receives
  std::uint64_t m_untilLook = kLook;        // thread that receives
  bool m_full = false;                      // thread that receives
  std::atomic<std::uint64_t> m_dropped{0};  // statistics: relaxed
};

}  // namespace tactus::media
