// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/periodic/admission/band.h"
#include "core/periodic/task/task.h"
#include "core/periodic/time/time.h"
#include "media/sharing/source_limit.h"

namespace tactus::media {

using periodic::Duration;

/// How much of a film is shown: every picture (f = 1), or the share f of them, evenly spread, and, last of
/// all, its last rung: none but keyframes; at full size, or at a share of their width and height. Of a stream
/// that is sent in two sizes the smaller one may be asked for.
struct Thinning {
  double frequency = 1;
  bool lastRung = false;
  double size = 1;
  bool smaller = false;
  friend bool operator==(const Thinning&, const Thinning&) = default;
};

/// What a stream shows once it has less than f_min.
enum class LastRung {
  Keyframes,   ///< of a film
  SoundAlone,  ///< of a call
};

/// How a film's stages are served.
struct StreamService {
  periodic::ServiceClass service = periodic::ServiceClass::Statistical;  ///< of the picture's
  std::vector<int> cpus = {};  ///< where all stages may run; empty = anywhere
  /// The picture's stages run above ordinary programs even without a reservation.
  bool aboveOrdinary = true;
  double quantile = 0.95;  ///< of measured times of decoding, what Statistical reserves
  bool preferred = false;  ///< all its stages come before the others', where deadlines allow
  friend bool operator==(const StreamService&, const StreamService&) = default;
};

/// What a load controller needs to know of one player; counts and times since open().
struct LoadFigures {
  periodic::TaskCounters decode, display;  ///< pictures decoded; pictures shown, and these too late
  Duration otherTime{0};                   ///< processor time of the stages that are never thinned out
  std::uint64_t late = 0;                  ///< given up because they came too late
  std::uint64_t untaken = 0;               ///< in time, but the display was still busy with the one before
  LastRung lastRung = LastRung::Keyframes;
  double disposable = 0;  ///< share of the pictures that need not be decoded
  /// How far ahead of their display pictures are decoded, and how far ahead a packet's turn to be decoded
  /// comes: where `ahead` is below `turn`, work is missing.
  std::optional<Duration> ahead = std::nullopt;
  Duration turn{0};
  /// How far ahead of their display packets come: none can be decoded before. Absent: the source has them
  /// all, as a film's has.
  std::optional<Duration> reach = std::nullopt;
  /// Times that nothing of what had come was left to be decoded; of what has a `reach`.
  std::uint64_t caughtUp = 0;
  Duration waited{0};  ///< by the picture's stages, runnable without a processor
  std::uint64_t segments =
      0;                   ///< begun, the first included: with each, after a seek, nothing is decoded ahead
  double nominalRate = 0;  ///< pictures a second at f = 1; 0 = unknown
  std::uint64_t film = 0;  ///< another one each time that one is opened
  bool opening = false, playing = false, buffering = false;
  SourceLimit limit = {};  ///< of a live stream
  /// Of pictures that are sent in two sizes, and shown in a place for which the larger is wanted.
  struct Sizes {
    double share = 1;           ///< of the larger one's pixels that the smaller has, (0, 1)
    bool smallerComes = false;  ///< what comes now is the smaller one
  };
  std::optional<Sizes> sizes = std::nullopt;  ///< absent: there is no choice
  /// How much later than they came its packets are shown, and at most; absent: it comes from a file.
  std::optional<Duration> playout = std::nullopt;
  Duration longestPlayout{0};
};

/// What a counter has counted since it was looked at before; counters of a new film begin at zero.
/// Thread-safe: yes (pure). Real-time-safe: yes.
template <typename Count>
[[nodiscard]] constexpr Count countedSince(Count now, Count before) noexcept {
  return now >= before ? now - before : now;
}

/// What is governed: a player. (Virtual, so that the governor can be tested in virtual time.)
class GovernedStream {
 public:
  virtual ~GovernedStream() = default;
  [[nodiscard]] virtual LoadFigures load() const = 0;
  virtual void setThinning(Thinning thinning) = 0;
  virtual void setService(StreamService service) = 0;
  /// It was not admitted and waits, paused; or it may play after all.
  virtual void setHeld(bool held) = 0;
};

}  // namespace tactus::media
