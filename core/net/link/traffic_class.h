// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tactus::net {

/// What a packet carries, as RFC 8837 has it.
enum class Carries : std::uint8_t {
  Audio,
  InteractiveVideo,  ///< of a call
  Video,             ///< a film that is sent, a lecture
  Data,
};

/// The application's priority, as RFC 8837 has it (WebRTC's RTCPriorityType).
enum class SendPriority : std::uint8_t { VeryLow, Low, Medium, High };

/// The IPv4 TOS or IPv6 traffic class byte of a packet: the DSCP of RFC 8837, table 1, in its upper six bits,
/// no ECN. Where the table leaves two drop precedences to choose from, the one that is dropped last. Networks
/// may ignore or clear it. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr std::uint8_t trafficClassOf(Carries carries, SendPriority priority) noexcept {
  constexpr std::uint8_t kLowest = 8;  // CS1
  constexpr std::uint8_t kDefault = 0;
  std::uint8_t dscp = kDefault;
  switch (priority) {
    case SendPriority::VeryLow:
      dscp = kLowest;
      break;
    case SendPriority::Low:
      break;
    case SendPriority::Medium:
    case SendPriority::High: {
      const bool high = priority == SendPriority::High;
      switch (carries) {
        case Carries::Audio:
          dscp = 46;  // EF
          break;
        case Carries::InteractiveVideo:
          dscp = high ? 34 : 36;  // AF41, AF42
          break;
        case Carries::Video:
          dscp = high ? 26 : 28;  // AF31, AF32
          break;
        case Carries::Data:
          dscp = high ? 18 : 10;  // AF21, AF11
          break;
      }
    }
  }
  return static_cast<std::uint8_t>(dscp << 2);
}

}  // namespace tactus::net
