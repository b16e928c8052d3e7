// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// A task that does not behave as its contract declares.
struct Misbehaviour {
  enum class Kind {
    NeverEnforces,   ///< processor time, but no packets
    EndlessPacket,   ///< one packet goes on and on
    TooManyPackets,  ///< more than three times the declared rate
    TooFewPackets,   ///< less than a third of the declared rate, though it works
  } kind;
  Duration span{0};             ///< looked back over
  double used = 0;              ///< share of one CPU
  double packetsPerSecond = 0;  ///< processed

  /// Grave enough that the task loses its class.
  [[nodiscard]] bool grave() const noexcept {
    return kind == Kind::NeverEnforces || kind == Kind::EndlessPacket;
  }
};

/// The finding in words, without a full stop: "decode has been busy with one packet for 2 s".
[[nodiscard]] std::string sentenceOf(const Misbehaviour& found, const std::string& name,
                                     const Rate& declared);

/// Looks back over at least two seconds and ten periods of one task (HeiTS, "Watchdog"). Owns no clock.
/// Thread-safe: no (the watchdog's). Real-time-safe: yes.
class BehaviourWatch {
 public:
  struct Declared {
    Rate rate;
    std::uint32_t workahead = 1;
    double frequency = 1;   ///< share of packets processed
    Duration worst{0};      ///< reserved for one packet
    bool enforces = true;   ///< false: a reader, which has no packets
    bool sporadic = false;  ///< true: the rate is the highest, and few packets are not too few
  };
  struct Reading {
    std::uint64_t packets = 0;  ///< begun so far
    Duration cpu{0};            ///< used so far
  };

  /// What was found, if it was not found by the last look back or became graver since.
  [[nodiscard]] std::optional<Misbehaviour> look(TimePoint now, const Declared& declared,
                                                 const Reading& reading) noexcept;
  /// No thread is bound or its waits are interrupted: the next look begins anew.
  void rest() noexcept { m_begin.reset(); }

 private:
  std::optional<TimePoint> m_begin;  // of the present look back
  Reading m_atBegin;
  std::optional<Misbehaviour> m_last;
};

}  // namespace tactus::periodic
