// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/periodic/qos/qos_event.h"
#include "media/sharing/governed_stream.h"
#include "media/sharing/source_limit.h"
#include "media/sharing/window_terms.h"

namespace tactus::media {

using periodic::QosCause;

/// What is known of a window that shows fewer pictures than it could, or some too late.
struct WindowFare {
  std::string_view name;
  Thinning thinning;
  LastRung lastRung = LastRung::Keyframes;
  double nominalRate = 0;       ///< pictures a second of the film; 0 = unknown
  bool waitsForSource = false;  ///< disk or network deliver too slowly
  bool displayIsLate = false;   ///< most of what it misses was ready in time
  bool stretched = false;       ///< its period is longer for misses that the plan does not explain
  std::string_view limitedBy;   ///< the handler whose limits bind it; empty: none
  bool machineIsFull = false;   ///< a processor at least
  bool othersFillIt = false;    ///< programs that are not ours
};

/// The window that keeps more and takes most.
struct WindowRival {
  std::string_view name;
  Priority priority = Priority::Normal;
};

struct QosExplanation {
  QosCause cause = QosCause::None;
  std::string sentence;  ///< "'Lecture' shows 15 of 30 pictures a second: ..."
};

/// What it shows on its last rung, as a pill has it: "keyframes only", "no picture".
[[nodiscard]] std::string_view nameOf(LastRung rung) noexcept;

/// Cause and sentence. Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] QosExplanation explain(const WindowFare& fare, const std::optional<WindowRival>& rival);
/// Of a live stream that comes with a limit: "'Ann' shows a smaller picture: your network carries 480
/// kbit/s." Without a limit no cause and no sentence. Thread-safe: yes (pure). Real-time-safe: no
/// (allocates).
[[nodiscard]] QosExplanation explain(std::string_view name, const SourceLimit& limit);

/// Whether the limit lies with the stream's sender, its line, computer or program.
/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] bool isTheirs(const SourceLimit& limit) noexcept;
/// What its receiver may write to the sender: "I see no picture of you: your computer is busy."; empty unless
/// the limit isTheirs(). Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] std::string sentenceToSender(const SourceLimit& limit);

}  // namespace tactus::media
