// SPDX-License-Identifier: Apache-2.0
#include "media/playback/player.h"

#include <algorithm>
#include <cmath>

#include "media/playback/bus_reader.h"
#include "media/playback/media_path.h"
#include "media/playback/playback.h"
#include "plugins/audio_sink.h"

namespace tactus::media {

using Wish = PlaybackState::Wish;

struct Player::Body {
  Body(PlayerConfig config, periodic::Scheduler& scheduler, std::shared_ptr<plugins::VideoTarget> target,
       PlayerListener& listener)
      : playback(std::move(config), scheduler, std::move(target), listener) {}

  [[nodiscard]] std::shared_ptr<Pipeline> pipeline() { return playback.transport().current(); }
  [[nodiscard]] std::optional<Duration> duration() { return playback.item().info().duration; }
  void changeSubtitles(const std::function<void(SubtitleSettings&)>& change) {
    const Deliver announced = deliver();
    const SubtitleSettings now = playback.settings().changeSubtitles(change);
    const auto present = pipeline();
    if (!present) return;
    present->setSubtitles(now);
    redraw();
  }
  /// A picture that stands still is shown again, for what lies over it has changed.
  void redraw() {
    Transport& transport = playback.transport();
    const MediaInfo info = playback.item().info();
    const PlayState state = transport.state();
    const bool stands = state == PlayState::Paused || state == PlayState::Held;
    if (!stands || !info.seekable || !info.hasVideo) return;
    transport.seek({transport.position(info.duration), SeekMode::Exact});
  }
  /// At the end of a method: what it has announced is delivered.
  [[nodiscard]] Deliver deliver() { return Deliver(playback.announcements()); }

  Playback playback;
  BusReader bus{playback};
};

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
  return std::unique_ptr<Player>(new Player(std::move(body)));
}

Player::~Player() {
  stop();
}

Result<void> Player::open(const std::string& uriOrPath, bool paused, Duration at) {
  const Deliver deliver = m_body->deliver();
  m_body->playback.stop();
  auto uri = uriOf(uriOrPath);
  if (!uri.ok()) return uri.error();
  m_body->bus.presentedRate().clear();
  return m_body->playback.open(uri.value(), paused, at);
}

void Player::stop() {
  m_body->playback.stop();
}

void Player::play() {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().want(Wish::Play);
}

void Player::pause() {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().want(Wish::Pause);
}

void Player::togglePause() {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().toggle();
}

void Player::seek(Duration position, SeekMode mode) {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().seek({position, mode});
}

void Player::seekBy(Duration offset, SeekMode mode) {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().seekBy(offset, mode, m_body->duration());
}

void Player::stepForward() {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().stepForward();
}

void Player::stepBackward() {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().stepBackward();
}

void Player::setSpeed(double speed) {
  if (!std::isfinite(speed)) return;
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().setSpeed(std::clamp(speed, 0.25, 4.0), m_body->duration());
}

void Player::setVolume(double volume) {
  m_body->playback.settings().setVolume(volume);
  if (const auto pipeline = m_body->pipeline()) m_body->playback.settings().applyVolume(*pipeline);
}

void Player::setMuted(bool muted) {
  m_body->playback.settings().setMuted(muted);
  if (const auto pipeline = m_body->pipeline()) m_body->playback.settings().applyVolume(*pipeline);
}

void Player::setHardware(plugins::av::HardwareWish wish) {
  m_body->playback.settings().setHardware(wish);
  if (const auto pipeline = m_body->pipeline()) pipeline->setHardware(wish);
}

void Player::selectTrack(TrackKind kind, int index) {
  const Deliver deliver = m_body->deliver();
  const auto pipeline = m_body->pipeline();
  if (!pipeline) return;
  Playback& playback = m_body->playback;
  if (kind == TrackKind::Subtitle) {  // what was shown above moves down
    const auto subtitles = playback.item().info().subtitles;
    if (index >= 0 && index < std::ssize(subtitles) && subtitles[static_cast<std::size_t>(index)].second)
      selectSecondSubtitles(-1);
  }
  GstElement* selector = pipeline->selector();
  const MediaInfo info =
      playback.item().changeTracks([=](TrackList& tracks) { tracks.select(selector, kind, index); });
  playback.announcements().add([info](PlayerListener& to) { to.onInfo(info); });
  if (kind == TrackKind::Subtitle && pipeline->engine() == Engine::Av) return m_body->redraw();
  // What the new track should say or sound at this moment has gone by already.
  if (index >= 0 && info.seekable && !info.live) seek(position(), SeekMode::Exact);
}

void Player::selectSecondSubtitles(int index) {
  const Deliver deliver = m_body->deliver();
  const auto pipeline = m_body->pipeline();
  if (!pipeline || pipeline->engine() != Engine::Av) return;
  Playback& playback = m_body->playback;
  const MediaInfo info = playback.item().changeTracks(
      [&](TrackList& tracks) { pipeline->setSecondSubtitles(tracks.selectSecond(index)); });
  playback.announcements().add([info](PlayerListener& to) { to.onInfo(info); });
  m_body->redraw();
}

Result<void> Player::addSubtitles(const std::string& path) {
  const Deliver deliver = m_body->deliver();
  const auto uri = uriOf(path);
  if (!uri.ok()) return uri.error();
  return m_body->playback.addSubtitles(uri.value());
}

void Player::setSubtitleDelay(Duration delay) {
  m_body->changeSubtitles([=](SubtitleSettings& settings) { settings.delay = delay; });
}

void Player::setSubtitlesVisible(bool visible) {
  m_body->changeSubtitles([=](SubtitleSettings& settings) { settings.visible = visible; });
}

void Player::setSubtitleScale(double scale) {
  if (!std::isfinite(scale)) return;
  m_body->changeSubtitles([=](SubtitleSettings& settings) { settings.scale = std::clamp(scale, 0.25, 4.0); });
}

void Player::setSubtitlesRaised(double share) {
  if (!std::isfinite(share)) return;
  m_body->changeSubtitles([=](SubtitleSettings& settings) { settings.raised = std::clamp(share, 0.0, 1.0); });
}

SubtitleSettings Player::subtitleSettings() const {
  return m_body->playback.settings().subtitles();
}

void Player::setNext(const std::string& uriOrPath) {
  std::string next;
  if (!uriOrPath.empty()) {
    if (auto uri = uriOf(uriOrPath); uri.ok()) next = std::move(uri).value();
  }
  m_body->playback.setNext(std::move(next));
}

PlayState Player::state() const {
  return m_body->playback.transport().state();
}

MediaInfo Player::info() const {
  return m_body->playback.item().info();
}

Duration Player::position() const {
  return m_body->playback.transport().position(m_body->duration());
}

double Player::speed() const {
  return m_body->playback.transport().speed();
}

double Player::volume() const {
  return m_body->playback.settings().volume();
}

bool Player::muted() const {
  return m_body->playback.settings().muted();
}

plugins::av::HardwareWish Player::hardware() const {
  return m_body->playback.settings().hardware();
}

PlayerStatistics Player::statistics() const {
  using plugins::DropReason;
  PlayerStatistics figures;
  const auto dropped = [&](DropReason reason) -> std::uint64_t& {
    return figures.dropped[static_cast<std::size_t>(reason)];
  };
  const auto pipeline = m_body->pipeline();
  const std::uint64_t shown = m_body->playback.target().shown();
  const PlayedItem::Counts counts = m_body->playback.item().counts();
  const std::uint64_t before =
      (pipeline ? pipeline->shownBefore() : std::nullopt).value_or(counts.shownBefore);
  figures.presented = shown - std::min(shown, before);
  figures.presentedRate = m_body->bus.presentedRate().perSecond(periodic::MonotonicClock::now(), shown);
  dropped(DropReason::LateAtDecoder) = counts.lateAtDecoder;
  dropped(DropReason::DecodeError) = counts.decodeErrors;
  const PlayedItem::Decoder decoder = m_body->playback.item().decoder();
  figures.device = decoder.device;
  figures.whyNoDevice = decoder.whyNone;
  if (!pipeline) return figures;
  figures.engine = nameOf(pipeline->engine());
  figures.nominalRate = pipeline->nominalRate();
  figures.stages = pipeline->stages();
  figures.start = pipeline->startTimes();
  figures.queue = pipeline->queue();
  figures.memory = pipeline->memory();
  const auto sink = pipeline->shown();
  for (std::size_t i = 0; i < sink.dropped.size(); ++i) figures.dropped[i] += sink.dropped[i];
  figures.scaled = sink.scaled;
  const DecoderGates::Counts decoders = pipeline->counts();
  figures.decoded = decoders.decoded;
  dropped(DropReason::ShedBeforeDecoding) = decoders.thinned;
  dropped(DropReason::ShedToKeyframe) = decoders.toKeyframe;
  const auto audio = plugins::audioSinkState(pipeline->audioSink());
  figures.audioConnected = audio.connected;
  figures.audioReason = audio.reason;
  figures.audioUnderruns = audio.underruns;
  return figures;
}

void Player::setThinning(Thinning thinning) {
  if (!m_body->playback.settings().setThinning(thinning)) return;
  if (const auto pipeline = m_body->pipeline()) pipeline->setThinning(thinning);
}

Thinning Player::thinning() const {
  return m_body->playback.settings().thinning();
}

void Player::setService(StreamService service) {
  m_body->playback.settings().setService(service);
  if (const auto pipeline = m_body->pipeline()) pipeline->setService(std::move(service));
}

void Player::setHeld(bool held) {
  const Deliver deliver = m_body->deliver();
  m_body->playback.transport().permit(!held);
}

LoadFigures Player::load() const {
  const auto pipeline = m_body->pipeline();
  if (!pipeline) return {};
  LoadFigures figures = pipeline->load();
  figures.late += m_body->playback.item().counts().lateAtDecoder;
  figures.film = m_body->playback.item().number();
  const PlayState state = m_body->playback.transport().state();
  figures.opening = state == PlayState::Opening;
  figures.playing = state == PlayState::Playing;
  figures.buffering = state == PlayState::Buffering;
  return figures;
}

Result<plugins::Rgb32Picture> Player::snapshot() const {
  const auto pipeline = m_body->pipeline();
  if (!pipeline) return Error{ErrorCode::Unavailable, "There is no picture yet."};
  return plugins::snapshot(pipeline->videoSink());
}

std::shared_ptr<FilmTap> Player::tap() const {
  return m_body->playback.tap();
}

}  // namespace tactus::media
