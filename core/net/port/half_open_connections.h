// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/port/control_connection.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// A connection of somebody who has not yet become a port's peer.
struct HalfOpenConnection {
  ControlConnection connection;
  periodic::TimePoint until;                 ///< it is closed then
  std::optional<ControlArrival> asked = {};  ///< what it said first: a ConnectMessage or a DataMessage
  Descriptor data = {};                      ///< of the stream that it asks for, where it came first
};

/// Connections that came in and are nobody's yet: each has 5 s, and there are 64 at most; one more closes the
/// oldest, so that whoever opens many and says nothing keeps nobody out. Thread-safe: no. Real-time-safe: no.
class HalfOpenConnections {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr periodic::Duration kPatience = std::chrono::seconds(5);

  /// Takes what waits at a listening socket, at most kMost at once.
  void accept(int listener, periodic::TimePoint now);
  /// Reads what they say first. Who says what is no beginning is told so, and closed.
  void read(periodic::TimePoint now);
  /// Closes those whose time is over, with an answer if they asked.
  void expire(periodic::TimePoint now);
  /// The data connection for this session, and removes it; none: it is not there (yet).
  [[nodiscard]] Descriptor takeData(std::uint64_t session);

  /// All of them, the oldest first; erased by the caller as they become somebody's.
  [[nodiscard]] std::list<HalfOpenConnection>& all() noexcept { return m_all; }
  /// Adds what is to be polled: those that have said nothing yet.
  void poll(std::vector<pollfd>& polled) const;
  /// The first instant at which one expires; max(): none.
  [[nodiscard]] periodic::TimePoint nextExpiry() const noexcept;

 private:
  [[nodiscard]] static bool readOne(HalfOpenConnection& each, periodic::TimePoint now);

  std::list<HalfOpenConnection> m_all;  // by age
};

}  // namespace tactus::net
