// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>

#include "media/playback/pipeline.h"

namespace tactus::media {

/// What the user and the load controller have set: holds for the present pipeline and those to come.
/// Thread-safe: yes. Real-time-safe: no.
class PipelineSettings {
 public:
  void setVolume(double volume);  ///< 0 ... 1.3, clamped; cubic scale
  void setMuted(bool muted);
  /// False if it was so already.
  [[nodiscard]] bool setThinning(Thinning thinning);
  void setService(StreamService service);
  void setHardware(plugins::av::HardwareWish wish);
  /// The settings as they are then.
  SubtitleSettings changeSubtitles(const std::function<void(SubtitleSettings&)>& change);

  [[nodiscard]] double volume() const;
  [[nodiscard]] bool muted() const;
  [[nodiscard]] Thinning thinning() const;
  [[nodiscard]] StreamService service() const;
  [[nodiscard]] plugins::av::HardwareWish hardware() const;
  [[nodiscard]] SubtitleSettings subtitles() const;

  void applyVolume(const Pipeline& to) const;
  /// What may have changed since the pipeline was made.
  void apply(Pipeline& to) const;

 private:
  struct Values {
    double volume = 1;
    bool muted = false;
    Thinning thinning;
    StreamService service;
    plugins::av::HardwareWish hardware = plugins::av::HardwareWish::None;
    SubtitleSettings subtitles;
  };
  [[nodiscard]] Values values() const;
  mutable std::mutex m_mutex;  // guards m_values, for moments
  Values m_values;
};

}  // namespace tactus::media
