// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/lab/child_process.h"

namespace tactus::lab {

/// An X server without a device, for one experiment: no window manager, nothing else on it.
class VirtualScreen {
 public:
  [[nodiscard]] static Result<VirtualScreen> create(int width, int height);

  [[nodiscard]] const std::string& display() const noexcept { return m_display; }
  /// Runs the server in SCHED_FIFO, as compositors with real-time threads run, or at normal priority again.
  [[nodiscard]] Result<void> setRealtime(bool realtime) const;

 private:
  ChildProcess m_server;
  std::string m_display;
};

}  // namespace tactus::lab
