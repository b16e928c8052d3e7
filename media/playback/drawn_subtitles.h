// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "media/playback/graph.h"
#include "plugins/subtitles/subtitle_stage.h"

namespace tactus::media {

/// The stage that draws a graph's subtitles, a task of the player, at the graph's video sink. Thread-safe:
/// yes.
class DrawnSubtitles {
 public:
  DrawnSubtitles(std::shared_ptr<plugins::av::SubtitleFeed> feed, GstElement* videoSink,
                 Graph::Listener& listener);
  /// Takes it away from the sink. The listener may be called until this ends.
  ~DrawnSubtitles();
  DrawnSubtitles(const DrawnSubtitles&) = delete;
  DrawnSubtitles& operator=(const DrawnSubtitles&) = delete;

  void set(const SubtitleSettings& settings);

 private:
  const plugins::ElementPtr m_videoSink;
  const std::shared_ptr<plugins::subtitles::SubtitleStage> m_stage;  // shared with the sink
};

}  // namespace tactus::media
