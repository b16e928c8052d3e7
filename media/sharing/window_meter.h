// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/periodic/qos/decayed_mean.h"
#include "media/sharing/governed_stream.h"
#include "media/sharing/ladder.h"
#include "media/sharing/least_lately.h"
#include "media/sharing/load_constants.h"
#include "media/sharing/load_law.h"

namespace tactus::media {

/// What one window takes of the processors and how it fares, from counters that are read several times a
/// second. Owns no clock. Thread-safe: no. Real-time-safe: no (allocates).
class WindowMeter {
 public:
  /// Sums over the time before the last look.
  struct Recent {
    std::uint64_t shown = 0;
    std::uint64_t misses = 0;
    std::uint64_t untaken = 0;  ///< misses because the display was busy with the picture before
    Duration span{0};           ///< that is known
  };
  /// How the window was served since the look before.
  struct Look {
    periodic::TimePoint now;
    Duration span;      ///< since the look before; not positive = this one tells no rates
    Thinning thinning;  ///< in force since then
    bool countsPaused;  ///< what it would take counts though it does not play
    Duration kept;      ///< misses are remembered for so long, and at least for a second
  };

  explicit WindowMeter(const LoadConstants& constants) : m_constants(constants) {}

  /// Another film begins from nothing.
  void look(const LoadFigures& figures, const Look& look);
  /// Misses until now say nothing of what follows.
  void forgetMisses() { m_recent.clear(); }

  /// Counters of the last look.
  [[nodiscard]] const LoadFigures& figures() const noexcept { return m_last; }
  [[nodiscard]] Recent within(Duration time, periodic::TimePoint now) const;
  [[nodiscard]] double shownRate() const noexcept { return m_shownRate; }  ///< pictures a second
  /// Processors at f = 1 for the pictures, and the part of them that follows f.
  [[nodiscard]] double load() const noexcept { return m_load; }
  [[nodiscard]] double elastic() const noexcept { return m_elastic; }
  /// Processors at any f: what others refer to is decoded, sound and source go on.
  [[nodiscard]] double fixed() const noexcept { return m_fixed; }
  /// The same two of the smaller size; absent: there is none, or it is not wanted smaller. What is not known
  /// of one size follows from the other by their pixels.
  [[nodiscard]] const std::optional<PictureCost>& smaller() const noexcept { return m_smaller; }
  /// Processors used between the last two looks: by the pictures, and by what is never thinned out.
  [[nodiscard]] double used() const noexcept { return m_used; }
  [[nodiscard]] double other() const noexcept { return m_other; }
  /// Processors that showing takes at f = 1.
  [[nodiscard]] double display() const noexcept { return m_last.nominalRate * each(&Costs::display, false); }
  /// Processors that keyframes alone take, and what is never thinned out. Until it has shown nothing else,
  /// the latter is known.
  [[nodiscard]] double keyframes() const noexcept {
    return std::max(m_keyframes, m_cold ? 0 : m_otherLately.value());
  }
  /// B: processor time missing from what should be done ahead, in seconds.
  [[nodiscard]] double backlog() const noexcept { return m_backlog; }
  /// Seconds that its pictures are decoded ahead of their turn; endless where none can be late (a pause, its
  /// end).
  [[nodiscard]] double stock() const noexcept { return m_stock; }
  /// The largest stock that it can have, in seconds: endless, unless its packets come no sooner.
  [[nodiscard]] double largestStock() const noexcept { return m_largestStock; }
  /// Processor time of the packets that have come and are not decoded, in seconds; endless where the source
  /// has them all.
  [[nodiscard]] double waiting() const noexcept { return m_waiting; }
  /// The part of it that stands: the least within T. What has been worked off once within T waited for a
  /// turn, and lacks no processor.
  [[nodiscard]] double standing() const noexcept { return m_standing.value(); }
  /// Processors that its pictures' stages waited for, lately.
  [[nodiscard]] double waited() const noexcept { return m_waited.value(); }
  /// It is being opened, or shows its first pictures: what it takes is not known yet.
  [[nodiscard]] bool begins() const noexcept { return m_last.opening || (m_last.playing && m_cold); }
  /// Long enough after its beginning to admit or refuse it; without pictures (sound alone) later.
  [[nodiscard]] bool isKnown(periodic::TimePoint now) const noexcept;
  [[nodiscard]] periodic::TimePoint lastMiss() const noexcept { return m_lastMiss; }

 private:
  struct Sample {
    periodic::TimePoint at;
    Recent sum;
  };
  /// Processor time of a picture: a quotient of sums, as a look with few pictures must count little.
  struct Cost {
    double spent = 0, pictures = 0;  // s, weighed by age
    void add(Duration time, std::uint64_t count, double before) noexcept;
    [[nodiscard]] double each() const noexcept { return pictures > 0 ? spent / pictures : 0; }
  };
  /// Of one size of the pictures.
  struct Costs {
    Cost decode, display;
  };
  /// Seconds for a picture of the smaller size, or of that which is wanted.
  [[nodiscard]] double each(Cost Costs::*stage, bool smaller) const noexcept;
  [[nodiscard]] PictureCost costOf(bool smaller, double rate) const noexcept;
  void follow(const LoadFigures& figures, const Look& look);
  void count(const LoadFigures& figures, const Look& look);
  void weigh(const LoadFigures& figures, const Look& look);
  void compareWithTurn(const LoadFigures& figures, const Look& look);

  LoadConstants m_constants;
  LoadFigures m_last;
  bool m_seen = false;           // m_last holds something
  std::vector<Sample> m_recent;  // within Look::kept
  std::array<Costs, 2> m_costs;  // of the size that is wanted, and of the smaller one
  std::optional<PictureCost> m_smaller;
  PictureCost m_coming;  // of what comes now, without what is never thinned out
  periodic::DecayedMean m_waited, m_otherLately;
  LeastLately m_standing;
  double m_load = 0, m_elastic = 0, m_fixed = 0, m_used = 0, m_other = 0, m_shownRate = 0, m_backlog = 0,
         m_stock = 0, m_largestStock = 0, m_waiting = 0, m_keyframes = 0;
  periodic::TimePoint m_lastMiss{};
  periodic::TimePoint m_played{};  // since when it plays without a pause
  periodic::TimePoint m_began{};   // its last beginning: it played on, or a segment began
  bool m_warm = false;             // that beginning is over
  bool m_cold = true;              // its first pictures since it played on are not over
  bool m_caughtUp = false;         // since the look before
};

}  // namespace tactus::media
