// SPDX-License-Identifier: Apache-2.0
#include "media/stage/film_tap.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "plugins/due_instant.h"

namespace tactus::media {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr periodic::Duration kLongestWait = std::chrono::milliseconds(500);  // EventDescriptor's is a second

}  // namespace

void FilmTap::add(Taker& taker) {
  const std::lock_guard lock(m_mutex);
  m_takers.push_back(&taker);
  m_listening.fetch_add(1, kRelaxed);
}

void FilmTap::remove(Taker& taker) {
  const std::lock_guard lock(m_mutex);
  m_listening.fetch_sub(1, kRelaxed);
  std::erase(m_takers, &taker);
}

void FilmTap::shown() noexcept {
  if (m_listening.load(kRelaxed) == 0) return;
  const std::lock_guard lock(m_mutex);
  for (Taker* taker : m_takers) {
    if (taker->m_what != Taker::Of::Pictures) continue;
    taker->m_news.store(true, std::memory_order_release);
    taker->m_wake.signal();
  }
}

void FilmTap::give(const Sound& sound) noexcept {
  const std::lock_guard lock(m_mutex);
  for (Taker* taker : m_takers)
    if (taker->m_what == Taker::Of::Sound) taker->put(sound);
}

/// What has not been heard will not be.
void FilmTap::forget() noexcept {
  const std::lock_guard lock(m_mutex);
  for (Taker* taker : m_takers)
    while (taker->m_count > 0) (void)taker->takeFirst();
}

plugins::ShownPicture FilmTap::picture() const {
  plugins::ElementPtr sink;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_videoSink) return {};
    sink = plugins::share<plugins::ElementPtr>(m_videoSink.get());
  }
  return plugins::shownPicture(sink.get());
}

FilmTap::Source::Source(std::shared_ptr<FilmTap> tap, GstElement* videoSink, GstElement* audioSink,
                        periodic::TimeSource& time)
    : m_tap(std::move(tap)),
      m_videoSink(plugins::share<plugins::ElementPtr>(videoSink)),
      m_audioSink(plugins::share<plugins::ElementPtr>(audioSink)),
      m_pad(gst_element_get_static_pad(audioSink, "sink")),
      m_time(time) {
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
  constexpr auto kTypes = static_cast<GstPadProbeType>(
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH);
  m_probe = gst_pad_add_probe(m_pad.get(), kTypes, onSound, this, nullptr);
  const std::lock_guard lock(m_tap->m_mutex);
  m_tap->m_videoSink = plugins::share<plugins::ElementPtr>(videoSink);
}

FilmTap::Source::~Source() {
  gst_pad_remove_probe(m_pad.get(), m_probe);
  plugins::ElementPtr gone;
  const std::lock_guard lock(m_tap->m_mutex);
  // The next film may be open already.
  if (m_tap->m_videoSink.get() == m_videoSink.get()) std::swap(gone, m_tap->m_videoSink);
}

GstPadProbeReturn FilmTap::Source::onSound(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<Source*>(data);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    self.take(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  } else if (GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info); GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment(event, &self.m_segment);
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    self.m_tap->forget();
  }
  return GST_PAD_PROBE_OK;
}

void FilmTap::Source::take(GstPad* pad, GstBuffer* buffer) {
  if (m_tap->m_listening.load(kRelaxed) == 0 || GST_STATE(m_audioSink.get()) != GST_STATE_PLAYING) return;
  const auto running = plugins::runningTimeOf(m_segment, buffer);
  const auto due = running ? plugins::dueInstant(m_audioSink.get(), *running, m_time) : std::nullopt;
  if (!due) return;
  m_tap->give(
      {plugins::BufferPtr(gst_buffer_ref(buffer)), plugins::CapsPtr(gst_pad_get_current_caps(pad)), *due});
}

FilmTap::Taker::Taker(std::shared_ptr<FilmTap> tap, Of what) : m_tap(std::move(tap)), m_what(what) {
  m_tap->add(*this);
}

FilmTap::Taker::~Taker() {
  m_tap->remove(*this);
}

void FilmTap::Taker::stop() noexcept {
  m_stopped.store(true, std::memory_order_release);
  m_wake.signal();
}

plugins::ShownPicture FilmTap::Taker::picture(periodic::Duration longest) {
  const periodic::TimePoint end = periodic::MonotonicClock::now() + longest;
  while (!stopped() && !m_news.exchange(false, std::memory_order_acq_rel)) {
    const periodic::Duration left = end - periodic::MonotonicClock::now();
    if (left <= periodic::Duration::zero()) break;
    m_wake.wait(std::min(left, kLongestWait));
  }
  return stopped() ? plugins::ShownPicture{} : m_tap->picture();
}

FilmTap::Sound FilmTap::Taker::sound(periodic::Duration longest) {
  const periodic::TimePoint end = periodic::MonotonicClock::now() + longest;
  Sound sound;
  while (!stopped()) {
    const periodic::TimePoint now = periodic::MonotonicClock::now();
    periodic::TimePoint next = end;
    if (takeDue(now, sound, next) || now >= end) break;
    m_wake.wait(std::min(next - now, kLongestWait));
  }
  return sound;
}

/// The oldest goes where nobody takes. With the tap's lock.
void FilmTap::Taker::put(const Sound& sound) noexcept {
  if (m_count == kMost) (void)takeFirst();
  Sound& place = m_sounds[(m_first + m_count) % kMost];
  place.samples.reset(gst_buffer_ref(sound.samples.get()));
  place.format.reset(gst_caps_ref(sound.format.get()));
  place.due = sound.due;
  ++m_count;
  if (m_count == 1) m_wake.signal();
}

/// With the tap's lock; there is one.
FilmTap::Sound FilmTap::Taker::takeFirst() noexcept {
  Sound& first = m_sounds[m_first];
  m_first = (m_first + 1) % kMost;
  --m_count;
  return std::move(first);
}

/// False: the next one is due at `next`, if that is earlier.
bool FilmTap::Taker::takeDue(periodic::TimePoint now, Sound& sound, periodic::TimePoint& next) {
  const std::lock_guard lock(m_tap->m_mutex);
  if (m_count == 0) return false;
  if (m_sounds[m_first].due > now) {
    next = std::min(next, m_sounds[m_first].due);
    return false;
  }
  sound = takeFirst();
  return true;
}

}  // namespace tactus::media
