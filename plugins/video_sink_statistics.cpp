// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_sink_statistics.h"

namespace tactus::plugins {

VideoSinkStatistics& VideoSinkStatistics::operator+=(const VideoSinkStatistics& more) noexcept {
  framesIn += more.framesIn;
  submitted += more.submitted;
  for (std::size_t i = 0; i < dropped.size(); ++i) dropped[i] += more.dropped[i];
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] += more.scaled[i];
  return *this;
}

VideoSinkStatistics& VideoSinkStatistics::operator-=(const VideoSinkStatistics& less) noexcept {
  framesIn -= less.framesIn;
  submitted -= less.submitted;
  for (std::size_t i = 0; i < dropped.size(); ++i) dropped[i] -= less.dropped[i];
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] -= less.scaled[i];
  return *this;
}

VideoSinkStatistics VideoSinkCounters::read() const noexcept {
  VideoSinkStatistics read;
  read.framesIn = m_framesIn.load(kRelaxed);
  read.submitted = m_submitted.load(kRelaxed);
  for (std::size_t i = 0; i < read.dropped.size(); ++i) read.dropped[i] = m_dropped[i].load(kRelaxed);
  return read;
}

}  // namespace tactus::plugins
