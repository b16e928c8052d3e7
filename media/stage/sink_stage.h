// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>

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
  /// Installs a probe, before data flows. `pace` is asked in the streaming thread. The sink
  /// must be gone from its pipeline (state NULL) before this ends.
  SinkStage(GstElement* sink, bool video, StageAdopter& adopter, std::function<Pace()> pace);
  ~SinkStage();
  SinkStage(const SinkStage&) = delete;
  SinkStage& operator=(const SinkStage&) = delete;

  /// The reservation follows the pace. Not from a streaming thread.
  void followPace();

 private:
  static GstPadProbeReturn onData(GstPad*, GstPadProbeInfo* info, gpointer self);
  void bindThread(GstBuffer* buffer);
  void onPacket(GstBuffer* buffer);

  const plugins::ElementPtr m_sink;
  const bool m_video;
  const std::function<Pace()> m_pace;
  const plugins::PadPtr m_pad;
  gulong m_probe = 0;
  periodic::TimeSource& m_time;
  BoundTask m_task;
  GstSegment m_segment{};  // streaming thread only
};

}  // namespace tactus::media
