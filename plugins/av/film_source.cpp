// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_source.h"

#include <utility>

namespace tactus::plugins::av {

using periodic::Duration;

FilmSource::FilmSource(GstElement* element) : m_element(element), m_flows(gst_flow_combiner_new()) {
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
}

FilmSource::~FilmSource() {
  gst_flow_combiner_free(m_flows);
}

FilmSource::FilmPtr FilmSource::makeLocked(const std::string& path, Duration patience) {
  Owner& owner = *this;
  auto made = std::make_shared<SourceFilm>(m_element, ++m_films, path, patience, m_subtitles, m_hooks, owner);
  made->setSpeed(m_segment.rate);
  return made;
}

FilmSource::FilmPtr FilmSource::film() const {
  const std::lock_guard lock(m_mutex);
  return m_film;
}

void FilmSource::start(const std::string& path, Duration patience) {
  FilmPtr film;
  {
    const std::lock_guard lock(m_mutex);
    film = m_film = makeLocked(path, patience);
  }
  film->present();
  film->start();
}

void FilmSource::halt() {
  m_subtitles->close();
  std::vector<FilmPtr> films;
  {
    const std::lock_guard lock(m_mutex);
    films = {m_film, m_past, std::exchange(m_next, nullptr)};
    m_halted = true;
  }
  m_changed.signal();
  for (const FilmPtr& film : films)
    if (film) film->stop();
}

void FilmSource::stop() {
  for (const auto& pad : m_pads) {
    gst_flow_combiner_remove_pad(m_flows, pad->pad);
    gst_element_remove_pad(m_element, pad->pad);
  }
  m_pads.clear();
  FilmPtr film;
  FilmPtr next;
  FilmPtr past;
  const std::lock_guard lock(m_mutex);
  film.swap(m_film);
  next.swap(m_next);
  past.swap(m_past);
  m_films = 0;
  m_seeking = m_halted = m_answered = false;
  m_joint = Joint::Undecided;
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
  m_seqnum = GST_SEQNUM_INVALID;
}

void FilmSource::addSubtitles(SubtitleFile file, bool chosen) {
  const FilmPtr present = film();
  m_subtitles->add(std::move(file), present ? present->catalogue().prefix() : "tactus", chosen);
  if (present) present->postStreams();
}

/// A film that follows has the same pads.
void FilmSource::onOpened(SourceFilm& film) {
  const FilmPtr present = this->film();
  if (&film != present.get()) {
    for (const auto& pad : m_pads)
      if (!pad->unwanted.load(std::memory_order_relaxed) && film.playing(pad->kind) >= 0)
        film.store().take(film.playing(pad->kind), true);
    return;
  }
  m_subtitles->open(film.takeSubtitles());
  for (const AVMediaType kind : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO})
    if (film.playing(kind) >= 0) addPad(kind, present);
  gst_element_no_more_pads(m_element);
}

void FilmSource::onReady(SourceFilm& film) {
  if (&film != this->film().get()) return m_changed.signal();
  if (beginsElsewhere(film)) return;
  for (const auto& pad : m_pads) (void)gst_pad_start_task(pad->pad, run, pad.get(), nullptr);
}

bool FilmSource::beginsElsewhere(SourceFilm& film) {
  const std::lock_guard order(m_flushing);
  {
    const std::lock_guard lock(m_mutex);
    if (m_seeking) return true;  // somebody was quicker
    if (m_begin <= Duration::zero() || !film.seekable()) return false;
    m_seeking = true;
  }
  film.seek({m_begin, false});
  return true;
}

void FilmSource::askWhatFollows() {
  const std::lock_guard lock(m_mutex);
  m_asks = true;
}

bool FilmSource::follow(const std::string& path, Duration patience, std::vector<SubtitleFile> files) {
  FilmPtr next;
  FilmPtr dropped;
  {
    const std::lock_guard lock(m_mutex);
    const bool known = m_next && m_next->path() == path;
    if (!m_film || !m_film->opened() || m_joint == Joint::Open) return known;
    m_answered = true;
    if (!known) {
      if (!path.empty()) next = makeLocked(path, patience);
      dropped = std::exchange(m_next, next);
      m_nextFiles = std::move(files);
    }
  }
  m_changed.signal();
  if (dropped) dropped->stop();
  if (next) next->start();
  return true;
}

bool FilmSource::goOn() {
  const std::lock_guard lock(m_mutex);
  if (m_joint != Joint::Open || m_seeking) return false;
  m_past = std::exchange(m_film, std::exchange(m_next, nullptr));
  m_segment = m_nextSegment;
  m_answered = false;
  m_joint = Joint::Undecided;
  m_subtitles->change(m_film->takeSubtitles());
  bool first = true;
  for (auto& file : std::exchange(m_nextFiles, {}))
    m_subtitles->add(std::move(file), m_film->catalogue().prefix(), std::exchange(first, false));
  return true;
}

void FilmSource::closePast() {
  FilmPtr past;
  FilmPtr present;
  {
    const std::lock_guard lock(m_mutex);
    past = std::exchange(m_past, nullptr);
    present = m_film;
  }
  if (!past) return;
  past->stop();
  present->present();
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
  const guint32 seqnum = gst_event_get_seqnum(event);
  const std::lock_guard order(m_flushing);
  FilmPtr film;
  Duration target{0};
  {
    const std::lock_guard lock(m_mutex);
    if (!possible || !m_film || !m_film->opened() || !m_film->seekable()) return false;
    if (seqnum == m_seqnum) return true;  // the same, from another sink
    m_seqnum = seqnum;
    m_segment.duration = GST_CLOCK_TIME_NONE;  // else nothing beyond it is sought, and it may be a guess
    (void)gst_segment_do_seek(&m_segment, rate, format, flags, startType, static_cast<guint64>(start),
                              stopType, static_cast<guint64>(stop), nullptr);
    target = Duration(static_cast<std::int64_t>(m_segment.position));
    m_seeking = true;
    m_answered = false;
    for (const FilmPtr& each : {m_film, m_next})
      if (each) each->setSpeed(rate);
    if (m_joint == Joint::Open) m_next->store().interrupt();  // pads may wait there already
    film = m_film;
  }
  m_changed.signal();
  for (const auto& pad : m_pads)
    (void)gst_pad_push_event(pad->pad, numbered(gst_event_new_flush_start(), seqnum));
  m_flushed = true;
  m_subtitles->countSeek();
  film->seek({target, (flags & GST_SEEK_FLAG_KEY_UNIT) != 0});
  return true;
}

/// What follows and was begun already is to be opened anew.
void FilmSource::onSeeking(SourceFilm&) {
  // Waits for the pads' threads, whose pushes are refused and whose waits are over.
  for (const auto& pad : m_pads) (void)gst_pad_pause_task(pad->pad);
  FilmPtr begun;
  {
    const std::lock_guard lock(m_mutex);
    if (m_joint == Joint::Open) begun = std::exchange(m_next, nullptr);
    m_joint = Joint::Undecided;
    for (const auto& pad : m_pads) {
      if (pad->film != m_film) pad->announced = -1;
      pad->film = m_film;
    }
  }
  if (begun) begun->stop();
}

void FilmSource::onSought(SourceFilm& film, Duration start) {
  const std::lock_guard order(m_flushing);
  guint32 seqnum = GST_SEQNUM_INVALID;
  {
    const std::lock_guard lock(m_mutex);
    if (film.seekWaits()) return;
    m_segment.start = m_segment.time = m_segment.position = static_cast<guint64>(start.count());
    m_segment.base = 0;
    gst_flow_combiner_reset(m_flows);
    seqnum = m_seqnum;
    m_seeking = false;
  }
  m_subtitles->countSeek();
  const bool flushed = std::exchange(m_flushed, false);
  for (const auto& pad : m_pads) {
    if (flushed) (void)gst_pad_push_event(pad->pad, numbered(gst_event_new_flush_stop(TRUE), seqnum));
    pad->newSegment.store(true, std::memory_order_relaxed);
    (void)gst_pad_start_task(pad->pad, run, pad.get(), nullptr);
  }
}

bool FilmSource::select(GstEvent* event) {
  const FilmPtr film = this->film();
  if (!film || !film->opened()) return false;
  GList* ids = nullptr;
  gst_event_parse_select_streams(event, &ids);
  for (const auto& pad : m_pads) {
    const auto* chosen = film->catalogue().named(pad->kind, ids);
    film->setSilent(pad->kind, chosen == nullptr);
    const int before = film->playing(pad->kind);
    if (chosen == nullptr || chosen->index == before) continue;
    film->setPlaying(pad->kind, chosen->index);
    film->store().take(chosen->index, true);
    film->store().leave(before);
  }
  std::string subtitles;
  for (GList* id = ids; id != nullptr; id = id->next)
    if (m_subtitles->has(static_cast<const char*>(id->data))) subtitles = static_cast<const char*>(id->data);
  m_subtitles->choose(SubtitleFeed::Place::Main, subtitles);
  g_list_free_full(ids, g_free);
  film->postChosen();
  return true;
}

bool FilmSource::answer(GstQuery* query) {
  const FilmPtr film = this->film();
  const gint64 length = film ? film->length() : -1;
  const bool seekable = film && film->seekable();
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
