// SPDX-License-Identifier: Apache-2.0
#include "media/playback/transport.h"

#include <algorithm>
#include <utility>

namespace tactus::media {

using Wish = PlaybackState::Wish;
using Drive = PlaybackState::Drive;

namespace {

constexpr double kUnknownRate = 25;

}  // namespace

template <typename Change>
auto Transport::changeLocked(Change change) {
  const PlayState before = m_state.shown();
  const auto result = change(m_state);
  if (const PlayState now = m_state.shown(); now != before)
    m_announcements.add([now](PlayerListener& to) { to.onState(now); });
  return result;
}

void Transport::drive(Pipeline& pipeline, const Drive& drive, double speed) {
  if (drive.rewind) (void)pipeline.seek(speed, Duration{0}, SeekMode::Fast);
  if (drive.to) pipeline.setState(*drive.to == Wish::Play ? GST_STATE_PLAYING : GST_STATE_PAUSED);
}

std::shared_ptr<Pipeline> Transport::current() const {
  const std::lock_guard lock(m_mutex);
  return m_pipeline;
}

std::shared_ptr<Pipeline> Transport::waitForPipeline() {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [this] { return m_quit || m_pipeline; });
  return m_quit ? nullptr : m_pipeline;
}

void Transport::quit() {
  {
    const std::lock_guard lock(m_mutex);
    m_quit = true;
  }
  m_changed.notify_all();
}

void Transport::open(const Control&, Wish wish, Duration at) {
  const std::lock_guard lock(m_mutex);
  m_state.open(wish);
  m_seeks.clear();
  if (at > Duration::zero()) (void)m_seeks.request({at, SeekMode::Exact});
  m_speed = 1;
}

bool Transport::start(const Control&, std::shared_ptr<Pipeline> pipeline) {
  Drive first;
  {
    const std::lock_guard lock(m_mutex);
    m_pipeline = pipeline;
    // One that begins there by itself shows nothing else before, but it begins at normal speed.
    if (m_speed == 1 && m_seeks.startsElsewhere() && pipeline->beginAt(*m_seeks.heading()))
      m_seeks.beginsThere();
    first = changeLocked([&](PlaybackState& state) { return state.start(m_seeks.startsElsewhere()); });
  }
  m_changed.notify_all();
  // Straight to PLAYING spares a round trip through the bus thread before the first picture moves. A failed
  // change of state is told by an error message on the bus.
  return pipeline->setState(first.to == Wish::Play ? GST_STATE_PLAYING : GST_STATE_PAUSED) ==
         GST_STATE_CHANGE_NO_PREROLL;
}

void Transport::follow(const Control&, std::shared_ptr<Pipeline> next) {
  std::shared_ptr<Pipeline> ended;
  Drive first;
  {
    const std::lock_guard lock(m_mutex);
    ended = std::exchange(m_pipeline, next);
    m_seeks.clear();
    if (m_speed != 1) (void)m_seeks.request({});  // a seek brings the speed along
    first = changeLocked([&](PlaybackState& state) { return state.follow(m_seeks.startsElsewhere()); });
  }
  m_changed.notify_all();
  if (ended) ended->setState(GST_STATE_NULL);
  drive(*next, first, 1);
}

std::shared_ptr<Pipeline> Transport::release(const Control&, Duration at) {
  const std::lock_guard lock(m_mutex);
  m_seeks.reopen(at);
  return std::move(m_pipeline);
}

std::shared_ptr<Pipeline> Transport::stop(const Control&) {
  const std::lock_guard lock(m_mutex);
  m_state.stop();  // not announced: the user did it
  return std::move(m_pipeline);
}

template <typename Change>
void Transport::changeAndDrive(Change change) {
  const Control held = control();
  std::shared_ptr<Pipeline> pipeline;
  Drive wanted;
  double speed = 1;
  {
    const std::lock_guard lock(m_mutex);
    pipeline = m_pipeline;
    speed = m_speed;
    wanted = changeLocked(change);
  }
  if (pipeline) drive(*pipeline, wanted, speed);
}

void Transport::want(Wish wish) {
  changeAndDrive([&](PlaybackState& state) { return state.want(wish, m_seeks.startsElsewhere()); });
}

void Transport::permit(bool permitted) {
  changeAndDrive([&](PlaybackState& state) { return state.permit(permitted); });
}

void Transport::toggle() {
  bool playing = false;
  {
    const std::lock_guard lock(m_mutex);
    playing = m_state.wish() == Wish::Play && m_state.shown() != PlayState::Ended;
  }
  want(playing ? Wish::Pause : Wish::Play);
}

/// Where the film ends its reader knows better than its header.
void Transport::seek(SeekQueue::Seek seek) {
  const Control held = control();
  {
    const std::lock_guard lock(m_mutex);
    if (!m_pipeline) return;
    seek.position = std::max(seek.position, Duration{0});
    if (!m_seeks.request(seek)) return;
  }
  issueSeek(held);
}

void Transport::issueSeek(const Control&) {
  std::shared_ptr<Pipeline> pipeline;
  std::optional<SeekQueue::Seek> seek;
  double speed = 1;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_pipeline) return;
    seek = m_seeks.next();
    if (!seek) return;
    pipeline = m_pipeline;
    speed = m_speed;
    changeLocked([](PlaybackState& state) {
      state.seekBegins();
      return true;
    });
  }
  if (pipeline->seek(speed, seek->position, seek->mode)) return;
  const std::lock_guard lock(m_mutex);
  m_seeks.refused();
}

void Transport::seekBy(Duration offset, SeekMode mode, std::optional<Duration> duration) {
  seek({position(duration) + offset, mode});
}

void Transport::setSpeed(double speed, std::optional<Duration> duration) {
  const Duration at = position(duration);
  {
    const std::lock_guard lock(m_mutex);
    if (speed == std::exchange(m_speed, speed)) return;
  }
  seek({at, SeekMode::Exact});
}

void Transport::stepForward() {
  want(Wish::Pause);
  const Control held = control();
  if (const auto pipeline = current())
    gst_element_send_event(pipeline->videoSink(),
                           gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1.0, TRUE, FALSE));
}

void Transport::stepBackward() {
  want(Wish::Pause);
  const auto pipeline = current();
  if (!pipeline) return;
  const double rate = pipeline->nominalRate() > 0 ? pipeline->nominalRate() : kUnknownRate;
  const Duration picture = periodic::fromSeconds(1 / rate);
  const std::int64_t end = pipeline->lastShownEnd();
  if (end < 0) return;
  // Into the middle of the picture before, so that rounding cannot land on this one.
  seek({Duration(end) - picture - picture / 2, SeekMode::Exact});
}

void Transport::onPrerolled(const std::shared_ptr<Pipeline>& from) {
  const Control held = control();
  Drive next;
  bool seekFollows = false;
  {
    const std::lock_guard lock(m_mutex);
    if (from != m_pipeline) return;
    // A pipeline starts at normal speed; a seek brings the speed along.
    if (m_seeks.prerolled() && m_speed != 1 && !m_seeks.waits()) (void)m_seeks.request({});
    seekFollows = m_seeks.waits();
    next = changeLocked([=](PlaybackState& state) { return state.prerolled(seekFollows); });
  }
  if (seekFollows) issueSeek(held);
  drive(*from, next, 1);
}

void Transport::onFilled(const std::shared_ptr<Pipeline>& from, int percent) {
  const Control held = control();
  Drive next;
  {
    const std::lock_guard lock(m_mutex);
    if (from != m_pipeline) return;
    next = changeLocked([=](PlaybackState& state) { return state.filled(percent); });
  }
  drive(*from, next, 1);
}

void Transport::onPlaying(const std::shared_ptr<Pipeline>& from) {
  const std::lock_guard lock(m_mutex);
  // The word may be from before a seek, after which nothing has its time until there is another first
  // picture.
  if (from != m_pipeline || m_seeks.underWay()) return;
  if (changeLocked([](PlaybackState& state) { return state.reachedPlaying(); })) from->setPlaying(true);
}

void Transport::onClockLost(const std::shared_ptr<Pipeline>& from) {
  const Control held = control();
  if (GST_STATE(from->element()) != GST_STATE_PLAYING) return;
  from->setState(GST_STATE_PAUSED);
  from->setState(GST_STATE_PLAYING);
}

bool Transport::onEnded(const std::shared_ptr<Pipeline>& from) {
  const std::lock_guard lock(m_mutex);
  if (from != m_pipeline) return false;
  return changeLocked([](PlaybackState& state) {
    state.end();
    return true;
  });
}

bool Transport::onFailed(const std::shared_ptr<Pipeline>& from) {
  const std::lock_guard lock(m_mutex);
  if (m_pipeline && from != m_pipeline) return false;  // none: another engine could not even be made
  if (m_state.shown() == PlayState::Failed || m_state.shown() == PlayState::Idle) return false;
  return changeLocked([](PlaybackState& state) {
    state.fail();
    return true;
  });
}

PlayState Transport::state() const {
  const std::lock_guard lock(m_mutex);
  return m_state.shown();
}

double Transport::speed() const {
  const std::lock_guard lock(m_mutex);
  return m_speed;
}

bool Transport::opened() const {
  const std::lock_guard lock(m_mutex);
  return m_seeks.opened();
}

Duration Transport::position(std::optional<Duration> duration) const {
  std::shared_ptr<Pipeline> pipeline;
  {
    const std::lock_guard lock(m_mutex);
    if (const auto heading = m_seeks.heading()) return *heading;
    if (m_state.shown() == PlayState::Ended && duration) return *duration;
    pipeline = m_pipeline;
  }
  gint64 position = 0;
  if (!pipeline || gst_element_query_position(pipeline->element(), GST_FORMAT_TIME, &position) == FALSE)
    return Duration{0};
  return Duration(std::max<gint64>(0, position));
}

}  // namespace tactus::media
