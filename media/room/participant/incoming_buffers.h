// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "media/room/jitter_buffer.h"

namespace tactus::media {

/// The jitter buffers of a call, one for each stream of RTP. Thread-safe: no. Real-time-safe: no.
class IncomingBuffers {
 public:
  struct Figures {
    std::uint64_t lost = 0;                ///< packets that never came, in spite of repetition, or too late
    std::uint64_t lostByLine = 0;          ///< of these, that the line has lost
    periodic::Duration jitter{0};          ///< of arrival, mean; the largest
    periodic::Duration retransmission{0};  ///< from the request for a packet to its coming; zero: none came
  };
  /// If the element is one.
  void add(GstElement* element);
  [[nodiscard]] Figures figures() const;

 private:
  std::vector<std::unique_ptr<JitterBuffer>> m_buffers;
};

}  // namespace tactus::media
