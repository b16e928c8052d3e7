// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/periodic/time/time.h"
#include "media/room/participant/standing_backlog.h"
#include "plugins/gst_handle.h"
#include "plugins/sink_monitor.h"

namespace tactus::media {

/// What the speakers play, for the webrtcdsp that cancels its echo: a webrtcechoprobe that stands outside all
/// pipelines, so that nothing that becomes of the sink touches a call. It has as many samples as were
/// captured meanwhile; where none come of the sink, they are silence.
///
/// Thread-safe: yes, but for follow() (one thread at a time) and the destructor. Real-time-safe: no.
class EchoReference {
 public:
  /// Without any of the sink's samples for this long the user is told.
  static constexpr periodic::Duration kPatience = std::chrono::seconds(5);

  /// `sink`: as of SinkMonitor. Null: GStreamer's webrtcechoprobe is missing.
  [[nodiscard]] static std::unique_ptr<EchoReference> create(const std::string& sink);
  ~EchoReference();
  EchoReference(const EchoReference&) = delete;
  EchoReference& operator=(const EchoReference&) = delete;

  /// By which webrtcdsp finds it; another for each.
  [[nodiscard]] std::string probe() const;
  /// So many samples were captured, and are processed next. Never waits.
  void follow(std::size_t captured);
  /// Nothing comes of the sink.
  [[nodiscard]] bool isMissing(periodic::TimePoint now) const noexcept {
    return now - m_monitor.cameAt() > kPatience;
  }

 private:
  EchoReference(plugins::ElementPtr probe, const std::string& sink);
  void open();
  /// How many it has pushed.
  std::size_t push(std::span<const std::int16_t> samples);

  const plugins::ElementPtr m_probe;
  const plugins::PadPtr m_input;
  // Of the thread that captures:
  std::array<std::int16_t, 4800> m_some{};
  std::size_t m_lacking = 0, m_filled = 0;  // samples captured since some came of the sink; of these, silence
  StandingBacklog m_backlog;
  std::size_t m_late = 0;  // samples to be left out: what comes after them is heard already
  plugins::SinkMonitor m_monitor;
};

}  // namespace tactus::media
