// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests.

#include <string>
#include <thread>

#include "core/net/descriptor.h"

namespace tactus::media::testing {

/// A Wayland socket before that of a compositor without a graphics card. It says of each screen copy that
/// there could be one in a DMA-BUF, too: xdg-desktop-portal-wlr (0.7) shares nothing before it is told so,
/// and then uses shared memory where there is no card (its issue 289). One client at a time.
class WaylandRelay {
 public:
  WaylandRelay(const std::string& path, std::string compositor);
  ~WaylandRelay();
  WaylandRelay(const WaylandRelay&) = delete;
  WaylandRelay& operator=(const WaylandRelay&) = delete;

 private:
  void main();
  void carry(int client);

  const std::string m_compositor;
  net::Descriptor m_listener, m_stop;
  std::thread m_thread;
};

}  // namespace tactus::media::testing
