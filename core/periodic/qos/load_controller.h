// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// One operation that may be thinned out: a window's stream, with all its stages.
struct ElasticOperation {
  std::uint64_t id = 0;
  double load = 0;            ///< share of one processor at f = 1; at least 0
  double leastFrequency = 0;  ///< f_min within [0, 1]
  double weight = 1;          ///< above 0; the heavier, the less it gives
};

/// The f of each operation that together load `room` processors at most, none below its f_min (Buttazzo 1998,
/// elastic tasks; water-filling): the shares taken away are as 1/weight. Where even all f_min exceed the
/// room, these are the answer and `fits` is false. Result i belongs to operations[i]. O(n log n).
/// Thread-safe: yes (pure). Real-time-safe: no (allocates).
struct ElasticPlan {
  std::vector<double> frequency;
  bool fits = true;
};
[[nodiscard]] ElasticPlan compress(std::span<const ElasticOperation> operations, double room);

/// Decides how much room there is, from what really happens: down at once, up slowly, and more slowly after a
/// raise that failed (RTSS' figure 9 shows the oscillation of a controller that does not). Processors seen
/// idle are room that is proven: they are given out as soon as things are quiet, once for each amount. Where
/// none is idle while something is done ahead, what is used is all that can be had: nothing above it is tried
/// for a while. A plain object. Thread-safe: no. Real-time-safe: no.
class LoadController {
 public:
  struct Settings {
    double processors = 1;                                ///< what there is at most, in processors
    double least = 0.1;                                   ///< room that is never gone below
    Duration settle = std::chrono::milliseconds(800);     ///< a change shows its effect after this
    Duration proof = std::chrono::milliseconds(600);      ///< without a miss before a raise that is proven
    Duration patience = std::chrono::seconds(1);          ///< without a miss before a raise
    Duration longestPatience = std::chrono::seconds(16);  ///< after raises that failed
    double step = 0.12;                                   ///< of a raise, as part of what there is
  };
  explicit LoadController(Settings settings)
      : m_settings(settings), m_room(settings.processors), m_patience(settings.patience) {}

  struct Observation {
    std::uint64_t packets = 0;  ///< completed since the last one, by the operations that count
    std::uint64_t misses = 0;   ///< of these
    double used = 0;            ///< processors used by all operations since
    double idle = 0;            ///< processors that nobody used since, 0 = not known
    /// Of what can be done ahead, so much is, by the operation that has least of it: below 1 somebody lives
    /// on it, and there may be misses once it is used up.
    double stored = 1;
    double planned = 0;  ///< processors that the plan in force takes, 0 = it and `idle` are not known
  };
  struct Plan {
    ElasticPlan elastic;
    double room = 0;
    bool changed = false;  ///< since the plan before
  };
  /// Call a few times a second with every operation at its measured load.
  [[nodiscard]] Plan observe(TimePoint now, std::span<const ElasticOperation> operations,
                             const Observation& seen);
  /// What there is at most from now on.
  void setProcessors(double processors) noexcept;
  [[nodiscard]] double room() const noexcept { return m_room; }
  /// Whether it holds back less than everything.
  [[nodiscard]] bool relaxed() const noexcept { return m_room >= m_settings.processors; }

 private:
  [[nodiscard]] Duration holdsSince(TimePoint now) const noexcept;
  [[nodiscard]] double lowered(double asked, double floor, const Observation& seen) const noexcept;
  void raise(TimePoint now, double asked, double had, bool noneIdle, const Observation& seen) noexcept;
  void failRaise() noexcept;
  void proveRaise() noexcept;

  Settings m_settings;
  double m_room;
  Duration m_patience;
  TimePoint m_quietSince{};  // no miss since
  TimePoint m_loweredAt{};
  TimePoint m_raisedAt{};
  TimePoint m_askedTooMuchAt{};  // more than was done, that is: some live on what was done ahead
  double m_had = 0;              // processors, when there was work for more
  TimePoint m_hadAt{};
  double m_stored = 1;          // lately
  bool m_raisePending = false;  // the last change was a raise that has not proved itself
  double m_raisedIdle = 0;      // seen idle at that raise
  double m_failedIdle = 0;      // and at the last one that failed: as much again proves nothing
  bool m_started = false;
  std::vector<double> m_last;
};

}  // namespace tactus::periodic
