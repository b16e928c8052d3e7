// SPDX-License-Identifier: Apache-2.0
// The pads of FilmSource, and their threads.
#include <algorithm>
#include <optional>
#include <utility>

#include "plugins/av/film_source.h"
#include "plugins/av/packet_format.h"

namespace tactus::plugins::av {
namespace {

using periodic::Duration;

/// Sound that ends so long before an exact seek's target is not decoded; what is nearer prepares its decoder.
constexpr Duration kSoundBefore = std::chrono::milliseconds(200);
/// A stream that ends so much earlier than the others is not drawn together with what follows it: that begins
/// in its time. Less is no more than stamps are rounded by.
constexpr Duration kDrawnTogether = std::chrono::milliseconds(20);

constexpr Duration kLongestWait = std::chrono::milliseconds(500);  // each wait looks again at least so often

}  // namespace

void FilmSource::addPad(AVMediaType kind, const FilmPtr& film) {
  const char* name = kind == AVMEDIA_TYPE_VIDEO ? "video" : "audio";
  auto pad = std::make_unique<Pad>();
  pad->source = this;
  pad->kind = kind;
  pad->film = film;
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
  film->store().take(film->playing(kind), true);
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

GstEvent* FilmSource::numbered(GstEvent* event, guint32 seqnum) {
  if (seqnum != GST_SEQNUM_INVALID) gst_event_set_seqnum(event, seqnum);
  return event;
}

void FilmSource::announce(Pad& pad) {
  SourceFilm& film = *pad.film;
  const int index = film.playing(pad.kind);
  const auto* chosen =
      pad.announced != index ? film.catalogue().find(index) : nullptr;  // since the last packet
  if (chosen != nullptr) {
    GstEvent* start = gst_event_new_stream_start(chosen->id.c_str());
    gst_event_set_group_id(start, film.number());
    (void)gst_pad_push_event(pad.pad, start);
    (void)gst_pad_push_event(pad.pad, gst_event_new_caps(chosen->caps.get()));
    pad.newSegment.store(true, std::memory_order_relaxed);
  }
  if (pad.newSegment.exchange(false, std::memory_order_relaxed)) {
    GstEvent* segment = nullptr;
    {
      const std::lock_guard lock(m_mutex);
      GstSegment& its = &film == m_next.get() ? m_nextSegment : m_segment;
      its.duration = static_cast<guint64>(film.length());
      pad.begin = static_cast<std::int64_t>(its.start);
      segment = numbered(gst_event_new_segment(&its), m_seqnum);
    }
    (void)gst_pad_push_event(pad.pad, segment);
    pad.discont = !std::exchange(pad.goesOn, false);
  }
  if (chosen != nullptr) {
    if (chosen->tags)
      (void)gst_pad_push_event(pad.pad, gst_event_new_tag(gst_tag_list_ref(chosen->tags.get())));
    if (GstTagList* tags = film.tags())
      (void)gst_pad_push_event(pad.pad, gst_event_new_tag(gst_tag_list_ref(tags)));
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
  SourceFilm& film = *pad.film;
  const int stream = film.playing(pad.kind);
  PacketStore::Taken taken =
      film.store().next(stream, film.remote() ? std::optional(FilmBuffering::kDryFor) : std::nullopt);
  if (taken.what == What::Starved) {
    film.starve();
    return;
  }
  if (taken.what == What::Interrupted) {
    // Another stream was chosen, or a seek comes: that one starts the thread anew.
    if (film.playing(pad.kind) == stream) (void)gst_pad_pause_task(pad.pad);
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
    default:
      if (!goOnWith(pad)) end(pad);
      break;
  }
}

/// At a film's end: the pad goes on with the film that follows; false if none does.
bool FilmSource::goOnWith(Pad& pad) {
  if (!awaitNext(pad)) return false;
  const std::lock_guard lock(m_mutex);
  if (pad.film != m_film || m_seeking) return false;
  if (m_joint == Joint::Undecided) decideLocked();
  if (m_joint != Joint::Open) return false;
  pad.goesOn = m_end - m_film->store().end(m_film->playing(pad.kind)) < kDrawnTogether;
  pad.film = m_next;
  pad.announced = -1;
  return true;
}

/// What is read is ahead of what is shown: there is time to open what follows.
bool FilmSource::awaitNext(const Pad& pad) {
  for (;;) {
    {
      const std::lock_guard lock(m_mutex);
      if (pad.film != m_film || m_film->broken() || m_seeking || m_halted) return false;
      if (m_joint != Joint::Undecided) return true;
      const bool answered = m_answered || !m_asks;
      if (answered && (!m_next || m_next->opened() || m_next->refused())) return true;
      m_changed.clear();
    }
    m_changed.wait(kLongestWait);
  }
}

/// Whether what follows goes on here, and where: behind the end of all that is seen and heard.
void FilmSource::decideLocked() {
  m_joint = Joint::Closed;
  if (!m_next || !m_next->opened()) return;
  m_end = Duration{0};
  for (const AVMediaType kind : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO}) {
    const auto pad =
        std::find_if(m_pads.begin(), m_pads.end(), [=](const auto& entry) { return entry->kind == kind; });
    if ((pad != m_pads.end()) != (m_next->playing(kind) >= 0)) return;
    if (pad == m_pads.end() || (*pad)->unwanted.load(std::memory_order_relaxed)) continue;
    m_end = std::max(m_end, m_film->store().end(m_film->playing(kind)));
  }
  const guint64 base =
      gst_segment_to_running_time(&m_segment, GST_FORMAT_TIME, static_cast<guint64>(m_end.count()));
  if (!GST_CLOCK_TIME_IS_VALID(base)) return;
  gst_segment_init(&m_nextSegment, GST_FORMAT_TIME);
  m_nextSegment.rate = m_segment.rate;
  m_nextSegment.flags = m_segment.flags;
  m_nextSegment.base = base;
  m_joint = Joint::Open;
}

void FilmSource::end(Pad& pad) {
  GstEvent* end = nullptr;
  {
    const std::lock_guard lock(m_mutex);
    end = numbered(gst_event_new_eos(), m_seqnum);
  }
  (void)gst_pad_push_event(pad.pad, end);
  (void)gst_pad_pause_task(pad.pad);
}

void FilmSource::bring(Pad& pad, PacketPtr packet) {
  const bool key = (packet->flags & AV_PKT_FLAG_KEY) != 0;
  pad.awaitsKeyframe = pad.awaitsKeyframe && !key;
  const bool unheard = pad.kind == AVMEDIA_TYPE_AUDIO && packet->pts != AV_NOPTS_VALUE &&
                       packet->pts + packet->duration + kSoundBefore.count() < pad.begin;
  if (TagListPtr tags = tagsOf(*packet)) (void)gst_pad_push_event(pad.pad, gst_event_new_tag(tags.release()));
  if (pad.awaitsKeyframe || unheard) return;
  if (pad.film->silent(pad.kind)) {
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
  if (flow == GST_FLOW_NOT_LINKED) {  // what nobody wants must not fill the store
    pad.unwanted.store(true, std::memory_order_relaxed);
    pad.film->store().leave(pad.film->playing(pad.kind));
  }
  if (all == GST_FLOW_OK || all == GST_FLOW_FLUSHING || all == GST_FLOW_EOS) return;
  GST_ELEMENT_FLOW_ERROR(m_element, all);
  (void)gst_pad_push_event(pad.pad, gst_event_new_eos());
}

}  // namespace tactus::plugins::av
