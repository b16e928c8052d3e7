// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a Wayland desktop without a window or a graphics card, whose screen is shared by its portal.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "media/capture/wayland_relay_fixture.h"
#include "media/stage/dbus_handle.h"

namespace tactus::media::testing {

/// sway with one output of 1280x720, xdg-desktop-portal, its backend for wlroots, and a D-Bus bus of their
/// own; PipeWire is the session's. All of it is killed with this.
class WaylandDesktop {
 public:
  /// What the user answers to the portal's dialog.
  enum class User { Agrees, Refuses, Thinks };
  /// How much of the desktop there is.
  enum class Extent { Bus, Portal, Whole };
  explicit WaylandDesktop(Extent extent, User user = User::Agrees);
  ~WaylandDesktop();
  WaylandDesktop(const WaylandDesktop&) = delete;
  WaylandDesktop& operator=(const WaylandDesktop&) = delete;

  /// Empty: it does not run.
  [[nodiscard]] const std::string& bus() const { return m_address; }
  /// The screen shows a picture with a PictureStamp of this number, and nothing else.
  void show(std::uint32_t number);
  /// Shows it again and again: a picture that comes before the capture runs is lost, and the backend for
  /// wlroots gives the next when something changes. False: it never held.
  [[nodiscard]] bool showUntil(std::uint32_t number, const std::function<bool()>& condition);
  /// The user is another, or changes their mind.
  void setUser(User user);
  void killBackend() { end(m_backend); }
  void killPortal() { end(m_portal); }

 private:
  [[nodiscard]] pid_t start(const std::vector<std::string>& words, const char* display = "wayland-1") const;
  static void end(pid_t& process);
  [[nodiscard]] bool owned(const char* name) const;
  bool startBus();
  bool startCompositor();
  bool startBackend(User user);
  void write(const char* name, const std::string& text) const;

  std::string m_folder, m_address;
  ConnectionPtr m_connection;
  std::unique_ptr<WaylandRelay> m_relay;  // between the compositor and the backend
  pid_t m_daemon = 0, m_sway = 0, m_permissions = 0, m_backend = 0, m_portal = 0, m_background = 0;
};

}  // namespace tactus::media::testing
