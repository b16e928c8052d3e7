// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "conference/room/room_facts.h"
#include "core/net/link/bit_rate.h"

namespace tactus::conference {

/// The pictures of one stream for one receiver: what each of their sizes takes, and what the receiver wants.
struct PictureDemand {
  TrackPriority priority = TrackPriority::Normal;
  std::vector<net::BitRate> layers = {};  ///< rates of the sizes, the largest first
  std::size_t wanted = 0;                 ///< the largest that its place needs
  std::size_t now = 0;                    ///< that it is sent; layers.size(): none
};

/// What becomes of the demands of one receiver.
struct LineShare {
  struct Step {
    std::size_t demand = 0, layer = 0;
    net::BitRate needed;  ///< that the line carries, for it and what comes before it
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<std::size_t> layers = {};  ///< for each demand; its layers.size(): its sound alone
  std::optional<Step> next = {};         ///< the first for which there is no room
};

/// Divides what a receiver's line carries of pictures (absent: nothing is known against any rate) among the
/// streams that it receives. First those of high priority, then normal, then low; of equals, in their order:
/// first the smallest size for each, then the one that it wants. With half of its rate the smallest goes,
/// with fewer pictures. A larger size than it has now needs 1.25 times as much, so that small changes change
/// nothing. After RTSS 5.4: what is looked at stays whole. Thread-safe: yes (pure).
[[nodiscard]] LineShare shareLine(std::optional<net::BitRate> carried,
                                  std::span<const PictureDemand> demands);

}  // namespace tactus::conference
