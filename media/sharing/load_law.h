// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/periodic/qos/capacity.h"
#include "core/periodic/qos/decayed_mean.h"
#include "core/periodic/time/backoff.h"
#include "media/sharing/ladder.h"
#include "media/sharing/load_constants.h"

namespace tactus::media {

/// Processor time of the display server since it was read before, in processors.
struct DrawingLoad {
  double used = 0;
  double waited = 0;  ///< runnable without a processor
  double turns = 0;   ///< a second: times that it got one
};

/// What the machine did since the look before, in processors.
struct MachineReading {
  double processors = 1;              ///< that the program may use
  double idle = 0;                    ///< that nobody used
  double used = 0;                    ///< by the program
  double films = 0;                   ///< of `used`, by the windows' stages
  std::optional<DrawingLoad> server;  ///< absent where there is none, or it cannot be read
};

/// One window that plays.
struct WindowReading {
  Ladder ladder;
  double backlog = 0;  ///< B: processor time missing from what should be done ahead, in seconds
  double stock = 0;    ///< s that its pictures are decoded ahead of their turn
  double waited = 0;   ///< by its pictures' stages for a processor since the look before, in processors
  /// Processor time of the packets that have come and are not decoded, in seconds, as far as such waited at
  /// each moment of the last T; endless where the source has them all.
  double waiting = std::numeric_limits<double>::infinity();
  /// Share of its time by which it may be late: its contract's misses, as far as it can have no stock.
  double tolerated = 0;
  double rate = 0;  ///< pictures a second of its film; 0 = unknown
  /// It is opened, or shows its first pictures: it says nothing yet, and counts as the mean of the others.
  bool begins = false;
};

/// Who gets how much, for one moment.
struct LoadPlan {
  /// C less what is drawn, what is done beside, and a little that fills what is done ahead: what the windows'
  /// floors must fit into.
  double capacity = 0;
  double room = 0;          ///< `capacity` less B/T
  double asked = 0;         ///< by all windows at f = 1; in larger sizes once all show every picture
  double planned = 0;       ///< by all windows as they stand on their ladders
  double idle = 0;          ///< lately
  double used = 0;          ///< by the program, lately
  std::vector<Rung> rungs;  ///< one for each window
  /// More is planned for than fits with reservations by a high quantile of every window's packets.
  bool many = true;
  bool othersFill = false;  ///< other programs use most of what is used
};

/// Load control, all of it: room = C - B/T (media/sharing/DESIGN.md). Owns no clock, thread or lock; how
/// often it looks changes nothing. Thread-safe: no. Real-time-safe: no (allocates).
class LoadLaw {
 public:
  explicit LoadLaw(LoadConstants constants)
      : m_constants(constants),
        m_capacity(constants.capacity),
        m_sizeWait(constants.sizeShortest, constants.sizeLongest) {}

  /// One look, `passed` after the one before. The readings are in the order in which the windows were opened.
  [[nodiscard]] LoadPlan look(periodic::TimePoint now, Duration passed, const MachineReading& machine,
                              std::span<const WindowReading> windows);

 private:
  [[nodiscard]] static std::vector<Ladder> laddersOf(std::span<const WindowReading> windows);
  void describe(const MachineReading& machine, LoadPlan& plan) noexcept;
  void followSizes(periodic::TimePoint now, std::span<const Ladder> ladders, std::span<const Rung> rungs);
  void read(Duration passed, const MachineReading& machine, std::span<const WindowReading> windows);
  [[nodiscard]] double drawing(double processors, double rate) const noexcept;
  [[nodiscard]] double payable(std::span<const WindowReading> windows) const noexcept;

  const LoadConstants m_constants;
  periodic::Capacity m_capacity;
  periodic::DecayedMean m_used, m_idle, m_beside;
  periodic::DecayedMean m_spare;  // idle, at most what is asked: more would say nothing, and fade slowly
  double m_planned = 0;           // processors, by the look before
  periodic::DecayedMean m_plannedMean;  // the same as a mean, comparable with m_used
  periodic::DecayedMean m_serverUsed, m_serverWaited, m_serverTurns;
  bool m_many = true;
  bool m_othersFill = false;
  periodic::Backoff m_sizeWait;
  std::optional<periodic::TimePoint> m_largerReturned;  // on trial
  periodic::TimePoint m_largerMay{};                    // return, from then on
};

}  // namespace tactus::media
