// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/subtitle_feed.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "plugins/av/film_facts.h"
#include "plugins/av/http_source.h"

namespace tactus::plugins::av {
namespace {

using periodic::Duration;
using periodic::MonotonicClock;

constexpr Duration kLongestLookBack = std::chrono::seconds(2);
constexpr Duration kLongestAwaited = std::chrono::milliseconds(500);
constexpr Duration kLooksAgain = std::chrono::milliseconds(1);

std::size_t indexOf(SubtitleFeed::Place place) {
  return static_cast<std::size_t>(place);
}

}  // namespace

SubtitleFeed::StreamPtr SubtitleFeed::chosen(Place place) const {
  const std::lock_guard lock(m_mutex);
  return m_chosen[indexOf(place)];
}

SubtitleFeed::Fonts SubtitleFeed::fonts() const {
  const std::lock_guard lock(m_mutex);
  return m_fonts;
}

PacketPtr SubtitleFeed::poll(const SubtitleStream& stream) {
  const std::lock_guard lock(m_mutex);
  return m_store != nullptr ? m_store->poll(stream.index) : nullptr;
}

void SubtitleFeed::awaitRead(Duration instant) const {
  const std::uint64_t seeks = this->seeks();
  const auto latest = MonotonicClock::now() + kLongestAwaited;
  while (this->seeks() == seeks && MonotonicClock::now() < latest) {
    {
      const std::lock_guard lock(m_mutex);
      if (m_store == nullptr || m_store->hasRead(instant)) return;
    }
    std::this_thread::sleep_for(kLooksAgain);
  }
}

bool SubtitleFeed::lookBack(const SubtitleStream& stream, Duration from, Duration to,
                            const std::function<void(const AVPacket&)>& put) {
  const std::uint64_t seeks = this->seeks();
  std::string path;
  std::shared_ptr<Cancellation> cancellation;
  std::unique_ptr<ByteSource> bytes;
  {
    const std::lock_guard lock(m_mutex);
    path = m_path;
    cancellation = m_cancellation;
    if (m_bytes) bytes = m_bytes->again(cancellation);
  }
  if (path.empty() || !cancellation) return false;
  if (!bytes) {
    auto opened = openSource(path, kLongestLookBack, cancellation);
    if (!opened.ok()) return false;
    bytes = std::move(opened).value();
  }
  auto film = Demuxer::open(std::move(bytes), path, cancellation);
  if (!film.ok() || !film.value()->seek(from)) return false;
  // Pictures say how far reading has come where no line follows.
  film.value()->keepOnly(stream.index, film.value()->best(AVMEDIA_TYPE_VIDEO));
  const auto latest = MonotonicClock::now() + kLongestLookBack;
  while (this->seeks() == seeks && MonotonicClock::now() < latest) {
    const Demuxer::Read read = film.value()->read();
    if (read.outcome == Demuxer::Outcome::End) return true;
    if (read.outcome != Demuxer::Outcome::Packet) return false;
    const AVPacket& packet = *read.packet;
    const std::int64_t at = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (at != AV_NOPTS_VALUE && Duration(at) > to) return true;
    if (read.stream == stream.index) put(packet);
  }
  return false;
}

SubtitleFeed::Film SubtitleFeed::of(const Demuxer& film, const std::string& prefix, const std::string& path,
                                    PacketStore& store) {
  Film brought;
  const int best = film.best(AVMEDIA_TYPE_SUBTITLE);
  for (const FilmStream& entry : film.streams()) {
    if (entry.kind != AVMEDIA_TYPE_SUBTITLE) continue;
    auto stream = std::make_shared<SubtitleStream>();
    stream->id = streamIdOf(prefix, entry);
    stream->index = entry.index;
    stream->parameters = copyOf(*entry.parameters);
    if (!stream->parameters) continue;
    if (stream->index == best) brought.best = stream;
    brought.streams.push_back(std::move(stream));
  }
  brought.fonts = std::make_shared<const std::vector<AttachedFont>>(
      brought.streams.empty() ? std::vector<AttachedFont>() : film.fonts());
  brought.path = film.seekable() ? path : "";
  brought.store = &store;
  brought.cancellation = std::make_shared<Cancellation>();
  if (!brought.streams.empty()) brought.bytes = film.again(brought.cancellation);
  if (brought.best) store.take(best, false);
  return brought;
}

void SubtitleFeed::open(Film film) {
  const std::lock_guard lock(m_mutex);
  openLocked(std::move(film));
}

void SubtitleFeed::openLocked(Film film) {
  m_store = film.store;
  m_path = std::move(film.path);
  m_fonts = std::move(film.fonts);
  m_cancellation = std::move(film.cancellation);
  m_bytes = std::move(film.bytes);
  m_streams.insert(m_streams.begin(), film.streams.begin(), film.streams.end());
  if (!m_chosen[indexOf(Place::Main)]) putLocked(Place::Main, std::move(film.best));
}

void SubtitleFeed::change(Film film) {
  {
    const std::lock_guard lock(m_mutex);
    closeLocked();
    m_streams.clear();
    m_chosen = {};
    openLocked(std::move(film));
  }
  countSeek();
}

void SubtitleFeed::close() {
  const std::lock_guard lock(m_mutex);
  closeLocked();
}

void SubtitleFeed::closeLocked() {
  if (m_cancellation) m_cancellation->raise();
  m_store = nullptr;
  m_path.clear();
  m_bytes.reset();
  for (const Place place : {Place::Main, Place::Second})
    if (const auto& stream = m_chosen[indexOf(place)]; stream && !stream->isFile()) putLocked(place, nullptr);
  std::erase_if(m_streams, [](const StreamPtr& stream) { return !stream->isFile(); });
}

/// Its packets are kept for who draws them; those of the one before no longer.
void SubtitleFeed::putLocked(Place place, StreamPtr stream) {
  StreamPtr& chosen = m_chosen[indexOf(place)];
  const StreamPtr& other = m_chosen[1 - indexOf(place)];
  if (m_store != nullptr) {
    if (chosen && !chosen->isFile() && chosen != other) m_store->leave(chosen->index);
    if (stream && !stream->isFile()) m_store->take(stream->index, false);
  }
  chosen = std::move(stream);
  m_any.store(chosen || other, std::memory_order_relaxed);
}

void SubtitleFeed::add(SubtitleFile file, const std::string& prefix, bool chosen) {
  auto stream = std::make_shared<SubtitleStream>();
  stream->title = std::move(file.name);
  stream->parameters = std::move(file.parameters);
  stream->packets = std::move(file.packets);
  const std::lock_guard lock(m_mutex);
  stream->id = prefix + "/file" + std::to_string(m_streams.size());
  m_streams.push_back(stream);
  if (chosen) putLocked(Place::Main, std::move(stream));
}

SubtitleFeed::StreamPtr SubtitleFeed::findLocked(const std::string& id) const {
  const auto found = std::find_if(m_streams.begin(), m_streams.end(),
                                  [&](const StreamPtr& stream) { return stream->id == id; });
  return found != m_streams.end() ? *found : nullptr;
}

bool SubtitleFeed::has(const std::string& id) const {
  const std::lock_guard lock(m_mutex);
  return findLocked(id) != nullptr;
}

void SubtitleFeed::choose(Place place, const std::string& id) {
  const std::lock_guard lock(m_mutex);
  if (auto stream = findLocked(id); stream != m_chosen[indexOf(place)]) putLocked(place, std::move(stream));
}

std::vector<SubtitleFeed::StreamPtr> SubtitleFeed::files() const {
  const std::lock_guard lock(m_mutex);
  std::vector<StreamPtr> files;
  std::copy_if(m_streams.begin(), m_streams.end(), std::back_inserter(files),
               [](const StreamPtr& stream) { return stream->isFile(); });
  return files;
}

}  // namespace tactus::plugins::av
