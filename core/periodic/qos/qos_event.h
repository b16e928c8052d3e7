// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// What made a stream give way or miss its deadlines.
enum class QosCause {
  None,
  Streams,        ///< other streams of this program use the processors
  OtherPrograms,  ///< another program does
  Source,         ///< disk or network deliver too slowly
  Display,        ///< packets are ready in time and are taken late
  Handler,        ///< a handler of its events asked for it
  Network,        ///< packets come too late, or not at all
  Sender,         ///< packets are made too late, or not at all
  Processor,      ///< packets are here in time, and whoever takes them begins too late
};
[[nodiscard]] std::string_view nameOf(QosCause cause) noexcept;  // "other streams", "other programs", ...

/// Something that happened to a stream's quality, for people and for programs.
struct QosEvent {
  enum class Kind {
    Violation,  ///< more deadlines were missed within a window than the contract tolerates
    Recovered,  ///< the violation is over
    Thinned,    ///< a share of its packets is processed
    LastRung,   ///< less than f_min: keyframes only, or what the stream has instead
    Whole,      ///< every packet is processed again
    Refused,    ///< there is no room for it beside the others: it waits
    Admitted,   ///< after it was refused
    Smaller,    ///< its packets come in a smaller size
    Limited,    ///< less of a live stream comes than is wanted, for a reason before its decoder
  } kind = Kind::Violation;
  std::uint64_t stream = 0;
  std::string name = {};  ///< of the stream
  QosCause cause = QosCause::None;
  double frequency = 1;  ///< share of its packets that is processed from now on
  std::uint64_t misses = 0;
  TimePoint at{};
  std::string sentence = {};  ///< whole, for people
};
[[nodiscard]] std::string_view nameOf(QosEvent::Kind kind) noexcept;  // "violation", "recovered", ...

/// Ranges of terms: of f_min, and of a weight.
[[nodiscard]] constexpr bool isLeastFrequency(double f) noexcept {
  return f >= 0 && f <= 1;
}
[[nodiscard]] constexpr bool isWeight(double weight) noexcept {
  return weight > 0 && weight <= 1000;
}

/// What a handler wants done about an event (RTSS, section 4.1: it can "take an appropriate action"). A field
/// without a value leaves things as they are; a limit of 1 ends a limit.
struct QosAction {
  std::optional<double> frequency = {};       ///< highest share of the packets, (0, 1]
  std::optional<double> size = {};            ///< highest share of width and height, (0, 1]
  std::optional<double> leastFrequency = {};  ///< terms: f_min, [0, 1]
  std::optional<double> weight = {};          ///< terms: above 0, at most 1000
};
/// InvalidArgument with a sentence for what is out of range, or an action that asks for nothing.
[[nodiscard]] Result<void> validate(const QosAction& action);

}  // namespace tactus::periodic
