// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/frame_times.h"

#include <algorithm>

namespace tactus::plugins::av {
namespace {

GstClockTime durationOf(const AVFrame& frame, AVRational rate) noexcept {
  if (frame.nb_samples > 0) return gst_util_uint64_scale_int(GST_SECOND, frame.nb_samples, frame.sample_rate);
  const GstClockTime period =
      rate.num > 0 ? gst_util_uint64_scale_int(GST_SECOND, rate.den, rate.num) : GST_CLOCK_TIME_NONE;
  // A default in a header may say anything.
  const auto told = static_cast<GstClockTime>(std::max<std::int64_t>(0, frame.pkt_duration));
  if (told == 0 || (GST_CLOCK_TIME_IS_VALID(period) && told < period / 2)) return period;
  return told;
}

}  // namespace

bool FrameTimes::set(const AVFrame& frame, AVRational rate, GstBuffer* buffer) noexcept {
  GstClockTime duration = durationOf(frame, rate);
  std::int64_t begin = frame.best_effort_timestamp;
  if (begin == AV_NOPTS_VALUE) begin = GST_CLOCK_TIME_IS_VALID(m_end) ? static_cast<std::int64_t>(m_end) : 0;
  if (begin < 0) {
    const auto missing = static_cast<GstClockTime>(-begin);
    if (!GST_CLOCK_TIME_IS_VALID(duration) || duration <= missing) return false;
    duration -= missing;
    begin = 0;
  }
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(begin);
  GST_BUFFER_DURATION(buffer) = duration;
  if (GST_CLOCK_TIME_IS_VALID(duration)) m_end = GST_BUFFER_PTS(buffer) + duration;
  return true;
}

}  // namespace tactus::plugins::av
