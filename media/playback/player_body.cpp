// SPDX-License-Identifier: Apache-2.0
#include "media/playback/player_body.h"

#include <gst/audio/streamvolume.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>

#include <algorithm>

#include "media/playback/chapters.h"
#include "media/playback/error_sentence.h"
#include "media/playback/media_path.h"
#include "plugins/video_sink.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::MonotonicClock;

bool worthAnotherEngine(const Error& error) {
  return error.code == ErrorCode::Corrupt || error.code == ErrorCode::System ||
         error.code == ErrorCode::Unsupported;
}

}  // namespace

std::string engineFor(const std::string& uri) {
  const std::string path = uri.substr(0, uri.find_first_of("?#"));
  return path.ends_with(".m3u8") || path.ends_with(".mpd") ? "playbin3" : "playbin";
}

std::shared_ptr<Pipeline> Player::Body::current() {
  const std::lock_guard lock(mutex);
  return pipeline;
}

Result<std::shared_ptr<Pipeline>> Player::Body::createPipelineControlled(const std::string& uri,
                                                                         const std::string& engine,
                                                                         bool hidden) {
  Pipeline::Config settings;
  settings.engine = engine;
  settings.uri = uri;
  settings.player = config;
  settings.target = target;
  settings.next = [this] {
    const std::lock_guard lock(mutex);
    if (speed != 1) return std::string();  // playbin would go on at normal speed
    switchingTo = std::exchange(next, {});
    return switchingTo;
  };
  settings.hidden = hidden;
  {
    const std::lock_guard lock(mutex);
    if (!hidden) settings.subtitles = subtitles;
    settings.thinning = thinning;
    settings.service = service;
  }
  auto created = Pipeline::create(std::move(settings), scheduler);
  if (!created.ok()) return created.error();
  const std::lock_guard lock(mutex);
  applyVolumeLocked(*created.value());
  return created;
}

Result<void> Player::Body::startPipelineControlled(const std::string& uri, const std::string& engine) {
  auto created = createPipelineControlled(uri, engine, false);
  if (!created.ok()) return created.error();
  bool playing = false;
  Thinning thinned;
  {
    const std::lock_guard lock(mutex);
    pipeline = created.value();
    prerolled = false;
    buffering = false;
    missing.clear();
    lastProgress = MonotonicClock::now();
    playing = wantsPlaying && !startAt;
    thinned = thinning;
  }
  created.value()->setThinning(thinned);  // it may have changed since the pipeline was made
  wake.notify_all();
  changeState(PlayState::Opening);
  // Straight to PLAYING spares a round trip through the bus thread before the first picture moves.
  if (created.value()->setState(playing ? GST_STATE_PLAYING : GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_NO_PREROLL) {
    const std::lock_guard lock(mutex);
    info.live = true;
  }
  return {};  // a failed change of state is told by an error message on the bus
}

void Player::Body::beginItemLocked(const std::string& uri) {
  ++film;
  info = {};
  info.uri = uri;
  info.title = titleOf(uri);
  tracks = {};
  fellBack = false;
  decodeErrors = 0;
  lateAtDecoder = 0;
  pendingSeek.reset();
  startAt.reset();
  seeking = false;
  shownAtOpen = target->shown();
}

void Player::Body::prepareNextControlled() {
  std::string uri;
  {
    const std::lock_guard lock(mutex);
    uri = std::exchange(next, {});
  }
  if (uri.empty() || upcoming) return;
  auto created = createPipelineControlled(uri, engineFor(uri), true);
  if (!created.ok()) return;
  upcoming = std::move(created).value();
  upcoming->setState(GST_STATE_PAUSED);
}

void Player::Body::dropUpcomingControlled() {
  if (!upcoming) return;
  upcoming->setState(GST_STATE_NULL);
  upcoming.reset();
}

/// What happened to the next item while it was prepared lies on its bus and is handled once it is the present
/// one.
bool Player::Body::goOnWithNext(const std::shared_ptr<Pipeline>& from) {
  const std::lock_guard held(control);
  if (from != current()) return true;
  prepareNextControlled();
  if (!upcoming) return false;
  bool playing = false;
  Thinning thinned;
  const std::string uri = upcoming->uri();
  {
    const std::lock_guard lock(mutex);
    pipeline = upcoming;
    beginItemLocked(uri);
    subtitles.clear();
    subtitlePaths.clear();
    prerolled = false;
    buffering = false;
    missing.clear();
    lastProgress = MonotonicClock::now();
    if (speed != 1) startAt = Duration{0};  // a seek brings the speed along
    playing = wantsPlaying && !startAt;
    thinned = thinning;
  }
  upcoming->setThinning(thinned);
  from->hide();
  upcoming->reveal();
  upcoming->setState(playing ? GST_STATE_PLAYING : GST_STATE_PAUSED);
  upcoming.reset();
  from->setState(GST_STATE_NULL);
  return true;
}

void Player::Body::setWanted(bool playing) {
  const std::lock_guard held(control);
  std::shared_ptr<Pipeline> target_pipeline;
  bool restart = false;
  {
    const std::lock_guard lock(mutex);
    wantsPlaying = playing;
    target_pipeline = pipeline;
    restart = playing && state == PlayState::Ended;
    if (!target_pipeline || state == PlayState::Failed) return;
    if (!prerolled && startAt) return;  // the start position comes first
    if (buffering && playing) return;
  }
  if (restart) (void)target_pipeline->seek(speed, Duration{0}, SeekMode::Fast);
  target_pipeline->setState(playing ? GST_STATE_PLAYING : GST_STATE_PAUSED);
  if (!playing) changeState(PlayState::Paused);
}

void Player::Body::requestSeek(Duration position, SeekMode mode) {
  const std::lock_guard held(control);
  {
    const std::lock_guard lock(mutex);
    if (!pipeline) return;
    position = std::max(position, Duration{0});
    if (info.duration) position = std::min(position, *info.duration);
    if (!prerolled) {
      startAt = position;  // before there is anything to seek in
      return;
    }
    pendingSeek = Seek{position, mode};
    if (seeking) return;  // the newest wins once the present one is done
  }
  issueSeek();
}

/// With `control` held.
void Player::Body::issueSeek() {
  std::shared_ptr<Pipeline> target_pipeline;
  Seek seek{};
  double rate = 1;
  {
    const std::lock_guard lock(mutex);
    if (!pendingSeek || !pipeline) return;
    seek = *std::exchange(pendingSeek, std::nullopt);
    seeking = true;
    seekTarget = seek.position;
    rate = speed;
    target_pipeline = pipeline;
    if (state == PlayState::Ended) state = wantsPlaying ? PlayState::Playing : PlayState::Paused;
  }
  if (target_pipeline->seek(rate, seek.position, seek.mode)) return;
  const std::lock_guard lock(mutex);
  seeking = false;
}

void Player::Body::applyVolumeLocked(const Pipeline& to) const {
  const double linear = gst_stream_volume_convert_volume(GST_STREAM_VOLUME_FORMAT_CUBIC,
                                                         GST_STREAM_VOLUME_FORMAT_LINEAR, volume);
  g_object_set(to.element(), "volume", linear, "mute", static_cast<gboolean>(muted), nullptr);
}

void Player::Body::refreshTracksLocked() {
  if (pipeline) tracks.readFrom(pipeline->element());
  info.video = tracks.tracks(TrackKind::Video);
  info.audio = tracks.tracks(TrackKind::Audio);
  info.subtitles = tracks.tracks(TrackKind::Subtitle);
}

double Player::Body::presentedRateLocked(std::uint64_t shown) const {
  if (samples.empty()) return 0;
  const double span = std::chrono::duration<double>(MonotonicClock::now() - samples.front().at).count();
  if (span < 0.2) return 0;
  return static_cast<double>(shown - samples.front().shown) / span;
}

void Player::Body::changeState(PlayState to) {
  {
    const std::lock_guard lock(mutex);
    if (state == to) return;
    state = to;
  }
  listener.onState(to);
}

void Player::Body::runBus() {
  pthread_setname_np(pthread_self(), "tactus-bus");
  for (;;) {
    std::shared_ptr<Pipeline> source;
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [this] { return quit || pipeline; });
      if (quit) return;
      source = pipeline;
    }
    // Seldom enough to cost nothing while paused, often enough to notice a stopped or replaced pipeline.
    const plugins::MessagePtr message(gst_bus_timed_pop(source->bus(), 100 * GST_MSECOND));
    if (source != current()) continue;
    if (message) {
      handle(source, message.get());
    } else {
      checkProgress(source);
    }
    const std::lock_guard lock(mutex);
    const auto now = MonotonicClock::now();
    if (samples.empty() || now - samples.back().at >= 100ms) samples.push_back({now, target->shown()});
    while (samples.size() > 1 && now - samples.front().at > 2s) samples.pop_front();
  }
}

void Player::Body::handle(const std::shared_ptr<Pipeline>& from, GstMessage* message) {
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      onError(from, message);
      break;
    case GST_MESSAGE_WARNING:
      onWarning(message);
      break;
    case GST_MESSAGE_ASYNC_DONE:
      onAsyncDone(from);
      break;
    case GST_MESSAGE_BUFFERING:
      onBuffering(from, message);
      break;
    case GST_MESSAGE_TAG:
      onTag(message);
      break;
    case GST_MESSAGE_EOS:
      onEos(from);
      break;
    case GST_MESSAGE_STREAM_START:
      onStreamStart(from);
      break;
    case GST_MESSAGE_ELEMENT:
      onElementMessage(message);
      break;
    case GST_MESSAGE_APPLICATION:
      if (gst_message_has_name(message, "tactus-workers") != FALSE) from->adoptWorkers();
      if (gst_message_has_name(message, "tactus-about-to-finish") != FALSE) {
        const std::lock_guard held(control);
        prepareNextControlled();
      }
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency(GST_BIN(from->element()));
      break;
    case GST_MESSAGE_DURATION_CHANGED:
      updateInfo(from);
      break;
    case GST_MESSAGE_CLOCK_LOST: {
      const std::lock_guard held(control);
      if (GST_STATE(from->element()) == GST_STATE_PLAYING) {
        from->setState(GST_STATE_PAUSED);
        from->setState(GST_STATE_PLAYING);
      }
      break;
    }
    case GST_MESSAGE_STATE_CHANGED: {
      if (GST_MESSAGE_SRC(message) != GST_OBJECT(from->element())) break;
      GstState to{};
      gst_message_parse_state_changed(message, nullptr, &to, nullptr);
      if (to != GST_STATE_PLAYING) break;
      from->setPlaying(true);
      changeState(PlayState::Playing);
      break;
    }
    case GST_MESSAGE_STREAM_COLLECTION: {
      GstStreamCollection* collection = nullptr;
      gst_message_parse_stream_collection(message, &collection);
      {
        const std::lock_guard lock(mutex);
        tracks.setCollection(collection);
      }
      gst_object_unref(collection);
      updateInfo(from);
      break;
    }
    case GST_MESSAGE_STREAMS_SELECTED: {
      {
        const std::lock_guard lock(mutex);
        tracks.setSelected(message);
      }
      updateInfo(from);
      break;
    }
    case GST_MESSAGE_TOC: {
      GstToc* toc = nullptr;
      gst_message_parse_toc(message, &toc, nullptr);
      {
        const std::lock_guard lock(mutex);
        info.chapters = chaptersOf(toc);
      }
      gst_toc_unref(toc);
      updateInfo(from);
      break;
    }
    case GST_MESSAGE_QOS: {
      // Decoders that skip late pictures say so; our own sink's drops are counted by the sink.
      if (GST_MESSAGE_SRC(message) == GST_OBJECT(from->videoSink())) break;
      GstFormat format{};
      guint64 dropped = 0;
      gst_message_parse_qos_stats(message, &format, nullptr, &dropped);
      const std::lock_guard lock(mutex);
      if (format == GST_FORMAT_DEFAULT || format == GST_FORMAT_BUFFERS)
        lateAtDecoder = std::max<std::uint64_t>(lateAtDecoder, dropped);
      break;
    }
    default:
      break;
  }
}

void Player::Body::onError(const std::shared_ptr<Pipeline>& from, GstMessage* message) {
  GError* raw = nullptr;
  gchar* rawDebug = nullptr;
  gst_message_parse_error(message, &raw, &rawDebug);
  const plugins::ErrorPtr error(raw);
  const plugins::CharPtr debug(rawDebug);
  std::string lacking;
  std::string what;
  {
    const std::lock_guard lock(mutex);
    if (state == PlayState::Failed) return;
    lacking = missing;
    what = info.uri.starts_with("file:") ? titleOf(info.uri) : info.uri;
  }
  Error sentence = sentenceOf(*error, debug.get(), what, lacking);
  {
    // A source that gives up on a silent server says only "internal data stream error".
    const std::lock_guard lock(mutex);
    if (!prerolled && !info.uri.starts_with("file:") && sentence.code != ErrorCode::Unavailable &&
        MonotonicClock::now() - lastProgress >= config.networkTimeout - 500ms) {
      sentence = {ErrorCode::Timeout, "'" + what + "' did not answer in time."};
    }
  }
  if (fallBack(from, sentence)) return;
  changeState(PlayState::Failed);
  listener.onError(sentence);
  const std::lock_guard held(control);
  from->setState(GST_STATE_NULL);
}

bool Player::Body::fallBack(const std::shared_ptr<Pipeline>& from, const Error& error) {
  if (from->engine() != "playbin3" || from->startTimes().firstShown || !worthAnotherEngine(error))
    return false;
  const std::lock_guard held(control);
  {
    const std::lock_guard lock(mutex);
    if (pipeline != from) return true;
    if (std::exchange(fellBack, true)) return false;
    pipeline.reset();
    tracks = {};
  }
  const std::string uri = from->uri();
  from->setState(GST_STATE_NULL);
  return startPipelineControlled(uri, "playbin").ok();
}

void Player::Body::onWarning(GstMessage* message) {
  GError* raw = nullptr;
  gst_message_parse_warning(message, &raw, nullptr);
  const plugins::ErrorPtr warning(raw);
  if (warning->domain == GST_STREAM_ERROR && warning->code == GST_STREAM_ERROR_DECODE) {
    const std::lock_guard lock(mutex);
    ++decodeErrors;
    return;  // counted, shown with the other drops; one sentence a picture would be noise
  }
  // The base sink's "a lot of buffers are being dropped": we count each, with its reason, and say why.
  if (warning->domain == GST_CORE_ERROR && warning->code == GST_CORE_ERROR_CLOCK) return;
  listener.onWarning(warning->message);
}

void Player::Body::onAsyncDone(const std::shared_ptr<Pipeline>& from) {
  updateInfo(from);
  const std::lock_guard held(control);
  std::optional<Duration> start;
  bool more = false;
  bool resume = false;
  {
    const std::lock_guard lock(mutex);
    prerolled = true;
    lastProgress = MonotonicClock::now();
    seeking = false;
    if (startAt || (speed != 1 && !pendingSeek && from->startTimes().firstShown == std::nullopt)) {
      start = startAt.value_or(Duration{0});
      startAt.reset();
      pendingSeek = Seek{*start, SeekMode::Exact};
    }
    more = pendingSeek.has_value();
    resume = wantsPlaying && !buffering;
  }
  if (more) issueSeek();
  if (resume) {
    from->setState(GST_STATE_PLAYING);
  } else if (!more) {
    changeState(PlayState::Paused);
  }
}

void Player::Body::onBuffering(const std::shared_ptr<Pipeline>& from, GstMessage* message) {
  gint percent = 100;
  gst_message_parse_buffering(message, &percent);
  bool stopNow = false;
  bool goOn = false;
  {
    const std::lock_guard lock(mutex);
    lastProgress = MonotonicClock::now();
    if (info.live || info.uri.starts_with("file:")) return;
    stopNow = percent < 100 && !buffering;
    goOn = percent >= 100 && buffering;
    buffering = percent < 100;
    goOn = goOn && wantsPlaying;
  }
  listener.onBuffering(percent);
  const std::lock_guard held(control);
  if (stopNow) {
    from->setState(GST_STATE_PAUSED);
    changeState(PlayState::Buffering);
  }
  if (goOn) from->setState(GST_STATE_PLAYING);
}

void Player::Body::onTag(GstMessage* message) {
  GstTagList* raw = nullptr;
  gst_message_parse_tag(message, &raw);
  const plugins::TagListPtr tags(raw);
  bool changed = false;
  MediaInfo copy;
  {
    const std::lock_guard lock(mutex);
    gchar* title = nullptr;
    // A track's own title comes as a tag too; the film's comes in the global scope.
    if (gst_tag_list_get_scope(raw) == GST_TAG_SCOPE_GLOBAL &&
        gst_tag_list_get_string(raw, GST_TAG_TITLE, &title) != FALSE) {
      const plugins::CharPtr held(title);
      changed = info.title != title;
      info.title = title;
    }
    GstSample* sample = nullptr;
    if (!info.cover && gst_tag_list_get_sample(raw, GST_TAG_IMAGE, &sample) != FALSE) {
      const plugins::SamplePtr held(sample);
      GstMapInfo map;
      if (gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ) != FALSE) {
        info.cover = std::make_shared<const std::vector<std::uint8_t>>(map.data, map.data + map.size);
        gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
        changed = true;
      }
    }
    copy = info;
  }
  if (changed) listener.onInfo(copy);
}

void Player::Body::onEos(const std::shared_ptr<Pipeline>& from) {
  bool sawNothing = false;
  std::string what;
  {
    const std::lock_guard lock(mutex);
    sawNothing = !prerolled && !from->startTimes().firstShown && !info.hasAudio;
    what = info.title;
  }
  from->setPlaying(false);
  if (sawNothing) {
    changeState(PlayState::Failed);
    listener.onError({ErrorCode::Corrupt, "'" + what + "' holds nothing that can be shown or heard."});
    return;
  }
  if (goOnWithNext(from)) {
    if (const auto present = current(); present && present != from) listener.onNextItem(present->uri());
    return;
  }
  changeState(PlayState::Ended);
  listener.onEnded();
}

void Player::Body::onStreamStart(const std::shared_ptr<Pipeline>& from) {
  std::string switched;
  {
    const std::lock_guard lock(mutex);
    lastProgress = MonotonicClock::now();
    switched = std::exchange(switchingTo, {});
    if (!switched.empty()) {
      info.uri = switched;
      info.title = titleOf(switched);
      info.chapters.clear();
      info.cover.reset();
    }
  }
  if (!switched.empty()) listener.onNextItem(switched);
  updateInfo(from);
}

void Player::Body::onElementMessage(GstMessage* message) {
  if (gst_is_missing_plugin_message(message) != FALSE) {
    const plugins::CharPtr description(gst_missing_plugin_message_get_description(message));
    {
      const std::lock_guard lock(mutex);
      missing = description.get();
    }
    listener.onWarning(std::string("A ") + description.get() + " is not installed.");
    return;
  }
  if (gst_message_has_name(message, "tactus-audio-output") == FALSE) return;
  const GstStructure* fields = gst_message_get_structure(message);
  gboolean connected = FALSE;
  gst_structure_get_boolean(fields, "connected", &connected);
  if (connected == FALSE) listener.onWarning(gst_structure_get_string(fields, "reason"));
}

void Player::Body::checkProgress(const std::shared_ptr<Pipeline>& from) {
  Error stalled;
  {
    const std::lock_guard lock(mutex);
    if (state != PlayState::Opening || prerolled || info.uri.starts_with("file:") ||
        info.uri.starts_with("fd:"))
      return;
    if (MonotonicClock::now() - lastProgress < config.networkTimeout + 1s) return;
    stalled = {ErrorCode::Timeout, "'" + info.uri + "' did not answer in time."};
  }
  changeState(PlayState::Failed);
  listener.onError(stalled);
  const std::lock_guard held(control);
  from->setState(GST_STATE_NULL);
}

void Player::Body::updateInfo(const std::shared_ptr<Pipeline>& from) {
  MediaInfo copy;
  gint64 duration = -1;
  (void)gst_element_query_duration(from->element(), GST_FORMAT_TIME, &duration);
  gboolean seekable = FALSE;
  GstQuery* query = gst_query_new_seeking(GST_FORMAT_TIME);
  if (gst_element_query(from->element(), query) != FALSE)
    gst_query_parse_seeking(query, nullptr, &seekable, nullptr, nullptr);
  gst_query_unref(query);
  const plugins::PadPtr pad(gst_element_get_static_pad(from->videoSink(), "sink"));
  const plugins::CapsPtr caps(gst_pad_get_current_caps(pad.get()));
  const plugins::PadPtr audioPad(gst_element_get_static_pad(from->audioSink(), "sink"));
  const plugins::CapsPtr audioCaps(gst_pad_get_current_caps(audioPad.get()));
  {
    const std::lock_guard lock(mutex);
    if (pipeline != from) return;
    if (duration > 0) info.duration = Duration(duration);
    info.seekable = seekable != FALSE;
    GstVideoInfo video;
    if (caps && gst_video_info_from_caps(&video, caps.get()) != FALSE) {
      const auto upright = static_cast<int>(
          gst_util_uint64_scale_int(static_cast<guint64>(GST_VIDEO_INFO_WIDTH(&video)),
                                    GST_VIDEO_INFO_PAR_N(&video), GST_VIDEO_INFO_PAR_D(&video)));
      info.width = upright;
      info.height = GST_VIDEO_INFO_HEIGHT(&video);
      info.frameRate = GST_VIDEO_INFO_FPS_D(&video) > 0
                           ? static_cast<double>(GST_VIDEO_INFO_FPS_N(&video)) / GST_VIDEO_INFO_FPS_D(&video)
                           : 0;
    }
    refreshTracksLocked();
    info.hasVideo = caps != nullptr || !info.video.empty();
    info.hasAudio = audioCaps != nullptr || !info.audio.empty();
    copy = info;
  }
  listener.onInfo(copy);
}

}  // namespace tactus::media
