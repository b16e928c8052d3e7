// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/av/demuxer.h"
#include "plugins/av/film_reader.h"
#include "plugins/av/subtitle_file.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

/// A stream of subtitles, of the film or of a file beside it. Constant once made.
struct SubtitleStream {
  std::string id, title;  ///< the title of a file is its name
  int index = -1;         ///< in the film; -1 = a file
  ParametersPtr parameters;
  std::vector<PacketPtr> packets;  ///< a file's
  [[nodiscard]] bool isFile() const noexcept { return index < 0; }
};

/// The subtitles of what one `tactusavsrc` plays, as packets, for who draws them. Thread-safe: yes.
class SubtitleFeed {
 public:
  using StreamPtr = std::shared_ptr<const SubtitleStream>;  // shared: another is chosen while one is drawn
  using Fonts = std::shared_ptr<const std::vector<AttachedFont>>;
  enum class Place { Main, Second, Count_ };

  // For who draws them.
  [[nodiscard]] StreamPtr chosen(Place place) const;
  /// Whether any is. Real-time-safe: yes.
  [[nodiscard]] bool any() const noexcept { return m_any.load(std::memory_order_relaxed); }
  [[nodiscard]] Fonts fonts() const;
  /// Counts the beginnings and the ends of seeks. What is polled after another number does not follow what
  /// was polled before.
  [[nodiscard]] std::uint64_t seeks() const noexcept { return m_seeks.load(std::memory_order_acquire); }
  /// The film's next packet of the stream that was read already, else null.
  [[nodiscard]] PacketPtr poll(const SubtitleStream& stream);
  /// Waits until the film was read up to this instant, or as far as there is room; for a moment at most, for
  /// its reader may wait for its source.
  void awaitRead(periodic::Duration instant) const;
  /// Reads the film a second time, this stream from `from` to `to`. Blocking; false if it was broken off: by
  /// a seek, by the end, or because it took too long.
  bool lookBack(const SubtitleStream& stream, periodic::Duration from, periodic::Duration to,
                const std::function<void(const AVPacket&)>& put);

  // For FilmSource.
  /// What a film brings.
  struct Film {
    std::vector<StreamPtr> streams;
    StreamPtr best;  ///< of these, null without any
    Fonts fonts;
    std::string path;                            ///< empty where it can be read once only
    std::unique_ptr<const ByteSource> bytes;     ///< null where the path alone tells which they are
    std::shared_ptr<Cancellation> cancellation;  ///< of who looks back
    PacketStore* store = nullptr;                ///< not null; lasts until the film is closed
  };
  /// From now on the store keeps the best stream's packets.
  [[nodiscard]] static Film of(const Demuxer& film, const std::string& prefix, const std::string& path,
                               PacketStore& store);
  /// The best stream is chosen, unless a file is.
  void open(Film film);
  /// Another film follows the one that is open; what went with that, files as well, is gone.
  void change(Film film);
  /// The film is gone, and its streams; nobody waits any more.
  void close();
  /// A seek begins; or it ends, and the store has been emptied.
  void countSeek() noexcept { m_seeks.fetch_add(1, std::memory_order_release); }
  /// A file's stream, whose id begins with `prefix`.
  void add(SubtitleFile file, const std::string& prefix, bool chosen);
  [[nodiscard]] bool has(const std::string& id) const;
  /// The stream of this id; none where there is no such stream.
  void choose(Place place, const std::string& id);
  [[nodiscard]] std::vector<StreamPtr> files() const;

 private:
  void openLocked(Film film);
  void closeLocked();
  [[nodiscard]] StreamPtr findLocked(const std::string& id) const;
  void putLocked(Place place, StreamPtr stream);

  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows, for moments
  std::vector<StreamPtr> m_streams;
  std::array<StreamPtr, static_cast<std::size_t>(Place::Count_)> m_chosen;
  Fonts m_fonts;
  std::string m_path;                         // empty where the film can be read once only
  std::unique_ptr<const ByteSource> m_bytes;  // null where the path alone tells which they are
  PacketStore* m_store = nullptr;
  std::shared_ptr<Cancellation> m_cancellation;  // shared with who looks back
  // relaxed: says whether it is worth asking.
  std::atomic<bool> m_any{false};
  // release, acquire: what was read before the seek is no longer in the store.
  std::atomic<std::uint64_t> m_seeks{0};
};

}  // namespace tactus::plugins::av
