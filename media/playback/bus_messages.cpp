// SPDX-License-Identifier: Apache-2.0
#include "media/playback/bus_messages.h"

#include <gst/pbutils/pbutils.h>

#include <array>
#include <utility>

#include "media/playback/chapters.h"
#include "media/playback/error_sentence.h"
#include "media/playback/stream_facts.h"
#include "plugins/av/refusal.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::MonotonicClock;

/// A source that gives up on a silent server does so a little before or after the time that it was given.
constexpr Duration kEarlier = 500ms;
constexpr Duration kLater = 1s;

std::string didNotAnswer(const std::string& what) {
  return "'" + what + "' did not answer in time.";
}

}  // namespace

void BusMessages::handle(const From& from, GstMessage* message) {
  using Handler = void (BusMessages::*)(const From&, GstMessage*);
  static constexpr std::array<std::pair<GstMessageType, Handler>, 17> kHandlers{{
      {GST_MESSAGE_ERROR, &BusMessages::onError},
      {GST_MESSAGE_WARNING, &BusMessages::onWarning},
      {GST_MESSAGE_ASYNC_DONE, &BusMessages::onPrerolled},
      {GST_MESSAGE_BUFFERING, &BusMessages::onBuffering},
      {GST_MESSAGE_TAG, &BusMessages::onTag},
      {GST_MESSAGE_EOS, &BusMessages::onEnd},
      {GST_MESSAGE_STREAM_START, &BusMessages::onStreamStart},
      {GST_MESSAGE_ELEMENT, &BusMessages::onElement},
      {GST_MESSAGE_APPLICATION, &BusMessages::onApplication},
      {GST_MESSAGE_LATENCY, &BusMessages::onLatency},
      {GST_MESSAGE_DURATION_CHANGED, &BusMessages::onDurationChanged},
      {GST_MESSAGE_CLOCK_LOST, &BusMessages::onClockLost},
      {GST_MESSAGE_STATE_CHANGED, &BusMessages::onStateChanged},
      {GST_MESSAGE_STREAM_COLLECTION, &BusMessages::onStreamCollection},
      {GST_MESSAGE_STREAMS_SELECTED, &BusMessages::onStreamsSelected},
      {GST_MESSAGE_TOC, &BusMessages::onContents},
      {GST_MESSAGE_QOS, &BusMessages::onQos},
  }};
  for (const auto& [type, handler] : kHandlers)
    if (type == GST_MESSAGE_TYPE(message)) (this->*handler)(from, message);
}

void BusMessages::announceInfo(MediaInfo info) {
  m_playback.announcements().add([info = std::move(info)](PlayerListener& to) { to.onInfo(info); });
}

void BusMessages::warn(std::string sentence) {
  m_playback.announcements().add(
      [sentence = std::move(sentence)](PlayerListener& to) { to.onWarning(sentence); });
}

void BusMessages::updateInfo(const From& from) {
  const StreamFacts facts = StreamFacts::of(*from);
  if (from != m_playback.transport().current()) return;  // stopped meanwhile
  announceInfo(m_playback.item().change([&](MediaInfo& info) { facts.addTo(info); }));
}

void BusMessages::fail(const From& from, Error sentence) {
  if (!m_playback.transport().onFailed(from)) return;
  m_playback.announcements().add(
      [sentence = std::move(sentence)](PlayerListener& to) { to.onError(sentence); });
  m_playback.announcements().deliver();
  const auto control = m_playback.transport().control();
  from->setState(GST_STATE_NULL);
}

void BusMessages::onError(const From& from, GstMessage* message) {
  if (m_playback.transport().state() == PlayState::Failed) return;
  if (auto refusal = plugins::av::refusalIn(message)) {
    if (!m_playback.fallBack(from, *refusal)) fail(from, *std::move(refusal));
    return;
  }
  if (failBroken(from)) return;
  GError* raw = nullptr;
  gchar* rawDebug = nullptr;
  gst_message_parse_error(message, &raw, &rawDebug);
  const plugins::ErrorPtr error(raw);
  const plugins::CharPtr debug(rawDebug);
  const MediaInfo info = m_playback.item().info();
  Error sentence = sentenceOf(*error, debug.get(), nameOf(info), m_playback.item().missing());
  // A source that gives up on a silent server says only "internal data stream error".
  if (!m_playback.transport().opened() && !info.uri.starts_with("file:") &&
      sentence.code != ErrorCode::Unavailable &&
      m_playback.item().silence(MonotonicClock::now()) >= m_playback.config().networkTimeout - kEarlier)
    sentence = {ErrorCode::Timeout, didNotAnswer(nameOf(info))};
  if (!m_playback.fallBack(from, sentence)) fail(from, std::move(sentence));
}

/// What is there of a film that broke off has been played.
bool BusMessages::failBroken(const From& from) {
  const std::string why = m_playback.item().broken();
  if (why.empty()) return false;
  fail(from, {ErrorCode::Unavailable, "'" + nameOf(m_playback.item().info()) + "' broke off: " + why + "."});
  return true;
}

void BusMessages::onSilence(const From& from) {
  const MediaInfo info = m_playback.item().info();
  if (m_playback.transport().state() != PlayState::Opening || m_playback.transport().opened()) return;
  if (!isRemote(info.uri)) return;
  if (m_playback.item().silence(MonotonicClock::now()) < m_playback.config().networkTimeout + kLater) return;
  fail(from, {ErrorCode::Timeout, didNotAnswer(info.uri)});
}

void BusMessages::onWarning(const From&, GstMessage* message) {
  GError* raw = nullptr;
  gst_message_parse_warning(message, &raw, nullptr);
  const plugins::ErrorPtr warning(raw);
  if (warning->domain == GST_STREAM_ERROR && warning->code == GST_STREAM_ERROR_DECODE) {
    m_playback.item().countDecodeError();
    return;  // shown with the other drops; one sentence a picture would be noise
  }
  // The base sink's "a lot of buffers are being dropped": we count each, with its reason, and say why.
  if (warning->domain == GST_CORE_ERROR && warning->code == GST_CORE_ERROR_CLOCK) return;
  warn(warning->message);
}

void BusMessages::onPrerolled(const From& from, GstMessage*) {
  updateInfo(from);
  if (!m_playback.item().info().hasVideo)
    m_playback.target().clear();  // the film before left its last picture
  m_playback.item().noteProgress(MonotonicClock::now());
  m_playback.transport().onPrerolled(from);
}

void BusMessages::onBuffering(const From& from, GstMessage* message) {
  gint percent = 100;
  gst_message_parse_buffering(message, &percent);
  m_playback.item().noteProgress(MonotonicClock::now());
  const MediaInfo info = m_playback.item().info();
  if (info.live || info.uri.starts_with("file:")) return;
  m_playback.announcements().add([percent](PlayerListener& to) { to.onBuffering(percent); });
  m_playback.transport().onFilled(from, percent);
}

void BusMessages::onTag(const From&, GstMessage* message) {
  GstTagList* raw = nullptr;
  gst_message_parse_tag(message, &raw);
  const plugins::TagListPtr tags(raw);
  bool changed = false;
  MediaInfo info = m_playback.item().change([&](MediaInfo& known) { changed = addTags(tags.get(), known); });
  if (changed) announceInfo(std::move(info));
}

void BusMessages::onEnd(const From& from, GstMessage*) {
  const MediaInfo info = m_playback.item().info();
  from->setPlaying(false);
  if (failBroken(from)) return;
  if (!m_playback.transport().opened() && !from->startTimes().firstShown && !info.hasAudio) {
    fail(from, {ErrorCode::Corrupt, "'" + info.title + "' holds nothing that can be shown or heard."});
    return;
  }
  Announcements& announcements = m_playback.announcements();
  if (const auto next = m_playback.goOnWithNext(from)) {
    announcements.add([uri = *next](PlayerListener& to) { to.onNextItem(uri); });
  } else if (m_playback.transport().onEnded(from)) {
    announcements.add([](PlayerListener& to) { to.onEnded(); });
  }
}

void BusMessages::onStreamStart(const From& from, GstMessage*) {
  m_playback.item().noteProgress(MonotonicClock::now());
  updateInfo(from);
}

void BusMessages::onElement(const From& from, GstMessage* message) {
  if (gst_is_missing_plugin_message(message) != FALSE) {
    const plugins::CharPtr description(gst_missing_plugin_message_get_description(message));
    m_playback.item().setMissing(description.get());
    warn(std::string("A ") + description.get() + " is not installed.");
    return;
  }
  const GstStructure* fields = gst_message_get_structure(message);
  if (gst_message_has_name(message, "tactus-read-to-end") != FALSE) m_playback.prepareNext(from);
  if (gst_message_has_name(message, "tactus-broke-off") != FALSE)
    m_playback.item().setBroken(gst_structure_get_string(fields, "why"));
  if (gst_message_has_name(message, "tactus-decoder") != FALSE)
    m_playback.item().setDecoder(gst_structure_get_string(fields, "device"),
                                 gst_structure_get_string(fields, "why"));
  if (gst_message_has_name(message, "tactus-audio-output") == FALSE) return;
  gboolean connected = FALSE;
  gst_structure_get_boolean(fields, "connected", &connected);
  const char* reason = gst_structure_get_string(fields, "reason");
  if (connected == FALSE && reason != nullptr) warn(reason);
}

void BusMessages::onApplication(const From& from, GstMessage* message) {
  if (gst_message_has_name(message, "tactus-workers") != FALSE) from->adoptWorkers();
  if (gst_message_has_name(message, "tactus-rate") != FALSE) from->followRate();
  if (gst_message_has_name(message, "tactus-film-begins") != FALSE) onFilmBegins(from);
  if (gst_message_has_name(message, "tactus-refused") != FALSE)
    fail(from, {ErrorCode::Refused, gst_structure_get_string(gst_message_get_structure(message), "why")});
  if (gst_message_has_name(message, "tactus-format") != FALSE) updateInfo(from);
}

void BusMessages::onFilmBegins(const From& from) {
  const auto uri = m_playback.goOn(from);
  if (!uri) return;
  m_playback.announcements().add([uri = *uri](PlayerListener& to) { to.onNextItem(uri); });
  updateInfo(from);
}

void BusMessages::onLatency(const From& from, GstMessage*) {
  gst_bin_recalculate_latency(GST_BIN(from->element()));
}

void BusMessages::onDurationChanged(const From& from, GstMessage*) {
  updateInfo(from);
}

void BusMessages::onClockLost(const From& from, GstMessage*) {
  m_playback.transport().onClockLost(from);
}

void BusMessages::onStateChanged(const From& from, GstMessage* message) {
  if (GST_MESSAGE_SRC(message) != GST_OBJECT(from->element())) return;
  GstState to{};
  gst_message_parse_state_changed(message, nullptr, &to, nullptr);
  if (to == GST_STATE_PLAYING) m_playback.transport().onPlaying(from);
}

void BusMessages::onStreamCollection(const From& from, GstMessage* message) {
  GstStreamCollection* collection = nullptr;
  gst_message_parse_stream_collection(message, &collection);
  (void)m_playback.item().changeTracks([=](TrackList& tracks) { tracks.setCollection(collection); });
  gst_object_unref(collection);
  updateInfo(from);
}

void BusMessages::onStreamsSelected(const From& from, GstMessage* message) {
  (void)m_playback.item().changeTracks([=](TrackList& tracks) { tracks.setSelected(message); });
  updateInfo(from);
}

void BusMessages::onContents(const From& from, GstMessage* message) {
  GstToc* contents = nullptr;
  gst_message_parse_toc(message, &contents, nullptr);
  (void)m_playback.item().change([=](MediaInfo& info) { info.chapters = chaptersOf(contents); });
  gst_toc_unref(contents);
  updateInfo(from);
}

/// Decoders that skip late pictures say so; our own sink's drops are counted by the sink.
void BusMessages::onQos(const From& from, GstMessage* message) {
  if (GST_MESSAGE_SRC(message) == GST_OBJECT(from->videoSink())) return;
  GstFormat format{};
  guint64 dropped = 0;
  gst_message_parse_qos_stats(message, &format, nullptr, &dropped);
  if (format == GST_FORMAT_DEFAULT || format == GST_FORMAT_BUFFERS)
    m_playback.item().setLateAtDecoder(dropped);
}

}  // namespace tactus::media
