// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/periodic/share/share_spec.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What a stream on a link is; the first are served first. All but bulk have a contract, beyond which their
/// packets wait, so that none of them can starve what comes after.
enum class LinkClass : std::uint8_t {
  Control,  ///< handshakes, feedback, requests for keyframes
  Audio,    ///< sound
  Stream,   ///< pictures, by contract
  Bulk,     ///< files, chat, streams that were not admitted: what the others leave, by weight
};
inline constexpr std::size_t kLinkClassCount = static_cast<std::size_t>(LinkClass::Bulk) + 1;

/// What the link knows of a class: a new class is a new row.
struct LinkClassRow {
  LinkClass linkClass;
  std::string_view name;  ///< shown to people, and of the class's node in the tree
  periodic::ShareOrder order = periodic::ShareOrder::Fair;
  /// How long a packet may wait for its turn, where its stream does not say: later it is of no use.
  periodic::Duration longestWait{0};
  bool contract = true;  ///< its streams need one
};

inline constexpr std::array<LinkClassRow, kLinkClassCount> kLinkClasses{{
    {.linkClass = LinkClass::Control,
     .name = "control",
     .order = periodic::ShareOrder::Deadline,
     .longestWait = std::chrono::milliseconds(200)},
    {.linkClass = LinkClass::Audio,
     .name = "audio",
     .order = periodic::ShareOrder::Deadline,
     .longestWait = std::chrono::milliseconds(100)},
    {.linkClass = LinkClass::Stream, .name = "stream", .longestWait = std::chrono::milliseconds(200)},
    // A flood keeps its queue full, so that this is what its packets wait.
    {.linkClass = LinkClass::Bulk,
     .name = "bulk",
     .longestWait = std::chrono::milliseconds(40),
     .contract = false},
}};

/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr const LinkClassRow& rowOf(LinkClass linkClass) noexcept {
  return kLinkClasses[static_cast<std::size_t>(linkClass)];
}
[[nodiscard]] constexpr std::string_view nameOf(LinkClass linkClass) noexcept {
  return rowOf(linkClass).name;
}
/// The class of this name, as rows have it.
[[nodiscard]] constexpr std::optional<LinkClass> linkClassOf(std::string_view name) noexcept {
  for (const LinkClassRow& row : kLinkClasses)
    if (row.name == name) return row.linkClass;
  return std::nullopt;
}

static_assert(
    [] {
      for (std::size_t i = 0; i < kLinkClassCount; ++i)
        if (kLinkClasses[i].linkClass != static_cast<LinkClass>(i) || kLinkClasses[i].name.empty())
          return false;
      return true;
    }(),
    "A row is missing, or does not stand at its class's index.");

}  // namespace tactus::net
