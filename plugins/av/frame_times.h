// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {

/// When decoded pictures and sound begin, and how long they last. One thread.
class FrameTimes {
 public:
  /// What comes next does not follow what came before.
  void forget() noexcept { m_end = GST_CLOCK_TIME_NONE; }
  /// `rate`: pictures a second, 0/1 = unknown, or sound. False if the frame ends before the film begins.
  [[nodiscard]] bool set(const AVFrame& frame, AVRational rate, GstBuffer* buffer) noexcept;

 private:
  GstClockTime m_end = GST_CLOCK_TIME_NONE;  // of the frame before: where one without a stamp begins
};

}  // namespace tactus::plugins::av
