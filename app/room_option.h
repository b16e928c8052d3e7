// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/periodic/result.h"

namespace tactus::app {

/// The address of links that work on this machine alone.
inline constexpr const char* kThisMachineAlone = "127.0.0.1";

/// The room that is hosted. Plain data.
struct RoomOption {
  std::string name = "Room";
  std::uint16_t port = 0;  ///< 0: any free one
  std::string address;     ///< of the links; empty: the best of this machine
  bool lobby = false;
  std::size_t most = 8;  ///< participants
};

struct Options;

/// Each sets an option from its value; an error says why it cannot.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] Result<void> setRoomName(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setRoomPort(Options& options, std::string_view name, std::string_view value);
/// A host name, or a numeric address without brackets.
[[nodiscard]] Result<void> setRoomAddress(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setMostParticipants(Options& options, std::string_view name,
                                               std::string_view value);

}  // namespace tactus::app
