// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "media/playback/player.h"

namespace tactus::media {

/// One seek is under way at a time; of those requested meanwhile the newest follows. Before there is anything
/// to seek in, the newest is the position to start at: the pipeline begins there by itself, or is sent there
/// once it is opened. Knows no pipeline. Thread-safe: no.
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
    if (m_phase != Phase::Seeking) return;
    m_phase = Phase::Ready;
    m_target.reset();
  }
  /// The pipeline begins at the start position by itself.
  void beginsThere() noexcept {
    if (startsElsewhere()) m_target = std::exchange(m_wanted, std::nullopt)->position;
  }
  /// The pipeline stands at a position: it was opened, or the seek under way is done. True for the former.
  bool prerolled() noexcept {
    m_target.reset();
    return std::exchange(m_phase, Phase::Ready) == Phase::Opening;
  }

  /// Whether there is something to seek in.
  [[nodiscard]] bool opened() const noexcept { return m_phase != Phase::Opening; }
  [[nodiscard]] bool waits() const noexcept { return m_wanted.has_value(); }
  /// Whether a seek has gone to the pipeline and is not done.
  [[nodiscard]] bool underWay() const noexcept { return m_phase == Phase::Seeking; }
  /// Whether a start position waits for something to seek in.
  [[nodiscard]] bool startsElsewhere() const noexcept { return !opened() && waits(); }
  /// Where the pipeline is going; absent where it just plays.
  [[nodiscard]] std::optional<Duration> heading() const noexcept {
    return m_wanted ? std::optional(m_wanted->position) : m_target;
  }

 private:
  enum class Phase { Opening, Ready, Seeking };
  Phase m_phase = Phase::Opening;
  std::optional<Seek> m_wanted;
  std::optional<Duration> m_target;  // of the seek under way, or where the pipeline begins
};

}  // namespace tactus::media
