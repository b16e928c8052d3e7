// SPDX-License-Identifier: Apache-2.0
#include "media/playback/player.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "media/playback/player_body.h"

#include <gst/audio/streamvolume.h>
#include <gst/pbutils/pbutils.h>

#include "media/playback/chapters.h"
#include "media/playback/error_sentence.h"
#include "media/playback/media_path.h"
#include "plugins/audio_sink.h"

namespace tactus::media {

using periodic::MonotonicClock;

Player::Player(std::unique_ptr<Body> body) noexcept : m_body(std::move(body)) {}

Result<std::unique_ptr<Player>> Player::create(PlayerConfig config, periodic::Scheduler& scheduler,
                                               std::shared_ptr<plugins::VideoTarget> target,
                                               PlayerListener& listener) {
  GError* raw = nullptr;
  if (gst_init_check(nullptr, nullptr, &raw) == FALSE) {
    const plugins::ErrorPtr error(raw);
    return Error{ErrorCode::System,
                 std::string("GStreamer cannot start: ") + (error ? error->message : "unknown error")};
  }
  auto body = std::make_unique<Body>(std::move(config), scheduler, std::move(target), listener);
  body->busThread = std::thread([raw_body = body.get()] { raw_body->runBus(); });
  return std::unique_ptr<Player>(new Player(std::move(body)));
}

Player::~Player() {
  stop();
  {
    const std::lock_guard lock(m_body->mutex);
    m_body->quit = true;
  }
  m_body->wake.notify_all();
  m_body->busThread.join();
}

Result<void> Player::open(const std::string& uriOrPath, bool paused) {
  stop();
  auto uri = uriOf(uriOrPath);
  if (!uri.ok()) return uri.error();
  const std::lock_guard control(m_body->control);
  {
    const std::lock_guard lock(m_body->mutex);
    m_body->wantsPlaying = !paused;
    m_body->subtitles.clear();
    m_body->subtitlePaths.clear();
    m_body->speed = 1;
    m_body->beginItemLocked(uri.value());
    m_body->samples.clear();
  }
  return m_body->startPipelineControlled(uri.value(), engineFor(uri.value()));
}

void Player::stop() {
  const std::lock_guard control(m_body->control);
  std::shared_ptr<Pipeline> ended;
  {
    const std::lock_guard lock(m_body->mutex);
    ended = std::move(m_body->pipeline);
    m_body->state = PlayState::Idle;
  }
  m_body->dropUpcomingControlled();
  if (!ended) return;
  ended->setState(GST_STATE_NULL);
  m_body->target->clear();
}

void Player::play() {
  m_body->setWanted(true);
}
void Player::pause() {
  m_body->setWanted(false);
}

void Player::togglePause() {
  bool playing = false;
  {
    const std::lock_guard lock(m_body->mutex);
    playing = m_body->wantsPlaying && m_body->state != PlayState::Ended;
  }
  m_body->setWanted(!playing);
}

void Player::seek(Duration position, SeekMode mode) {
  m_body->requestSeek(position, mode);
}

void Player::seekBy(Duration offset, SeekMode mode) {
  Duration from = position();
  {
    // Presses that come faster than seeks are done add up.
    const std::lock_guard lock(m_body->mutex);
    if (m_body->pendingSeek) {
      from = m_body->pendingSeek->position;
    } else if (m_body->seeking) {
      from = m_body->seekTarget;
    }
  }
  m_body->requestSeek(from + offset, mode);
}

void Player::stepForward() {
  pause();
  const std::lock_guard control(m_body->control);
  if (const auto pipeline = m_body->current()) {
    gst_element_send_event(pipeline->videoSink(),
                           gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1.0, TRUE, FALSE));
  }
}

void Player::stepBackward() {
  pause();
  const auto pipeline = m_body->current();
  if (!pipeline) return;
  const double rate = pipeline->nominalRate() > 0 ? pipeline->nominalRate() : 25;
  const auto frame = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / rate));
  const std::int64_t end = pipeline->lastShownEnd();
  if (end < 0) return;
  // Into the middle of the frame before, so that rounding cannot land on this one.
  m_body->requestSeek(Duration(end) - frame - frame / 2, SeekMode::Exact);
}

void Player::setSpeed(double speed) {
  if (!std::isfinite(speed)) return;
  speed = std::clamp(speed, 0.25, 4.0);
  const Duration now = position();
  {
    const std::lock_guard lock(m_body->mutex);
    if (speed == m_body->speed) return;
    m_body->speed = speed;
  }
  m_body->requestSeek(now, SeekMode::Exact);
}

void Player::setVolume(double volume) {
  const std::lock_guard lock(m_body->mutex);
  m_body->volume = std::clamp(std::isfinite(volume) ? volume : 1.0, 0.0, 1.3);
  if (m_body->pipeline) m_body->applyVolumeLocked(*m_body->pipeline);
}

void Player::setMuted(bool muted) {
  const std::lock_guard lock(m_body->mutex);
  m_body->muted = muted;
  if (m_body->pipeline) m_body->applyVolumeLocked(*m_body->pipeline);
}

void Player::selectTrack(TrackKind kind, int index) {
  MediaInfo info;
  {
    const std::lock_guard lock(m_body->mutex);
    if (!m_body->pipeline) return;
    m_body->tracks.select(m_body->pipeline->element(), kind, index);
    m_body->refreshTracksLocked();
    info = m_body->info;
  }
  m_body->listener.onInfo(info);
  // What the new track should say or sound at this moment has gone by already.
  if (index >= 0 && info.seekable && !info.live) m_body->requestSeek(position(), SeekMode::Exact);
}

Result<void> Player::addSubtitles(const std::string& path) {
  auto uri = uriOf(path);
  if (!uri.ok()) return uri.error();
  const Duration at = position();
  const std::lock_guard control(m_body->control);
  std::vector<std::string> paths;
  {
    const std::lock_guard lock(m_body->mutex);
    if (!m_body->pipeline) return Error{ErrorCode::InvalidArgument, "Subtitles need a film to go with."};
    paths = m_body->subtitlePaths;
  }
  const plugins::CharPtr local(g_filename_from_uri(uri.value().c_str(), nullptr, nullptr));
  std::optional<SubtitleFile> file;
  if (local) {
    paths.emplace_back(local.get());
    auto read = SubtitleFile::create(paths);
    if (!read.ok()) return read.error();
    file = std::move(read).value();
    uri = file->uri();
  }
  std::shared_ptr<Pipeline> old;
  std::string film;
  std::string engine;
  {
    const std::lock_guard lock(m_body->mutex);
    old = std::move(m_body->pipeline);
    if (!old) return {};
    m_body->subtitles = uri.value();
    m_body->subtitlePaths = std::move(paths);
    film = old->uri();
    engine = old->engine();
    if (at > Duration::zero() && !m_body->startAt) m_body->startAt = at;
  }
  old->setState(GST_STATE_NULL);
  old.reset();
  if (file) m_body->subtitleFile = std::move(file);
  return m_body->startPipelineControlled(film, engine);
}

void Player::setSubtitleDelay(Duration delay) {
  const std::lock_guard lock(m_body->mutex);
  if (!m_body->pipeline) return;
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(m_body->pipeline->element()), "text-offset") == nullptr)
    return;
  g_object_set(m_body->pipeline->element(), "text-offset", static_cast<gint64>(delay.count()), nullptr);
}

void Player::setNext(const std::string& uriOrPath) {
  std::string next;
  if (!uriOrPath.empty()) {
    auto uri = uriOf(uriOrPath);
    if (uri.ok()) next = std::move(uri).value();
  }
  const std::lock_guard control(m_body->control);
  m_body->dropUpcomingControlled();
  const std::lock_guard lock(m_body->mutex);
  m_body->next = std::move(next);
}

PlayState Player::state() const {
  const std::lock_guard lock(m_body->mutex);
  return m_body->state;
}

MediaInfo Player::info() const {
  const std::lock_guard lock(m_body->mutex);
  return m_body->info;
}

Duration Player::position() const {
  const auto pipeline = m_body->current();
  {
    const std::lock_guard lock(m_body->mutex);
    if (m_body->pendingSeek) return m_body->pendingSeek->position;
    if (m_body->seeking) return m_body->seekTarget;
    if (m_body->state == PlayState::Ended && m_body->info.duration) return *m_body->info.duration;
  }
  gint64 position = 0;
  if (!pipeline || gst_element_query_position(pipeline->element(), GST_FORMAT_TIME, &position) == FALSE)
    return Duration{0};
  return Duration(std::max<gint64>(0, position));
}

double Player::speed() const {
  const std::lock_guard lock(m_body->mutex);
  return m_body->speed;
}

double Player::volume() const {
  const std::lock_guard lock(m_body->mutex);
  return m_body->volume;
}

bool Player::muted() const {
  const std::lock_guard lock(m_body->mutex);
  return m_body->muted;
}

PlayerStatistics Player::statistics() const {
  PlayerStatistics figures;
  const auto pipeline = m_body->current();
  const std::uint64_t shown = m_body->target->shown();
  {
    const std::lock_guard lock(m_body->mutex);
    figures.presented = shown - std::min(shown, m_body->shownAtOpen);
    figures.presentedRate = m_body->presentedRateLocked(shown);
    figures.dropped[static_cast<std::size_t>(plugins::DropReason::LateAtDecoder)] = m_body->lateAtDecoder;
    figures.dropped[static_cast<std::size_t>(plugins::DropReason::DecodeError)] = m_body->decodeErrors;
  }
  if (!pipeline) return figures;
  figures.engine = pipeline->engine();
  figures.nominalRate = pipeline->nominalRate();
  const auto counts = pipeline->counts();
  figures.decoded = counts.decoded;
  figures.stages = pipeline->stages();
  figures.start = pipeline->startTimes();
  figures.queue = pipeline->queue();
  const auto sink = plugins::videoSinkStatistics(pipeline->videoSink());
  for (std::size_t i = 0; i < sink.dropped.size(); ++i) figures.dropped[i] += sink.dropped[i];
  using plugins::DropReason;
  figures.dropped[static_cast<std::size_t>(DropReason::ShedBeforeDecoding)] = counts.thinned;
  figures.dropped[static_cast<std::size_t>(DropReason::ShedToKeyframe)] = counts.toKeyframe;
  figures.scaled = sink.scaled;
  const auto audio = plugins::audioSinkState(pipeline->audioSink());
  figures.audioConnected = audio.connected;
  figures.audioReason = audio.reason;
  figures.audioUnderruns = audio.underruns;
  return figures;
}

void Player::setThinning(Thinning thinning) {
  std::shared_ptr<Pipeline> pipeline;
  {
    const std::lock_guard lock(m_body->mutex);
    if (m_body->thinning == thinning) return;
    m_body->thinning = thinning;
    pipeline = m_body->pipeline;
  }
  if (pipeline) pipeline->setThinning(thinning);
}

Thinning Player::thinning() const {
  const std::lock_guard lock(m_body->mutex);
  return m_body->thinning;
}

void Player::setService(StreamService service) {
  std::shared_ptr<Pipeline> pipeline;
  {
    const std::lock_guard lock(m_body->mutex);
    m_body->service = service;
    pipeline = m_body->pipeline;
  }
  if (pipeline) pipeline->setService(std::move(service));
}

void Player::setHeld(bool held) {
  held ? pause() : play();
}

LoadFigures Player::load() const {
  const auto pipeline = m_body->current();
  if (!pipeline) return {};
  LoadFigures figures = pipeline->load();
  const std::lock_guard lock(m_body->mutex);
  figures.late += m_body->lateAtDecoder;
  figures.film = m_body->film;
  figures.playing = m_body->state == PlayState::Playing;
  figures.buffering = m_body->state == PlayState::Buffering;
  return figures;
}

Result<plugins::Rgb32Picture> Player::snapshot() const {
  const auto pipeline = m_body->current();
  if (!pipeline) return Error{ErrorCode::Unavailable, "There is no picture yet."};
  return plugins::snapshot(pipeline->videoSink());
}

}  // namespace tactus::media
