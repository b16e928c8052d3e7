// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "media/sharing/governed_stream.h"

namespace tactus::media {

/// What one window takes of the processors and how it fares, from counters that are looked at several times a
/// second. Owns no clock. Thread-safe: no. Real-time-safe: no (allocates).
class WindowMeter {
 public:
  /// What a stretch of time before the last look sums up to.
  struct Recent {
    std::uint64_t shown = 0, misses = 0;
    std::uint64_t untaken = 0;  ///< of the misses, by the display
    Duration span{0};           ///< less what was forgotten
  };
  /// How the window was served since the look before.
  struct Look {
    periodic::TimePoint now;
    Duration span;      ///< since the look before; not positive = this one tells no rates
    Thinning thinning;  ///< in force since then
    bool countsPaused;  ///< what it would take counts though it does not play
    Duration kept;      ///< misses are remembered for so long, and at least a second
  };

  /// Another film begins from nothing.
  void look(const LoadFigures& figures, const Look& look);
  /// What was shown and missed until now says nothing of what follows.
  void forgetMisses() { m_recent.clear(); }

  /// Counters of the last look.
  [[nodiscard]] const LoadFigures& figures() const noexcept { return m_last; }
  [[nodiscard]] Recent within(Duration time, periodic::TimePoint now) const;
  [[nodiscard]] double shownRate() const noexcept { return m_shownRate; }  ///< pictures a second
  /// Processors that it would use at f = 1, without what is never thinned out; and the part that follows f.
  [[nodiscard]] double load() const noexcept { return m_load; }
  [[nodiscard]] double elastic() const noexcept { return m_elastic; }
  /// Processors used between the last two looks: by what can be thinned out, and by what never is.
  [[nodiscard]] double used() const noexcept { return m_used; }
  [[nodiscard]] double other() const noexcept { return m_other; }
  /// Processors that showing takes at f = 1.
  [[nodiscard]] double display() const noexcept { return m_last.nominalRate * m_displayCost.each(); }
  /// Whether the cost of a picture is known well enough to admit the film or not.
  [[nodiscard]] bool isCostKnown() const noexcept;
  /// Of what was decoded ahead at most, lately, so much is there; 1 where that says nothing.
  [[nodiscard]] double stored() const noexcept { return m_stored; }
  [[nodiscard]] periodic::TimePoint lastMiss() const noexcept { return m_lastMiss; }
  /// For how long it has played, without pauses, until the look; zero if it does not.
  [[nodiscard]] Duration played(periodic::TimePoint now) const noexcept {
    return m_last.playing ? now - m_begun : Duration{0};
  }
  /// What it takes is known: its first pictures are behind it.
  [[nodiscard]] bool isWarm() const noexcept { return m_last.playing && m_warm; }
  /// What it takes is not known yet.
  [[nodiscard]] bool begins() const noexcept { return m_opening || (m_last.playing && !m_warm); }

 private:
  struct Sample {
    periodic::TimePoint at;
    Recent sum;
  };
  /// Processor time a picture, lately. Of the sums, not of single looks: a look with few pictures would count
  /// too much.
  struct Cost {
    double spent = 0, pictures = 0;  // s, weighed by age
    void add(Duration time, std::uint64_t count) noexcept;
    [[nodiscard]] double each() const noexcept { return pictures > 0 ? spent / pictures : 0; }
  };
  void count(const LoadFigures& figures, const Look& look);
  void weigh(const LoadFigures& figures, const Look& look);

  LoadFigures m_last;
  bool m_seen = false;           // m_last holds something
  std::vector<Sample> m_recent;  // within Look::kept
  Cost m_decodeCost, m_displayCost;
  double m_fullest = 0;  // s that pictures are decoded ahead at most, lately
  double m_stored = 1;
  double m_behind = 0;                   // packets that its decoder had too late, weighed by age
  periodic::TimePoint m_segmentBegan{};  // a seek, for one
  double m_load = 0, m_elastic = 0, m_used = 0, m_other = 0, m_shownRate = 0;
  periodic::TimePoint m_lastMiss{};
  periodic::TimePoint m_opened{}, m_begun{};  // its film; when it last began to play
  bool m_opening = false;                     // a film that has not begun to play
  bool m_warm = false;                        // its first pictures since are forgotten
};

}  // namespace tactus::media
