// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::net {

/// The rate at which bytes arrived over the last moment, by the receiver's clock. It is measured from one
/// arrival to another: while a queue stands before the link it is exactly what the link carries, however few
/// packets there are. Thread-safe: no. Real-time-safe: yes.
class ArrivalRate {
 public:
  /// `window`: over how long at least, in seconds.
  explicit ArrivalRate(double window) noexcept : m_window(window) {}

  /// A packet arrived, at `instant` in seconds.
  void arrived(double instant, double bytes) TACTUS_REALTIME;
  /// One report has been taken in.
  void endReport() TACTUS_REALTIME;
  /// Bits a second; absent before a window has passed.
  [[nodiscard]] std::optional<double> rate() const TACTUS_REALTIME;
  void clear() TACTUS_REALTIME;

 private:
  /// How much had arrived at the newest arrival of a report.
  struct Mark {
    double instant = 0, bytes = 0;
  };
  static constexpr double kApart = 0.01;  // s between marks: so many of them are longer than the window
  static constexpr std::size_t kMarks = 64;

  const double m_window;
  std::array<Mark, kMarks> m_marks{};
  std::size_t m_count = 0;  // of all marks; the newest is at m_count - 1
  std::optional<double> m_newest;
  double m_bytes = 0;  // all that arrived
};

}  // namespace tactus::net
