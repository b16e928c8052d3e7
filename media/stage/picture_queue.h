// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <mutex>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/task/task.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The room between two stages (HeiTS: S (W + R d)).
struct QueueSize {
  int pictures = 0;
  std::uint64_t bytes = 0;
};

/// How many decoded pictures fit between decoder and screen before the decoder has begun.
constexpr int kQueuedUntilKnown = 5;

/// How many decoded pictures must fit between the decoder of this reservation and the screen: the decoder's
/// output is its regulated input shaped by its delay bounds, and waits up to one period for the screen. Two
/// more for what no analysis knows (disk, network); twelve at most, for memory. Thread-safe: yes (pure).
[[nodiscard]] std::uint32_t picturesToQueue(const periodic::TaskReport& decoder, std::uint64_t pictureBytes);

/// playbin's queue of decoded pictures. Thread-safe: yes. Real-time-safe: no.
class PictureQueue {
 public:
  /// kQueuedUntilKnown pictures until the decoder has begun.
  void attach(GstElement* queue);
  /// Sizes it for a decoder with a reservation; without one it stays.
  void fit(const periodic::TaskReport& decoder, std::uint64_t pictureBytes);
  [[nodiscard]] QueueSize size() const;

 private:
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  plugins::ElementPtr m_queue;
  QueueSize m_size;
};

}  // namespace tactus::media
