// SPDX-License-Identifier: Apache-2.0
#include "media/playback/drawn_subtitles.h"

#include <utility>

namespace tactus::media {
namespace {

/// Subtitles are drawn once a picture; what the film's rate is shows later.
periodic::TaskContract contractOf() {
  periodic::TaskContract contract;
  contract.name = "subtitles";
  contract.lbap = {periodic::rowOf(periodic::Stage::VideoDisplay).rate, 8};
  contract.early = periodic::EarlyPackets::Clocked;
  contract.processing = std::chrono::milliseconds(1);  // until it is known better
  contract.aboveOrdinary = false;  // a film without its reservation goes on, and so do others
  return contract;
}

}  // namespace

DrawnSubtitles::DrawnSubtitles(std::shared_ptr<plugins::av::SubtitleFeed> feed, GstElement* videoSink,
                               Graph::Listener& listener)
    : m_videoSink(plugins::share<plugins::ElementPtr>(videoSink)),
      m_stage(std::make_shared<plugins::subtitles::SubtitleStage>(
          std::move(feed), plugins::ThreadHooks{[&listener] { return listener.onThreadBegins(contractOf()); },
                                                [&listener] { listener.onThreadEnds(); }})) {
  plugins::setPictureOverlay(videoSink, m_stage);
}

DrawnSubtitles::~DrawnSubtitles() {
  plugins::setPictureOverlay(m_videoSink.get(), nullptr);
  m_stage->stop();
}

void DrawnSubtitles::set(const SubtitleSettings& settings) {
  m_stage->setDelay(settings.delay);
  m_stage->setVisible(settings.visible);
  m_stage->setLook({.scale = settings.scale, .raised = settings.raised});
}

}  // namespace tactus::media
