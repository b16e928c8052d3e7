// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/qos/qos_events.h"
#include "core/periodic/qos/stream_qos.h"
#include "media/sharing/governed_stream.h"
#include "media/sharing/qos_sentence.h"
#include "media/sharing/window_admission.h"
#include "media/sharing/window_meter.h"
#include "media/sharing/window_terms.h"

namespace tactus::media {

using periodic::QosEvent;

/// How a window fares.
struct WindowState {
  std::uint64_t id = 0;
  WindowTerms terms;
  WindowStage stage = WindowStage::Whole;
  Thinning thinning;
  LastRung lastRung = LastRung::Keyframes;
  double nominalRate = 0, shownRate = 0;  ///< pictures a second; 0 = unknown
  double load = 0;                        ///< processors it would use at f = 1
  bool violating = false;
  QosCause cause = QosCause::None;
  std::string sentence;                  ///< why it shows less than it could; empty = it is whole
  std::optional<WindowRefusal> refusal;  ///< it is held: why
  SourceLimit limit;                     ///< what comes of its stream is less than is wanted
  std::optional<Duration> playout;       ///< as of LoadFigures
  Duration longestPlayout{0};            ///< likewise
};

/// The plan leaves out nothing, and less comes of the stream than is wanted: cause and sentence are the
/// limit's. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] bool isLimitedAlone(const WindowState& state) noexcept;

/// One window of the governor's: what is measured, decided and told of it. Owns no clock, and knows no
/// stream. Thread-safe: no. Real-time-safe: no (allocates).
struct GovernedWindow {
  GovernedWindow(bool asksFirst, const LoadConstants& constants) : asks(asksFirst), meter(constants) {}

  bool asks;  ///< each film must be admitted
  WindowMeter meter;
  WindowState state;
  periodic::StreamQos qos;
  std::string handler;          ///< whose limits hold, or held
  Rung rung;                    ///< where it stands on its ladder, also while it asks
  StreamService service;        ///< told last
  periodic::TimePoint stood{};  ///< on its place, since
  /// By the events so far.
  struct Told {
    SourceLimit limit;
    bool givesWay = false, smaller = false;
    periodic::TimePoint at{};
  } told;

  /// Another film begins as the window's entry has it.
  void measure(const LoadFigures& figures, Duration passed, periodic::TimePoint now);
  [[nodiscard]] Ladder ladder() const;
  [[nodiscard]] WindowClaim claim() const;
  /// Of its pictures at f = 1; zero = unknown.
  [[nodiscard]] Duration period() const noexcept;
  /// Share of its time by which its pictures may be late: what its contract tolerates, at least one picture,
  /// beyond the largest stock that it can have.
  [[nodiscard]] double tolerated() const noexcept;
  /// Its place on the ladder from now on. Returns whether its stream is to be told.
  [[nodiscard]] bool stand(Rung next, periodic::TimePoint now);
  /// Most of its misses within its contract's window are the display's, busy with the picture before.
  [[nodiscard]] bool displayIsLate(periodic::TimePoint now) const;
  /// Counts misses against the contract, and lets the default act where no handler is attached and where work
  /// stands undone, or the display is late: a longer period helps with nothing else.
  void judge(periodic::TimePoint now, Duration recovery, bool handled);
  /// What a handler wants: limits, and terms.
  void act(const periodic::QosEvents::Wanted& wanted);
  /// Cause and sentence where it shows less than it could, or misses; else none. What the plan leaves out is
  /// explained before a limit, and a limit before late pictures. `rival` as in isRival().
  void explain(periodic::TimePoint now, const GovernedWindow* rival, bool machineIsFull, bool othersFillIt);
  /// Of two windows that weigh as much as this one at least, whether `each` explains its giving way better
  /// than `than` (null = nobody).
  [[nodiscard]] bool isRival(const GovernedWindow& each, const GovernedWindow* than) const;
  /// What is told after judge() and explain(): mostly nothing. It is Whole once plan and limit leave out
  /// nothing. A limit is told when it begins or gets another place or leaves something else; another figure
  /// is no news. Of Whole, Limited and Smaller one a second at most.
  [[nodiscard]] std::vector<QosEvent::Kind> tell(periodic::TimePoint now);
  [[nodiscard]] QosEvent event(QosEvent::Kind kind, periodic::TimePoint now) const;
};

}  // namespace tactus::media
