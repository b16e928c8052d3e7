// SPDX-License-Identifier: Apache-2.0
#include "media/playback/playback.h"

#include <utility>

#include "media/playback/media_path.h"
#include "plugins/av/http_source.h"

namespace tactus::media {
namespace {

using periodic::MonotonicClock;
using Control = Transport::Control;
using Wish = PlaybackState::Wish;

/// Ours for files, pipes, web servers and streams that are received; playbin3 for adaptive streaming, and
/// what is no film of one piece.
Engine engineFor(const std::string& uri) {
  const std::string path = uri.substr(0, uri.find_first_of("?#"));
  if (path.ends_with(".m3u8") || path.ends_with(".mpd")) return Engine::Playbin3;
  return isRemote(uri) && !plugins::av::isAddress(uri) ? Engine::Playbin3 : Engine::Av;
}

}  // namespace

Playback::Playback(PlayerConfig config, periodic::Scheduler& scheduler,
                   std::shared_ptr<plugins::VideoTarget> target, PlayerListener& listener)
    : m_config(std::move(config)),
      m_scheduler(scheduler),
      m_target(std::move(target)),
      m_announcements(listener),
      m_transport(m_announcements) {
  m_settings.setHardware(m_config.hardware);
}

Result<std::shared_ptr<Pipeline>> Playback::create(const std::string& uri, Engine engine) {
  Pipeline::Config settings;
  settings.engine = engine;
  settings.uri = uri;
  settings.player = m_config;
  settings.target = m_target;
  settings.thinning = m_settings.thinning();
  settings.service = m_settings.service();
  settings.tap = m_tap;
  auto created = Pipeline::create(std::move(settings), m_scheduler);
  if (!created.ok()) return created;
  Pipeline& pipeline = *created.value();
  m_settings.applyVolume(pipeline);
  pipeline.setHardware(m_settings.hardware());
  pipeline.setSubtitles(m_settings.subtitles());
  pipeline.addSubtitlesBeside();
  return created;
}

/// Nothing was read of it yet, nor is it known to the pipeline what follows it.
void Playback::startItem(const Control&) {
  m_item.startPipeline(MonotonicClock::now());
  m_given.clear();
  m_readToEnd = false;
}

Result<void> Playback::start(const Control& control, const std::string& uri, Engine engine) {
  auto created = create(uri, engine);
  if (!created.ok()) return created.error();
  const std::shared_ptr<Pipeline> pipeline = std::move(created).value();
  startItem(control);
  const bool live = m_transport.start(control, pipeline);
  m_settings.apply(*pipeline);  // setters that came while it was made did not know it
  if (live) (void)m_item.change([](MediaInfo& info) { info.live = true; });
  return {};
}

Result<void> Playback::open(const std::string& uri, bool paused, Duration at) {
  const Control control = m_transport.control();
  m_transport.open(control, paused ? Wish::Pause : Wish::Play, at);
  m_item.begin(uri, m_target->shown());
  return start(control, uri, engineFor(uri));
}

void Playback::stop() {
  const Control control = m_transport.control();
  const auto ended = m_transport.stop(control);
  m_announcements.forget();
  m_given.clear();
  if (!ended) return;
  ended->setState(GST_STATE_NULL);
  m_target->clear();
}

Result<void> Playback::addSubtitles(const std::string& uri) {
  const auto local = localPathOf(uri);
  const auto pipeline = m_transport.current();
  if (!pipeline) return Error{ErrorCode::InvalidArgument, "Subtitles need a film to go with."};
  if (!local)
    return Error{ErrorCode::Unsupported, "'" + uri + "' is no file, which subtitles are read from."};
  return pipeline->addSubtitles(*local, true);
}

void Playback::setNext(std::string uri) {
  const Control control = m_transport.control();
  m_next = std::move(uri);
  const auto pipeline = m_transport.current();
  if (!pipeline || m_next == m_given) return;
  if (m_readToEnd) prepareNext(control, *pipeline);
}

void Playback::prepareNext(const std::shared_ptr<Pipeline>& from) {
  const Control control = m_transport.control();
  if (from != m_transport.current()) return;
  m_readToEnd = true;
  prepareNext(control, *from);
}

/// After a seek all may be read again: what was to follow may have to be opened anew.
void Playback::prepareNext(const Control&, Pipeline& pipeline) {
  std::string next = !m_next.empty() && engineFor(m_next) == Engine::Av ? m_next : "";
  if (pipeline.follow(next)) m_given = std::move(next);
}

std::optional<std::string> Playback::goOn(const std::shared_ptr<Pipeline>& from) {
  const Control control = m_transport.control();
  if (from != m_transport.current()) return std::nullopt;
  std::string uri = std::exchange(m_given, {});
  if (m_next == uri) m_next.clear();
  m_item.begin(uri, m_target->shown());
  startItem(control);
  from->closePast();
  return uri;
}

std::optional<std::string> Playback::goOnWithNext(const std::shared_ptr<Pipeline>& from) {
  const Control control = m_transport.control();
  if (from != m_transport.current()) return std::nullopt;
  std::string uri = std::exchange(m_next, {});
  if (uri.empty()) return std::nullopt;
  auto created = create(uri, engineFor(uri));
  if (!created.ok()) return std::nullopt;
  const std::shared_ptr<Pipeline> next = std::move(created).value();
  m_item.begin(uri, m_target->shown());
  startItem(control);
  m_settings.apply(*next);
  m_transport.follow(control, next);
  return uri;
}

bool Playback::fallBack(const std::shared_ptr<Pipeline>& from, const Error& error) {
  if (from->engine() == Engine::Playbin3 || error.code != ErrorCode::Unsupported) return false;
  const Control control = m_transport.control();
  if (from != m_transport.current()) return true;
  const std::string uri = m_item.info().uri;
  if (!isRemote(uri)) return false;
  if (!m_item.mayFallBack()) return false;
  const auto old = m_transport.release(control, Duration{0});
  old->setState(GST_STATE_NULL);
  return start(control, uri, Engine::Playbin3).ok();
}

}  // namespace tactus::media
