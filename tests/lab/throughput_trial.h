// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "tests/lab/child_process.h"
#include "tests/lab/trial_page.h"

namespace tactus::lab {

/// A way by which buffers of one size go from one process to another, as fast as they can.
struct ThroughputWay {
  /// What the start of a process is told.
  struct Side {
    bool sends = false;
    std::size_t size = 0;   ///< bytes of a buffer
    int page = -1;          ///< the descriptor of the TrialPage
    std::string path = {};  ///< for a Unix socket of the trial's own
  };
  std::string name;
  std::function<Result<ChildProcess>(const Side& side)> start;
};

/// Which part of a trial counts, from the first buffer that arrived on.
struct TrialSpan {
  periodic::Duration begin{0}, length{0};
};

/// What happened in it.
struct TrialFigures {
  double seconds = 0;
  std::uint64_t sent = 0, arrived = 0;    ///< buffers
  std::uint64_t arrivedBytes = 0;         ///< of whole buffers, headers not counted
  double senderCpu = 0, receiverCpu = 0;  ///< seconds of processor time of the whole process
  [[nodiscard]] double mbit() const noexcept { return 8e-6 * static_cast<double>(arrivedBytes) / seconds; }
  [[nodiscard]] double buffersPerSecond() const noexcept { return static_cast<double>(arrived) / seconds; }
  [[nodiscard]] double sentPerSecond() const noexcept { return static_cast<double>(sent) / seconds; }
  /// Of what was sent, 0 to 1. What was under way at the beginning counts as arrived.
  [[nodiscard]] double lost() const noexcept;
  /// Processor time in ns for a buffer that was sent, or that arrived.
  [[nodiscard]] double senderNs() const noexcept;
  [[nodiscard]] double receiverNs() const noexcept;
};

/// Starts a receiver and a sender, two fresh processes, and ends them afterwards. `scratch`: a folder for its
/// socket. System: a process ended, or nothing arrived for 10 s; the sentence says which.
[[nodiscard]] Result<TrialFigures> runTrial(const ThroughputWay& way, std::size_t size, TrialSpan span,
                                            const std::filesystem::path& scratch);

}  // namespace tactus::lab
