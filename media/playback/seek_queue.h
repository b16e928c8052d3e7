// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "media/playback/player.h"

namespace tactus::media {

/// One seek is under way at a time; of those requested meanwhile the newest follows. Before there is anything
/// to seek in, the newest is the position to start at. Knows no pipeline. Thread-safe: no.
class SeekQueue {
 public:
  struct Seek {
    Duration position{0};
    SeekMode mode = SeekMode::Exact;
    friend bool operator==(const Seek&, const Seek&) = default;
  };

  /// Another item: nothing is wanted of it yet.
  void clear() noexcept { *this = {}; }
  /// Another pipeline of the same item: it starts where the last one was, or was to go.
  void reopen(Duration at) noexcept {
    const auto start = heading().value_or(at);
    clear();
    if (start > Duration::zero()) m_wanted = Seek{start, SeekMode::Exact};
  }
  /// True if the seek can go to the pipeline now, by next().
  [[nodiscard]] bool request(Seek seek) noexcept {
    m_wanted = m_phase == Phase::Opening ? Seek{seek.position, SeekMode::Exact} : seek;
    return m_phase == Phase::Ready;
  }
  /// The seek that goes to the pipeline now.
  [[nodiscard]] std::optional<Seek> next() noexcept {
    if (m_phase != Phase::Ready || !m_wanted) return std::nullopt;
    m_phase = Phase::Seeking;
    m_target = m_wanted->position;
    return std::exchange(m_wanted, std::nullopt);
  }
  /// The pipeline did not take it.
  void refused() noexcept {
    if (m_phase == Phase::Seeking) m_phase = Phase::Ready;
  }
  /// The pipeline stands at a position: it was opened, or the seek under way is done. True for the former.
  bool prerolled() noexcept { return std::exchange(m_phase, Phase::Ready) == Phase::Opening; }

  /// Whether there is something to seek in.
  [[nodiscard]] bool opened() const noexcept { return m_phase != Phase::Opening; }
  [[nodiscard]] bool waits() const noexcept { return m_wanted.has_value(); }
  /// Whether a start position waits for something to seek in.
  [[nodiscard]] bool startsElsewhere() const noexcept { return !opened() && waits(); }
  /// Where the pipeline is going; absent where it just plays.
  [[nodiscard]] std::optional<Duration> heading() const noexcept {
    if (m_wanted) return m_wanted->position;
    if (m_phase == Phase::Seeking) return m_target;
    return std::nullopt;
  }

 private:
  enum class Phase { Opening, Ready, Seeking };
  Phase m_phase = Phase::Opening;
  std::optional<Seek> m_wanted;
  Duration m_target{0};  // of the seek under way
};

}  // namespace tactus::media
