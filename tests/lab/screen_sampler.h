// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/lab/child_process.h"
#include "tests/lab/seen_frames.h"

namespace tactus::lab {

/// Where a film with a block code is on the screen, in pixels.
struct WatchedWindow {
  int x = 0, y = 0;  ///< of the picture
  double scale = 1;  ///< of its size to the film's
};

/// A watcher in front of the screen: a process of its own, above everything else in SCHED_FIFO, that reads
/// the block code in the top left corner of each window 300 times a second and notes when the number changes.
/// It sees what a person would, whatever the player says of itself.
class ScreenSampler {
 public:
  static constexpr int kLooksPerSecond = 300;

  /// Errors: PermissionDenied where SCHED_FIFO is refused (beside CPU hogs a watcher without it is blind),
  /// Unavailable where the screen cannot be read.
  [[nodiscard]] static Result<ScreenSampler> start(const std::string& display,
                                                   const std::vector<WatchedWindow>& windows = {
                                                       WatchedWindow{}});

  /// What was seen since `begin`; the log holds the last hour.
  [[nodiscard]] std::vector<Sighting> sightingsSince(periodic::TimePoint begin) const;
  /// How late the watcher itself was woken at worst since the last call. A watcher that was kept from looking
  /// for longer than a picture lasts has seen gaps that were not there.
  [[nodiscard]] periodic::Duration takeLongestDelay() const;
  /// Waits until a picture numbered at least `frame` is seen after `begin`; nothing after `limit`.
  [[nodiscard]] std::optional<Sighting> await(std::uint32_t frame, periodic::TimePoint begin,
                                              periodic::Duration limit) const;

 private:
  struct Log;
  struct Unmap {
    void operator()(Log* log) const noexcept;
  };
  static void watch(Log& log, const std::string& display, const std::vector<WatchedWindow>& windows);

  std::unique_ptr<Log, Unmap> m_log;
  ChildProcess m_process;
};

}  // namespace tactus::lab
