// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>

#include "core/periodic/task/stage.h"
#include "media/stage/bound_task.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// Makes the thread that feeds a sink the task of its stage. The video sink accounts for its packets itself;
/// for sound it is done here: what arrives before it is due to be heard is in time.
class SinkStage {
 public:
  /// What is reserved for.
  struct Pace {
    double rate = 0;       ///< buffers a second; 0 = as the first one says
    double frequency = 1;  ///< share of them that is shown
  };
  /// All are called in the streaming thread, and may be null.
  struct Hooks {
    std::function<Pace()> pace;
    /// All of the stream before has been shown or is given to the device; the group id of what follows.
    std::function<void(guint)> onStream;
    /// What comes from now on has another format, which the sink knows.
    std::function<void()> onFormat;
  };
  /// Installs a probe, before data flows. `stage`: VideoDisplay or Audio. The sink must be gone from its
  /// pipeline (state NULL) before this ends.
  SinkStage(GstElement* sink, periodic::Stage stage, StageAdopter& adopter, Hooks hooks);
  ~SinkStage();
  SinkStage(const SinkStage&) = delete;
  SinkStage& operator=(const SinkStage&) = delete;

  /// The reservation follows the pace. Not from a streaming thread.
  void followPace();

 private:
  static GstPadProbeReturn onData(GstPad*, GstPadProbeInfo* info, gpointer self);
  void bindThread(GstBuffer* buffer);
  void onPacket(GstBuffer* buffer);
  void onEvent(GstEvent* event);
  [[nodiscard]] bool ofSound() const noexcept { return periodic::rowOf(m_stage).sound; }
  [[nodiscard]] Pace pace() const { return m_hooks.pace ? m_hooks.pace() : Pace{}; }

  const plugins::ElementPtr m_sink;
  const periodic::Stage m_stage;
  const Hooks m_hooks;
  const plugins::PadPtr m_pad;
  gulong m_probe = 0;
  periodic::TimeSource& m_time;
  BoundTask m_task;
  // Streaming thread only.
  GstSegment m_segment{};
  bool m_formatUntold = false;
};

}  // namespace tactus::media
