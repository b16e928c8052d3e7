// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "core/periodic/task/stage.h"
#include "core/periodic/workload/lbap.h"
#include "media/stage/bound_task.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// A stage of a call that is no decoder and no sink: makes the thread that brings buffers to a pad the task
/// of the stage, and counts them. A live source paces what comes, so no packet is held back unless the stage
/// enforces its LBAP. Thread-safe: yes, but for the constructor and the destructor.
class CallStage {
 public:
  struct Terms {
    periodic::Stage stage = periodic::Stage::Other;
    std::string name = {};  ///< of what it works with, added to the stage's: "vp8enc"
    periodic::LbapContract lbap{periodic::rowOf(periodic::Stage::Other).rate};
    bool enforces = false;  ///< a packet waits for its logical arrival time, less the workahead
  };
  /// Called with each buffer that comes or leaves, in the streaming thread; must not block. May be null.
  using Look = std::function<void(GstPad*, GstPadProbeInfo*)>;

  /// Installs the probes before data flows. A packet begins at `input` and is complete at `output`; null: at
  /// once. The pipeline has stopped before this ends.
  CallStage(StageAdopter& adopter, Terms terms, GstPad* input, GstPad* output, Look onInput = {},
            Look onOutput = {});
  ~CallStage();
  CallStage(const CallStage&) = delete;
  CallStage& operator=(const CallStage&) = delete;

  /// Buffers that came. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t entered() const noexcept { return m_entered.load(std::memory_order_acquire); }

 private:
  static GstPadProbeReturn enter(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn leave(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  void begin(std::size_t bytes);

  const Terms m_terms;
  const Look m_onInput, m_onOutput;
  const plugins::PadPtr m_input, m_output;
  BoundTask m_task;
  std::atomic<std::uint64_t> m_entered{0};  // one writer; in order with what other stages count
  gulong m_inputProbe = 0, m_outputProbe = 0;
};

}  // namespace tactus::media
