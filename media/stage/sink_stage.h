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
  /// Installs a probe, before data flows. `frequency`: share of the pictures to reserve for, asked in the
  /// streaming thread. The sink must be gone from its pipeline (state NULL) before this ends.
  SinkStage(GstElement* sink, bool video, StageAdopter& adopter, std::function<double()> frequency);
  ~SinkStage();
  SinkStage(const SinkStage&) = delete;
  SinkStage& operator=(const SinkStage&) = delete;

  /// The reservation follows what is shed. Not from a streaming thread.
  void followFrequency();

 private:
  static GstPadProbeReturn onData(GstPad*, GstPadProbeInfo* info, gpointer self);
  void bindThread(GstBuffer* buffer);
  void onPacket(GstBuffer* buffer);

  const plugins::ElementPtr m_sink;
  const bool m_video;
  const std::function<double()> m_frequency;
  const plugins::PadPtr m_pad;
  gulong m_probe = 0;
  periodic::TimeSource& m_time;
  BoundTask m_task;
  GstSegment m_segment{};  // streaming thread only
};

}  // namespace tactus::media
