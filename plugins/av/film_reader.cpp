// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_reader.h"

#include <pthread.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "plugins/av/http_source.h"
#include "plugins/av/stream_bytes.h"

namespace tactus::plugins::av {
namespace {

using periodic::Duration;
using namespace std::chrono_literals;

constexpr int kMostUntilKeyframe = 5000;  // packets read to find the keyframe that a seek went to
constexpr Duration kLongestWait = 500ms;
constexpr PacketStore::Bounds kLocal{};
constexpr PacketStore::Bounds kRemote{.ahead = 10s};

}  // namespace

FilmReader::FilmReader(std::string path, Duration patience, Listener& listener)
    : m_path(std::move(path)),
      m_remote(isAddress(m_path) || isStream(m_path)),
      m_patience(patience),
      m_listener(listener),
      m_store(m_remote ? kRemote : kLocal),
      m_pace(m_remote ? kRemote.ahead : kLocal.ahead) {}

void FilmReader::start() {
  m_thread = std::thread([this] { run(); });
}

void FilmReader::stop() {
  if (!m_thread.joinable()) return;
  {
    const std::lock_guard lock(m_mutex);
    m_stop.store(true, std::memory_order_relaxed);  // relaxed: the descriptors wake the thread
    m_cancellation->raise();
  }
  m_store.interrupt();
  m_order.signal();
  m_thread.join();
  m_store.interrupt();  // a seek's end took the first one back
}

void FilmReader::seek(Seek seek) {
  {
    const std::lock_guard lock(m_mutex);
    m_seek = seek;
    if (m_remote) m_cancellation->raise();  // a server may keep the thread waiting
  }
  m_store.interrupt();
  m_order.signal();
}

bool FilmReader::seekWaits() const {
  const std::lock_guard lock(m_mutex);
  return m_seek.has_value();
}

std::optional<FilmReader::Seek> FilmReader::takeSeek() {
  const std::lock_guard lock(m_mutex);
  if (m_seek && !m_stop.load(std::memory_order_relaxed)) m_cancellation->lower();
  return std::exchange(m_seek, std::nullopt);
}

void FilmReader::run() {
  pthread_setname_np(pthread_self(), "tactus-reader");
  m_task = m_listener.onBegin();
  if (m_task) (void)m_task->amend({.lbap = m_lbap});
  if (open()) {
    m_pace.begin(ReadPace::declaredBy(m_film->streams()));
    m_listener.onOpened(*m_film);
    while (!m_stop.load(std::memory_order_relaxed)) {
      if (const auto seek = takeSeek()) {
        doSeek(*seek);
      } else if (m_ended || !m_store.waitForRoom() || !enforce()) {
        m_order.wait(kLongestWait);
      } else {
        m_ended = !readOne();
        if (m_task) m_task->complete(m_due);
      }
    }
  }
  m_listener.onFinish();
  m_task.reset();
}

/// What is read ahead waits for its turn here and not in the task: a seek and the stop end this wait, and so
/// does a thread that has nothing to take. To that the packet is not ahead of its time, whatever was read
/// before: the stream begins anew with it.
bool FilmReader::enforce() {
  if (!m_task) return true;
  followPace();
  if (m_reached < m_target) {  // nobody will see it
    passFreely();
    return true;
  }
  if (!m_store.waitForTurn(m_task->time(), m_task->poll().release)) return false;
  if (m_store.isAwaited()) {
    passFreely();
  } else {
    m_due = m_task->enforce().logicalArrival + m_lbap.rate.offsetOf(m_lbap.workahead);
  }
  return true;
}

void FilmReader::passFreely() {
  if (!m_task) return;
  m_task->reanchor();
  m_due = m_task->pass().logicalArrival + m_lbap.rate.offsetOf(m_lbap.workahead);
}

void FilmReader::followPace() {
  m_pace.setSpeed(m_speed.load(std::memory_order_relaxed));
  if (const auto lbap = m_pace.lbap(); lbap != m_lbap) {
    m_lbap = lbap;
    (void)m_task->amend({.lbap = lbap});  // refused: it holds all the same, without a reservation
  }
}

void FilmReader::note(const AVPacket& packet) {
  const std::int64_t stamp = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
  const AVMediaType kind = m_film->container().streams[packet.stream_index]->codecpar->codec_type;
  const bool main = kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO;
  const bool stamped = stamp != AV_NOPTS_VALUE;
  m_reached = std::max(m_reached, stamped ? Duration(stamp) : m_target);
  m_pace.note(main && stamped ? std::optional(Duration(stamp)) : std::nullopt);
}

bool FilmReader::open() {
  auto source = openSource(m_path, m_patience, m_cancellation);
  if (source.ok()) {
    const bool named = m_remote || m_path.starts_with("fd:");
    const auto name = named ? StreamBytes::nameOf(m_path).value_or(m_path)
                            : std::filesystem::path(m_path).filename().string();
    auto film = Demuxer::open(std::move(source).value(), name, m_cancellation);
    if (film.ok()) {
      m_film = std::move(film).value();
      return true;
    }
    if (!m_stop.load(std::memory_order_relaxed)) m_listener.onRefused(film.error());
    return false;
  }
  m_listener.onRefused(source.error());
  return false;
}

bool FilmReader::readOne() {
  Demuxer::Read read = m_film->read();
  switch (read.outcome) {
    case Demuxer::Outcome::Packet:
      break;
    case Demuxer::Outcome::Cancelled:
      return false;
    case Demuxer::Outcome::BrokeOff:
      m_listener.onBrokeOff(read.problem);
      m_store.end();
      m_listener.onStoreEnded();
      return false;
    case Demuxer::Outcome::End:
      m_listener.onEnd(m_length);
      m_store.end();
      m_listener.onStoreEnded();
      return false;
  }
  const AVPacket& packet = *read.packet;
  m_last = {m_film->isEntry(packet), packet.pts};
  if (packet.pts != AV_NOPTS_VALUE) m_length = std::max(m_length, Duration(packet.pts + packet.duration));
  note(packet);
  m_listener.onRead(m_length);
  if (read.tagsChanged) m_listener.onTags(*m_film, *read.packet);
  m_store.put(read.stream, std::move(read.packet));
  return true;
}

std::optional<Duration> FilmReader::readToKeyframe() {
  for (int i = 0; i < kMostUntilKeyframe && !m_ended && !seekWaits(); ++i) {
    passFreely();
    m_ended = !readOne();
    if (!m_ended && m_last.entry && m_last.pts != AV_NOPTS_VALUE)
      return std::max(Duration{0}, Duration(m_last.pts));
  }
  return std::nullopt;
}

void FilmReader::doSeek(Seek seek) {
  m_listener.onSeeking();
  const bool known = m_film->scan(seek.target, [this] {
    passFreely();
    return m_stop.load(std::memory_order_relaxed) || seekWaits();
  });
  const bool sought = known && m_film->seek(seek.target);
  m_store.flush(seek.target);
  m_ended = false;
  m_last = {};
  m_pace.flush();
  m_reached = kNothing;
  Duration start = seek.target;
  if (sought && seek.toKeyframe) start = readToKeyframe().value_or(start);
  m_target = start;
  m_listener.onSought(start);
}

}  // namespace tactus::plugins::av
