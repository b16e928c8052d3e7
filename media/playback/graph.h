// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>
#include <vector>

#include "media/playback/player.h"
#include "plugins/av/subtitle_file.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The elements that bring one film's streams to our two sinks, in a GstPipeline.
class Graph {
 public:
  /// Told by whatever thread adds or removes elements, mostly a streaming thread.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void onTypeFound() = 0;
    /// Before data flows through it. `stage`: VideoDecode or AudioDecode.
    virtual void onDecoderAdded(GstElement* decoder, periodic::Stage stage) = 0;
    virtual void onDecoderRemoved(GstElement* decoder) = 0;
    virtual void onPictureQueue(GstElement* queue) = 0;
    /// In a thread of the graph's own, which is no streaming thread: it becomes a task of this contract; null
    /// if that was refused. And before the thread ends.
    virtual std::shared_ptr<periodic::Task> onThreadBegins(periodic::TaskContract contract) = 0;
    virtual void onThreadEnds() = 0;
  };
  struct Config {
    std::string uri;
    const PlayerConfig& player;
    GstElement* videoSink;
    GstElement* audioSink;
  };

  virtual ~Graph() = default;
  /// The GstPipeline. State, seeks, queries and messages go through it.
  [[nodiscard]] virtual GstElement* element() const noexcept = 0;
  /// What takes a select-streams event, even while the pipeline is flushed.
  [[nodiscard]] virtual GstElement* selector() const noexcept { return element(); }
  virtual void setVolume(double linear, bool muted) = 0;
  /// Which devices may decode pictures, from the next keyframe on; GStreamer's decoders have none.
  virtual void setHardware(plugins::av::HardwareWish) {}
  /// A file beside the film; `chosen`: it is shown from now on.
  virtual void addSubtitles(plugins::av::SubtitleFile file, bool chosen) = 0;
  virtual void setSubtitles(const SubtitleSettings& settings) = 0;
  /// The stream that is shown at the top besides; empty = none.
  virtual void setSecondSubtitles(const std::string& streamId) = 0;
  /// See plugins/av/av_source.h. False where it begins at the beginning.
  [[nodiscard]] virtual bool beginAt(Duration) { return false; }
  /// See plugins/av/av_source.h. False where nothing can follow in this graph.
  virtual bool follow(const std::string&, std::vector<plugins::av::SubtitleFile>) { return false; }
  [[nodiscard]] virtual bool goOn() { return false; }
  virtual void closePast() {}
  /// No call to the listener begins any more.
  virtual void disconnect() = 0;
};

/// GStreamer's playbin3. Errors: Unsupported (the plugin is missing).
[[nodiscard]] Result<std::unique_ptr<Graph>> makePlaybinGraph(const Graph::Config& config,
                                                              Graph::Listener& listener);
/// Ours, for files, pipes and web servers: tactusavsrc and tactusavdec. Errors: Unsupported (a plugin is
/// missing).
[[nodiscard]] Result<std::unique_ptr<Graph>> makeAvGraph(const Graph::Config& config,
                                                         Graph::Listener& listener);

}  // namespace tactus::media
