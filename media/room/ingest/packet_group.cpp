// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/packet_group.h"

namespace tactus::media {

bool PacketGroup::add(plugins::BufferPtr packet) noexcept {
  GstMapInfo map;
  if (full() || gst_buffer_map(packet.get(), &map, GST_MAP_READ) == FALSE) return false;
  constexpr unsigned kVersion = 2;
  if (map.size < RtpHeader::kSize || map.data[0] >> 6 != kVersion) {
    gst_buffer_unmap(packet.get(), &map);
    return false;
  }
  m_header = {(map.data[1] & 0x80) != 0, GST_READ_UINT32_BE(map.data + 4)};
  m_packets[m_size] = std::as_bytes(std::span(map.data, map.size));
  m_maps[m_size] = map;
  m_buffers[m_size++] = packet.release();
  return true;
}

void PacketGroup::clear() noexcept {
  for (std::size_t i = 0; i < m_size; ++i) {
    gst_buffer_unmap(m_buffers[i], &m_maps[i]);
    gst_buffer_unref(m_buffers[i]);
  }
  m_size = 0;
}

}  // namespace tactus::media
