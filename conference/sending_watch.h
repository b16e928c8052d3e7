// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "conference/room/room_facts.h"
#include "core/periodic/time/time.h"
#include "media/room/participant/outgoing_call.h"

namespace tactus::conference {

/// What limits the pictures of one's own stream before they reach the host. Of the last `window`, with c
/// pictures captured and d of them not come to the encoder, since it lacks time:
///
///     own computer    d / c > dropped
///     own line        the largest size that is wanted rests, or has less than `least` of its rate, of which
///                     at least `used` is sent
///
/// Who sends less than it may is not limited by its line. A change is said once `looks` looks in a row have
/// found it. Pure: `now` is an argument. Thread-safe: no. Real-time-safe: no (allocates).
class SendingWatch {
 public:
  struct Constants {
    double dropped = 0.2;  ///< share of the pictures captured
    double least = 0.5;    ///< share of the rate that is wanted
    double used = 0.5;     ///< share of the rate that the path is given
    periodic::Duration window = std::chrono::seconds(3);
    std::uint64_t fewest = 10;  ///< pictures captured in the window; of fewer no share is taken
    unsigned looks = 2;
  };

  SendingWatch() : SendingWatch(Constants{}) {}
  explicit SendingWatch(const Constants& constants) : m_constants(constants) {}

  /// Once a second. How the pictures are sent: whole, or limited by the sender's line or computer. A stream
  /// without pictures, muted, not wanted or not connected is whole.
  const TrackDelivery& look(periodic::TimePoint now, const media::OutgoingReport& report);

 private:
  struct Sample {
    periodic::TimePoint at{};
    std::size_t layer = 0;
    std::uint64_t captured = 0, taken = 0;
  };
  [[nodiscard]] TrackDelivery judge(periodic::TimePoint now, const media::OutgoingReport& report);
  [[nodiscard]] DeliveredPictures picturesEncoded(periodic::TimePoint now, std::size_t layer,
                                                  const media::SendingFigures& figures);
  void say(const TrackDelivery& found);

  const Constants m_constants;
  std::deque<Sample> m_samples;  // of the window and one layer, the oldest first
  TrackDelivery m_said, m_found;
  unsigned m_times = 0;  // in a row that m_found was found
};

}  // namespace tactus::conference
