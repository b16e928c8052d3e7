// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conference/carriage/line_share.h"
#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// When a step for which a line has no known room is tried: what is sent is all that is known to pass, so
/// only a trial shows more. With h the patience, 4 s at first:
///
///     tried    h after the last trial or fall, whichever is later
///     h = 2 h  (64 s at most) when the line falls within 5 s of a trial
///     h = 4 s  when it does not
///
/// Thread-safe: no. Real-time-safe: yes.
class LineTrials {
 public:
  /// Once a second or so. `fell`: the line carries less than before. True: the step is tried now.
  bool update(periodic::TimePoint now, bool fell, bool wanted) noexcept;

 private:
  static constexpr periodic::Duration kLeast = std::chrono::seconds(4), kMost = std::chrono::seconds(64),
                                      kVerdict = std::chrono::seconds(5);
  periodic::Duration m_patience = kLeast;
  std::optional<periodic::TimePoint> m_quietSince;  // the last trial or fall
  std::optional<periodic::TimePoint> m_trial;       // that is not decided yet
};

/// The line to one receiver, over which come several connections, one for each stream. Each of them is
/// believed to carry a rate once it carried less than was sent. With c(i) that of connection i, s(i) what is
/// sent over it now:
///
///     carried = max(sum of c(i), where it is known, else of s(i); what a trial has shown since the last
///     fall)
///
/// Sound comes first, and pictures get the rest (shareLine()). Where no c(i) is known, each stream is sent as
/// it is wanted. Thread-safe: no. Real-time-safe: no.
class ReceiverLine {
 public:
  struct Connection {
    std::string name = {};                     ///< the same at each call
    std::optional<net::BitRate> carries = {};  ///< absent: it carried all that was sent so far
    net::BitRate sound = {}, pictures = {};    ///< that are sent over it now
    std::optional<PictureDemand> demand = {};  ///< absent: no pictures are wanted or published
  };
  struct Division {
    /// For each connection the largest layer that may be sent; as many as there are: none; 0 without demand.
    std::vector<std::size_t> layers = {};
    struct Raised {
      std::size_t connection = 0;
      net::BitRate rate;
    };
    /// What a connection is to be believed to carry from now on: a step is tried.
    std::optional<Raised> raised = {};
  };

  /// Once a second or so.
  [[nodiscard]] Division divide(periodic::TimePoint now, std::span<const Connection> connections);

 private:
  [[nodiscard]] bool takeFall(std::span<const Connection> connections);

  LineTrials m_trials;
  net::BitRate m_proven;
  std::map<std::string, net::BitRate> m_carried;  // by connection, as the last call saw it
};

}  // namespace tactus::conference
