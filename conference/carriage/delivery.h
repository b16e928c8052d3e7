// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "conference/room/room_facts.h"
#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// What a host sees of the pictures of one stream on their way to one receiver.
struct DeliverySigns {
  /// Its receiver has it switched on, it is published, and nobody has muted it. Else the rest means nothing.
  bool isWanted = false;
  std::size_t sizes = 1;    ///< in which it is published; 0 is the index of the largest
  std::size_t wanted = 0;   ///< the size that its place needs
  std::size_t allowed = 0;  ///< the largest for which its receiver's line has room; `sizes`: none
  std::optional<std::size_t> sent = {};  ///< now; absent: none
  bool withheld = false;                 ///< pictures are left out: the receiver's line has no room for them
  bool quiet = false;                    ///< nothing comes of any size
  bool wantedRests = false;              ///< nothing comes of the wanted size
  double feedLost = 0;                   ///< share of packets missing between publisher and host
  double lineLost = 0;                   ///< the same between host and receiver
  std::optional<net::BitRate> carried = {};  ///< by the receiver's line; absent: no limit is known
  TrackDelivery said = {};                   ///< of what it sends, by its publisher
};

/// What is wrong with a delivery, by the first of these that holds:
///
///     quiet                          None      the publisher's limit, else SenderProgram
///     allowed = sizes                None      ReceiverLine
///     withheld                       Fewer     ReceiverLine
///     allowed < wanted in size       Smaller   ReceiverLine
///     said is not Whole              said
///     a smaller size makes up for the wanted one, which rests      Smaller   SenderProgram
///     feedLost >= 10 %               Fewer     SenderLine
///
/// but `said` comes before the receiver's line if it leaves less of the pictures. That smaller pictures are
/// sent does not concern receivers whose place needs no larger ones. Thread-safe: yes (pure). Real-time-safe:
/// yes.
[[nodiscard]] TrackDelivery deliveryOf(const DeliverySigns& signs) noexcept;

/// What is said of a delivery that is looked at each half second, so that what passes by itself is not said:
///
///     another state or limit is said once two looks in a row find it;
///     pictures count as withheld up to 4 s after the last that was: with too little room they come and go;
///     none count as withheld, or as missing, before they are wanted for 3 s; nor a size, before it is.
///
/// Thread-safe: no. Real-time-safe: yes.
class SteadyDelivery {
 public:
  void look(periodic::TimePoint now, DeliverySigns signs) noexcept;
  [[nodiscard]] const TrackDelivery& said() const noexcept { return m_said; }

 private:
  void settle(periodic::TimePoint now, DeliverySigns& signs) noexcept;

  bool m_isWanted = false;
  std::size_t m_wanted = 0;
  periodic::TimePoint m_wantedSince = {}, m_sizeSince = {};
  std::optional<periodic::TimePoint> m_withheld = {};  // when it was last
  TrackDelivery m_before = {};                         // as the last look found it
  TrackDelivery m_said = {};
};

}  // namespace tactus::conference
