// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plugins/av/film_facts.h"
#include "plugins/av/packet_format.h"
#include "plugins/av/refusal.h"

namespace tactus::plugins::av {
namespace {

using periodic::Duration;

/// Sound that ends so long before an exact seek's target is not decoded; what is nearer prepares its decoder.
constexpr Duration kSoundBefore = std::chrono::milliseconds(200);
/// A film that turns out to be longer than it said is told of in such steps.
constexpr Duration kLonger = std::chrono::seconds(1);

}  // namespace

FilmSource::FilmSource(GstElement* element)
    : m_element(element), m_catalogue(element), m_buffering(element), m_flows(gst_flow_combiner_new()) {
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
}

FilmSource::~FilmSource() {
  gst_flow_combiner_free(m_flows);
}

void FilmSource::start(const std::string& path, Duration patience) {
  m_path = path;
  m_buffering.reset();
  m_reader = std::make_unique<FilmReader>(path, patience, *this);
  m_reader->start();
}

void FilmSource::halt() {
  m_subtitles->close();
  if (m_reader) m_reader->stop();
}

void FilmSource::stop() {
  m_reader.reset();
  for (const auto& pad : m_pads) {
    gst_flow_combiner_remove_pad(m_flows, pad->pad);
    gst_element_remove_pad(m_element, pad->pad);
  }
  m_pads.clear();
  m_catalogue.close();
  m_tags.reset();
  m_opened.store(false, std::memory_order_relaxed);
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
  m_seqnum = GST_SEQNUM_INVALID;
}

void FilmSource::tell(GstStreamStatusType type) {
  GstMessage* message = gst_message_new_stream_status(GST_OBJECT_CAST(m_element), type, m_element);
  (void)gst_element_post_message(m_element, message);
}

void FilmSource::postStreams() {
  m_catalogue.post(m_subtitles->files(), [this](const char* id) { return isChosen(id); });
}

void FilmSource::addSubtitles(SubtitleFile file, bool chosen) {
  m_subtitles->add(std::move(file), m_catalogue.prefix(), chosen);
  postStreams();
}

void FilmSource::onOpened(const Demuxer& film) {
  m_catalogue.open(film);
  m_seekable.store(film.seekable(), std::memory_order_relaxed);
  m_length.store(film.duration().value_or(Duration{-1}).count(), std::memory_order_relaxed);
  m_tags = filmTags(film);
  m_subtitles->open(film, m_catalogue.prefix(), m_path, m_reader->store());
  for (const AVMediaType kind : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO})
    if (const int best = film.best(kind); best >= 0) addPad(kind, best);
  if (m_pads.empty()) {
    GST_ELEMENT_ERROR(m_element, STREAM, WRONG_TYPE, ("There is nothing to see or hear in it."), (nullptr));
    return;
  }
  gst_element_no_more_pads(m_element);
  m_opened.store(true, std::memory_order_release);  // the streams and the pads before
  postStreams();
  if (GstToc* contents = contentsOf(film)) {
    (void)gst_element_post_message(m_element,
                                   gst_message_new_toc(GST_OBJECT_CAST(m_element), contents, FALSE));
    gst_toc_unref(contents);
  }
  for (const auto& pad : m_pads) (void)gst_pad_start_task(pad->pad, run, pad.get(), nullptr);
}

void FilmSource::onRefused(const Error& why) {
  postRefusal(m_element, why);
}

void FilmSource::onBrokeOff(const std::string& why) {
  m_broken = !why.empty();
  GstStructure* fields = gst_structure_new("tactus-broke-off", "why", G_TYPE_STRING, why.c_str(), nullptr);
  (void)gst_element_post_message(m_element, gst_message_new_element(GST_OBJECT_CAST(m_element), fields));
}

/// What was read is more than any header's word. Where that says nothing, nor do we before the end.
void FilmSource::onRead(Duration length) {
  m_buffering.grow(m_reader->store());
  const std::int64_t known = m_length.load(std::memory_order_relaxed);
  if (known >= 0 && length.count() > known + kLonger.count()) setLength(length);
}

void FilmSource::onStoreEnded() {
  m_buffering.grow(m_reader->store());
}

void FilmSource::onEnd(Duration length) {
  g_signal_emit_by_name(m_element, "read-to-end");
  if (m_broken) onBrokeOff("");  // it went on after a seek
  if (length > Duration::zero()) setLength(length);
}

void FilmSource::setLength(Duration length) {
  if (m_length.exchange(length.count(), std::memory_order_relaxed) == length.count()) return;
  (void)gst_element_post_message(m_element, gst_message_new_duration_changed(GST_OBJECT_CAST(m_element)));
}

void FilmSource::onTags(const Demuxer& film, AVPacket& packet) {
  attachTags(packet, filmTags(film));
}

void FilmSource::addPad(AVMediaType kind, int stream) {
  const char* name = kind == AVMEDIA_TYPE_VIDEO ? "video" : "audio";
  auto pad = std::make_unique<Pad>();
  pad->source = this;
  pad->kind = kind;
  pad->stream.store(stream, std::memory_order_relaxed);
  pad->pad = gst_pad_new_from_template(
      gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(m_element), name), name);
  gst_pad_set_element_private(pad->pad, pad.get());
  gst_pad_set_activatemode_function(pad->pad, onActivate);
  gst_pad_set_event_function(pad->pad, [](GstPad* from, GstObject* parent, GstEvent* event) -> gboolean {
    auto& self = *static_cast<Pad*>(gst_pad_get_element_private(from))->source;
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEEK || GST_EVENT_TYPE(event) == GST_EVENT_SELECT_STREAMS) {
      const EventPtr held(event);
      return GST_EVENT_TYPE(event) == GST_EVENT_SEEK ? self.seek(event) : self.select(event);
    }
    return gst_pad_event_default(from, parent, event);
  });
  gst_pad_set_query_function(pad->pad, [](GstPad* from, GstObject* parent, GstQuery* query) -> gboolean {
    auto& self = *static_cast<Pad*>(gst_pad_get_element_private(from))->source;
    return self.answer(query) ? TRUE : gst_pad_query_default(from, parent, query);
  });
  gst_pad_use_fixed_caps(pad->pad);
  m_reader->store().take(stream, true);
  gst_flow_combiner_add_pad(m_flows, pad->pad);
  (void)gst_pad_set_active(pad->pad, TRUE);
  m_pads.push_back(std::move(pad));
  announce(*m_pads.back());  // so that who links the pad knows what it brings
  (void)gst_element_add_pad(m_element, m_pads.back()->pad);
}

gboolean FilmSource::onActivate(GstPad* pad, GstObject*, GstPadMode, gboolean active) {
  if (active != FALSE) return TRUE;
  return gst_pad_stop_task(pad);
}

GstEvent* FilmSource::numberedLocked(GstEvent* event) const {
  if (m_seqnum != GST_SEQNUM_INVALID) gst_event_set_seqnum(event, m_seqnum);
  return event;
}

void FilmSource::announce(Pad& pad) {
  const int index = pad.stream.load(std::memory_order_relaxed);
  const auto* chosen = pad.announced != index ? m_catalogue.find(index) : nullptr;  // since the last packet
  if (chosen != nullptr) {
    GstEvent* start = gst_event_new_stream_start(chosen->id.c_str());
    gst_event_set_group_id(start, 1);
    (void)gst_pad_push_event(pad.pad, start);
    (void)gst_pad_push_event(pad.pad, gst_event_new_caps(chosen->caps.get()));
    pad.newSegment.store(true, std::memory_order_relaxed);
  }
  if (pad.newSegment.exchange(false, std::memory_order_relaxed)) {
    GstEvent* segment = nullptr;
    {
      const std::lock_guard lock(m_mutex);
      m_segment.duration = static_cast<guint64>(m_length.load(std::memory_order_relaxed));
      pad.begin = static_cast<std::int64_t>(m_segment.start);
      segment = numberedLocked(gst_event_new_segment(&m_segment));
    }
    (void)gst_pad_push_event(pad.pad, segment);
    pad.discont = true;
  }
  if (chosen != nullptr) {
    if (chosen->tags)
      (void)gst_pad_push_event(pad.pad, gst_event_new_tag(gst_tag_list_ref(chosen->tags.get())));
    if (m_tags) (void)gst_pad_push_event(pad.pad, gst_event_new_tag(gst_tag_list_ref(m_tags.get())));
    pad.awaitsKeyframe = pad.announced >= 0 && pad.kind == AVMEDIA_TYPE_VIDEO;
    pad.announced = index;
  }
}

void FilmSource::run(gpointer data) {
  auto& pad = *static_cast<Pad*>(data);
  pad.source->bringNext(pad);
}

void FilmSource::bringNext(Pad& pad) {
  using What = PacketStore::Taken::What;
  const int stream = pad.stream.load(std::memory_order_relaxed);
  PacketStore::Taken taken = m_reader->store().next(
      stream, m_reader->remote() ? std::optional(FilmBuffering::kDryFor) : std::nullopt);
  if (taken.what == What::Starved) {
    m_buffering.starve(m_reader->store());
    return;
  }
  if (taken.what == What::Interrupted) {
    // Another stream was chosen, or a seek comes: that one starts the thread anew.
    if (pad.stream.load(std::memory_order_relaxed) == stream) (void)gst_pad_pause_task(pad.pad);
    return;
  }
  announce(pad);
  switch (taken.what) {
    case What::Packet:
      bring(pad, std::move(taken.packet));
      break;
    case What::Gap:
      (void)gst_pad_push_event(
          pad.pad,
          gst_event_new_gap(static_cast<GstClockTime>(std::max<std::int64_t>(0, taken.until.count())),
                            GST_CLOCK_TIME_NONE));
      break;
    default: {
      GstEvent* end = nullptr;
      {
        const std::lock_guard lock(m_mutex);
        end = numberedLocked(gst_event_new_eos());
      }
      (void)gst_pad_push_event(pad.pad, end);
      (void)gst_pad_pause_task(pad.pad);
      break;
    }
  }
}

void FilmSource::bring(Pad& pad, PacketPtr packet) {
  const bool key = (packet->flags & AV_PKT_FLAG_KEY) != 0;
  pad.awaitsKeyframe = pad.awaitsKeyframe && !key;
  const bool unheard = pad.kind == AVMEDIA_TYPE_AUDIO && packet->pts != AV_NOPTS_VALUE &&
                       packet->pts + packet->duration + kSoundBefore.count() < pad.begin;
  if (TagListPtr tags = tagsOf(*packet)) (void)gst_pad_push_event(pad.pad, gst_event_new_tag(tags.release()));
  if (pad.awaitsKeyframe || unheard) return;
  if (pad.silent.load(std::memory_order_relaxed)) {
    const auto at = static_cast<GstClockTime>(std::max<std::int64_t>(0, packet->dts));
    (void)gst_pad_push_event(pad.pad, gst_event_new_gap(at, static_cast<GstClockTime>(packet->duration)));
    return;
  }
  BufferPtr buffer = bufferOf(std::move(packet));
  if (std::exchange(pad.discont, false)) GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT);
  finish(pad, gst_pad_push(pad.pad, buffer.release()));
}

void FilmSource::finish(Pad& pad, GstFlowReturn flow) {
  if (flow == GST_FLOW_OK) return;  // the pad itself has noted it for the combiner
  GstFlowReturn all = flow;
  {
    const std::lock_guard lock(m_mutex);
    all = gst_flow_combiner_update_pad_flow(m_flows, pad.pad, flow);
  }
  (void)gst_pad_pause_task(pad.pad);
  // What nobody wants must not fill the store.
  if (flow == GST_FLOW_NOT_LINKED) m_reader->store().leave(pad.stream.load(std::memory_order_relaxed));
  if (all == GST_FLOW_OK || all == GST_FLOW_FLUSHING || all == GST_FLOW_EOS) return;
  GST_ELEMENT_FLOW_ERROR(m_element, all);
  (void)gst_pad_push_event(pad.pad, gst_event_new_eos());
}

bool FilmSource::seek(GstEvent* event) {
  gdouble rate = 1;
  GstFormat format{};
  GstSeekFlags flags{};
  GstSeekType startType{};
  GstSeekType stopType{};
  gint64 start = 0;
  gint64 stop = 0;
  gst_event_parse_seek(event, &rate, &format, &flags, &startType, &start, &stopType, &stop);
  const bool possible = rate > 0 && format == GST_FORMAT_TIME && (flags & GST_SEEK_FLAG_FLUSH) != 0;
  // acquire: the streams and the pads are there.
  if (!possible || !m_opened.load(std::memory_order_acquire) || !m_seekable.load(std::memory_order_relaxed))
    return false;
  const guint32 seqnum = gst_event_get_seqnum(event);
  const std::lock_guard lock(m_mutex);
  if (seqnum == m_seqnum) return true;  // the same, from another sink
  m_seqnum = seqnum;
  m_segment.duration = GST_CLOCK_TIME_NONE;  // else nothing beyond it is sought, and it may be a guess
  (void)gst_segment_do_seek(&m_segment, rate, format, flags, startType, static_cast<guint64>(start), stopType,
                            static_cast<guint64>(stop), nullptr);
  for (const auto& pad : m_pads)
    (void)gst_pad_push_event(pad->pad, numberedLocked(gst_event_new_flush_start()));
  m_subtitles->countSeek();
  m_reader->seek(
      {Duration(static_cast<std::int64_t>(m_segment.position)), (flags & GST_SEEK_FLAG_KEY_UNIT) != 0});
  return true;
}

void FilmSource::onSeeking() {
  // Waits for the pads' threads, whose pushes are refused and whose waits are over.
  for (const auto& pad : m_pads) (void)gst_pad_pause_task(pad->pad);
}

void FilmSource::onSought(Duration start) {
  const std::lock_guard lock(m_mutex);
  if (m_reader->seekWaits()) return;
  m_segment.start = m_segment.time = m_segment.position = static_cast<guint64>(start.count());
  gst_flow_combiner_reset(m_flows);
  m_subtitles->countSeek();
  for (const auto& pad : m_pads) {
    (void)gst_pad_push_event(pad->pad, numberedLocked(gst_event_new_flush_stop(TRUE)));
    pad->newSegment.store(true, std::memory_order_relaxed);
    (void)gst_pad_start_task(pad->pad, run, pad.get(), nullptr);
  }
}

bool FilmSource::isChosen(const char* id) const {
  for (const auto& pad : m_pads) {
    const auto* stream = m_catalogue.find(pad->stream.load(std::memory_order_relaxed));
    if (stream != nullptr && !pad->silent.load(std::memory_order_relaxed) && stream->id == id) return true;
  }
  const auto subtitles = m_subtitles->chosen(SubtitleFeed::Place::Main);
  return subtitles && subtitles->id == id;
}

bool FilmSource::select(GstEvent* event) {
  if (!m_opened.load(std::memory_order_acquire)) return false;  // acquire: the streams and the pads are there
  GList* ids = nullptr;
  gst_event_parse_select_streams(event, &ids);
  for (const auto& pad : m_pads) {
    const auto* chosen = m_catalogue.named(pad->kind, ids);
    pad->silent.store(chosen == nullptr, std::memory_order_relaxed);
    const int before = pad->stream.load(std::memory_order_relaxed);
    if (chosen == nullptr || chosen->index == before) continue;
    pad->stream.store(chosen->index, std::memory_order_relaxed);
    m_reader->store().take(chosen->index, true);
    m_reader->store().leave(before);
  }
  std::string subtitles;
  for (GList* id = ids; id != nullptr; id = id->next)
    if (m_subtitles->has(static_cast<const char*>(id->data))) subtitles = static_cast<const char*>(id->data);
  m_subtitles->choose(SubtitleFeed::Place::Main, subtitles);
  g_list_free_full(ids, g_free);
  m_catalogue.postChosen([this](const char* id) { return isChosen(id); });
  return true;
}

bool FilmSource::answer(GstQuery* query) {
  const gint64 length = m_length.load(std::memory_order_relaxed);
  const bool seekable = m_seekable.load(std::memory_order_relaxed);
  GstFormat format{};
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_DURATION:
      gst_query_parse_duration(query, &format, nullptr);
      if (format != GST_FORMAT_TIME || length < 0) return false;
      gst_query_set_duration(query, GST_FORMAT_TIME, length);
      return true;
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking(query, &format, nullptr, nullptr, nullptr);
      if (format != GST_FORMAT_TIME) return false;
      gst_query_set_seeking(query, GST_FORMAT_TIME, seekable ? TRUE : FALSE, 0, length);
      return true;
    default:
      return false;
  }
}

}  // namespace tactus::plugins::av
