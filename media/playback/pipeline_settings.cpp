// SPDX-License-Identifier: Apache-2.0
#include "media/playback/pipeline_settings.h"

#include <gst/audio/streamvolume.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus::media {
namespace {

constexpr double kLoudest = 1.3;

}  // namespace

PipelineSettings::Values PipelineSettings::values() const {
  const std::lock_guard lock(m_mutex);
  return m_values;
}

void PipelineSettings::setVolume(double volume) {
  const std::lock_guard lock(m_mutex);
  m_values.volume = std::clamp(std::isfinite(volume) ? volume : 1.0, 0.0, kLoudest);
}

void PipelineSettings::setMuted(bool muted) {
  const std::lock_guard lock(m_mutex);
  m_values.muted = muted;
}

bool PipelineSettings::setThinning(Thinning thinning) {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_values.thinning, thinning) != thinning;
}

void PipelineSettings::setService(StreamService service) {
  const std::lock_guard lock(m_mutex);
  m_values.service = std::move(service);
}

void PipelineSettings::setHardware(plugins::av::HardwareWish wish) {
  const std::lock_guard lock(m_mutex);
  m_values.hardware = wish;
}

SubtitleSettings PipelineSettings::changeSubtitles(const std::function<void(SubtitleSettings&)>& change) {
  const std::lock_guard lock(m_mutex);
  change(m_values.subtitles);
  return m_values.subtitles;
}

double PipelineSettings::volume() const {
  return values().volume;
}
bool PipelineSettings::muted() const {
  return values().muted;
}
Thinning PipelineSettings::thinning() const {
  return values().thinning;
}
StreamService PipelineSettings::service() const {
  return values().service;
}
plugins::av::HardwareWish PipelineSettings::hardware() const {
  return values().hardware;
}

SubtitleSettings PipelineSettings::subtitles() const {
  return values().subtitles;
}

void PipelineSettings::applyVolume(const Pipeline& to) const {
  const Values set = values();
  const double linear = gst_stream_volume_convert_volume(GST_STREAM_VOLUME_FORMAT_CUBIC,
                                                         GST_STREAM_VOLUME_FORMAT_LINEAR, set.volume);
  to.setVolume(linear, set.muted);
}

void PipelineSettings::apply(Pipeline& to) const {
  applyVolume(to);
  to.setThinning(thinning());
  to.setService(service());
  to.setHardware(hardware());
  to.setSubtitles(subtitles());
}

}  // namespace tactus::media
