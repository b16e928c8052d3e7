// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/periodic/result.h"
#include "media/room/participant/outgoing_track.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The pictures or the sound of a film, again and again, in real time: for an appsrc of another pipeline. Has
/// a pipeline of its own, so that its beginning anew disturbs nothing that follows. Thread-safe: yes, but for
/// stop() and the destructor. Real-time-safe: no.
class LoopedFilm {
 public:
  /// `target`: an appsrc, which gets buffers of `capturedFormat(track)`, stamped with its running time.
  /// `onStreamStatus` is called in the film's streaming threads. `wake` is signalled when look() is due.
  /// Errors: NotFound (there is no such file), Unavailable (an element of GStreamer is missing).
  [[nodiscard]] static Result<std::unique_ptr<LoopedFilm>> create(
      const OutgoingTrack& track, GstElement* target, std::function<void(GstMessage*)> onStreamStatus,
      plugins::EventDescriptor& wake);
  ~LoopedFilm();
  LoopedFilm(const LoopedFilm&) = delete;
  LoopedFilm& operator=(const LoopedFilm&) = delete;

  void start();
  /// Begins anew where the film has ended. Not from a streaming thread.
  void look();
  /// Why nothing comes any more, as a sentence; empty: it goes on.
  [[nodiscard]] std::string fault() const;
  void stop();

 private:
  LoopedFilm(const OutgoingTrack& track, GstElement* target, std::function<void(GstMessage*)> onStreamStatus,
             plugins::EventDescriptor& wake);
  Result<void> build(const OutgoingTrack& track);
  void fail(std::string why);
  void give(GstSample* sample);
  static GstFlowReturn onSample(GstElement* sink, gpointer self);
  static void onPad(GstElement*, GstPad* pad, gpointer self);
  static void onAllPads(GstElement*, gpointer self);
  static GstBusSyncReply onMessage(GstBus*, GstMessage* message, gpointer self);

  const std::string m_name;  // of the file
  const MediaKind m_kind;
  const plugins::ElementPtr m_target;
  const std::function<void(GstMessage*)> m_onStreamStatus;
  plugins::EventDescriptor& m_wake;
  plugins::ElementPtr m_pipeline, m_first;  // m_first: takes what is decoded
  std::atomic<bool> m_ended{false};         // by the bus's thread, taken by look()
  std::atomic<bool> m_anew{true};           // the next buffer begins a round; with m_ended's order
  // The sink's thread:
  GstClockTime m_base = 0;  // of the target's running time: begin of this round
  GstClockTime m_end = 0;   // and end of the last buffer given

  mutable std::mutex m_mutex;  // guards what follows
  std::string m_fault;
};

}  // namespace tactus::media
