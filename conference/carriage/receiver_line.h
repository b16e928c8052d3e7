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
#include "media/room/egress/line_probe.h"

namespace tactus::conference {

/// When a step for which a line has no known room is tried: what is sent is all that is known to pass, so
/// only a trial shows more. With h the patience, 4 s at first:
///
///     tried    h after the last trial or fall, whichever is later
///     h = 2 h  (64 s at most) when the trial fails, or the line falls within 5 s of it
///     h = 4 s  when it does not
///
/// Thread-safe: no. Real-time-safe: yes.
class LineTrials {
 public:
  /// Once a second or so. `fell`: the line carries less than before. True: the step is tried now.
  bool update(periodic::TimePoint now, bool fell, bool wanted) noexcept;
  /// The trial has shown that there is no room.
  void fail() noexcept;
  /// The trial has shown nothing.
  void forget() noexcept { m_trial.reset(); }

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
/// it is wanted. A step is tried by a probe of the rate that it needs (LineProbe), which disturbs nothing
/// that is seen; only what the probe has shown to pass is sent. A connection on which nothing can be repeated
/// is believed to carry it, and its reports say whether it does. Thread-safe: no. Real-time-safe: no.
class ReceiverLine {
 public:
  struct Connection {
    std::string name = {};                          ///< the same at each call
    std::optional<net::BitRate> carries = {};       ///< absent: it carried all that was sent so far
    net::BitRate sound = {}, pictures = {};         ///< that are sent over it now
    std::optional<PictureDemand> demand = {};       ///< absent: no pictures are wanted or published
    std::optional<media::ProbeResult> probed = {};  ///< of its last probe; absent: it is not over
  };
  struct Division {
    /// For each connection the largest layer that may be sent; as many as there are: none; 0 without demand.
    std::vector<std::size_t> layers = {};
    struct Rate {
      std::size_t connection = 0;
      net::BitRate rate;
    };
    /// What a connection is to be believed to carry from now on: a trial has shown it.
    std::optional<Rate> raised = {};
    /// Whether a connection carries this rate is to be found out.
    std::optional<Rate> probe = {};
  };

  /// Once a second or so.
  [[nodiscard]] Division divide(periodic::TimePoint now, std::span<const Connection> connections);

 private:
  /// A step that is tried.
  struct Trial {
    std::string connection;
    net::BitRate needed;  ///< that the line carries
    net::BitRate rate;    ///< that the connection does
    periodic::TimePoint begun;
  };
  [[nodiscard]] bool takeFall(std::span<const Connection> connections);
  /// What the trial has shown by now.
  void judge(periodic::TimePoint now, std::span<const Connection> connections, Division& division);

  LineTrials m_trials;
  std::optional<Trial> m_trial;
  net::BitRate m_proven;
  std::map<std::string, net::BitRate> m_carried;  // by connection, as the last call saw it
};

}  // namespace tactus::conference
