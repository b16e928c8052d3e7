// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/periodic/time/time.h"
#include "media/sharing/source_limit.h"

namespace tactus::media {

/// What only the receiver of a stream sees of what limits it. Of the last `window`, with l packets lost for
/// good, n that came, and r pictures a second, of which u are usual:
///
///     own line         l / (l + n) >= lost   and   r < whole * u
///     their program    no packet of pictures for `silence`, while others of the connection come
///     u += (r - u)(1 - exp(-dt / remember))     while l / (l + n) < lost
///
/// If nothing comes at all, nobody knows why: nothing is said. What is said begins and ends once it was so
/// for `settle`. Thread-safe: no. Real-time-safe: no (allocates).
class ArrivalWatch {
 public:
  struct Constants {
    double lost = 0.05;  ///< share of packets from which missing pictures are laid to loss
    double whole = 0.8;  ///< of the usual rate of pictures; below it some are missing
    periodic::Duration window = std::chrono::seconds(3);
    periodic::Duration remember = std::chrono::seconds(10);  ///< of the usual rate
    periodic::Duration silence = std::chrono::seconds(2);
    periodic::Duration settle = std::chrono::seconds(1);
    periodic::Duration apart = std::chrono::seconds(1);  ///< others came so long after the last picture
    periodic::Duration alive = std::chrono::seconds(6);  ///< since others came; RTCP's interval is up to 5 s
  };
  /// Of the connection since it began. What was lost in spite of repetition is lost.
  struct Counters {
    bool expected = false;             ///< pictures are to come: wanted, not muted, connected
    std::uint64_t picturePackets = 0;  ///< that came
    std::uint64_t soundPackets = 0;    ///< likewise
    std::uint64_t lost = 0;            ///< packets
    std::uint64_t pictures = 0;        ///< that came whole
    std::uint64_t heard = 0;           ///< packets of any kind that came
  };

  ArrivalWatch() : ArrivalWatch(Constants{}) {}
  explicit ArrivalWatch(const Constants& constants) : m_constants(constants) {}

  /// Several times a second. What limits the stream now.
  const SourceLimit& look(periodic::TimePoint now, const Counters& counters);
  [[nodiscard]] const SourceLimit& limit() const noexcept { return m_said; }

 private:
  struct Sample {
    periodic::TimePoint at{};
    Counters counters;
  };
  void begin(periodic::TimePoint now, const Counters& counters);
  void note(periodic::TimePoint now, const Counters& counters);
  [[nodiscard]] SourceLimit judge(periodic::TimePoint now);
  void learn(double rate, periodic::Duration step);
  [[nodiscard]] bool isSilent(periodic::TimePoint now) const;
  void say(periodic::TimePoint now, const SourceLimit& found);

  const Constants m_constants;
  std::deque<Sample> m_samples;   // of the window, the oldest first; empty: none are expected
  std::optional<double> m_usual;  // pictures a second
  periodic::TimePoint m_pictureAt{}, m_heardAt{};
  SourceLimit m_said, m_found;
  periodic::TimePoint m_foundAt{};
};

}  // namespace tactus::media
