// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plugins/gst_handle.h"

namespace tactus::media {

/// The fields of an RTP header that say which packets belong together (RFC 3550, 5.1).
struct RtpHeader {
  static constexpr std::size_t kSize = 12;  // without CSRC list and extension
  bool marker = false;                      // of video: the last packet of its picture
  std::uint32_t timestamp = 0;
};

/// Packets that are delivered together: mapped buffers. One thread. Real-time-safe: yes, as far as mapping a
/// buffer of one block is.
class PacketGroup {
 public:
  static constexpr std::size_t kMost = 64;

  PacketGroup() = default;
  ~PacketGroup() { clear(); }
  PacketGroup(const PacketGroup&) = delete;
  PacketGroup& operator=(const PacketGroup&) = delete;

  /// Adds a packet; there is room for it. False: it is no RTP packet, and nothing was added.
  [[nodiscard]] bool add(plugins::BufferPtr packet) noexcept;
  [[nodiscard]] std::span<const std::span<const std::byte>> packets() const noexcept {
    return {m_packets.data(), m_size};
  }
  /// Of the packet added last.
  [[nodiscard]] RtpHeader header() const noexcept { return m_header; }
  [[nodiscard]] bool empty() const noexcept { return m_size == 0; }
  [[nodiscard]] bool full() const noexcept { return m_size == kMost; }
  void clear() noexcept;

 private:
  std::array<GstBuffer*, kMost> m_buffers{};
  std::array<GstMapInfo, kMost> m_maps{};
  std::array<std::span<const std::byte>, kMost> m_packets{};
  std::size_t m_size = 0;
  RtpHeader m_header;
};

}  // namespace tactus::media
