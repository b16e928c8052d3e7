// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/keyframe_start.h"

#include <cstdint>

#include "media/room/egress/network_order.h"

namespace tactus::media {
namespace {

using Payload = std::span<const std::byte>;

constexpr unsigned kIdrSlice = 5, kSequenceParameters = 7, kAggregate = 24, kFragment = 28;

unsigned at(Payload payload, std::size_t index) {
  return std::to_integer<unsigned>(payload[index]);
}

/// Whether a unit with this header begins one; `rest` is what follows the header. A later slice of the same
/// picture begins with another number than 0 (first_mb_in_slice, H.264, 7.3.3), whose code is the bit 1.
bool beginsKeyframe(unsigned header, Payload rest) {
  const unsigned type = header & 0x1f;
  const bool firstSlice = !rest.empty() && (at(rest, 0) & 0x80) != 0;
  return type == kSequenceParameters || (type == kIdrSlice && firstSlice);
}

/// Bytes of the payload descriptor; more than there are, if it is cut off.
std::size_t descriptorBytes(Payload payload) {
  if ((at(payload, 0) & 0x80) == 0 || payload.size() < 2) return 1;  // X
  const unsigned extension = at(payload, 1);
  std::size_t bytes = 2;
  if ((extension & 0x80) != 0)  // I: a picture's number of one byte or two
    bytes += payload.size() > bytes && (at(payload, bytes) & 0x80) != 0 ? 2 : 1;
  if ((extension & 0x40) != 0) ++bytes;  // L
  if ((extension & 0x30) != 0) ++bytes;  // T or K
  return bytes;
}

}  // namespace

bool beginsVp8Keyframe(Payload payload) TACTUS_REALTIME {
  if (payload.empty()) return false;
  const bool begins = (at(payload, 0) & 0x10) != 0 && (at(payload, 0) & 0x07) == 0;  // S, partition 0
  const std::size_t header = descriptorBytes(payload);
  return begins && payload.size() > header && (at(payload, header) & 0x01) == 0;  // P
}

bool beginsH264Keyframe(Payload payload) TACTUS_REALTIME {
  if (payload.empty()) return false;
  const unsigned type = at(payload, 0) & 0x1f;
  if (type == kFragment) {
    const bool begins = payload.size() > 1 && (at(payload, 1) & 0x80) != 0;
    return begins && beginsKeyframe(at(payload, 1), payload.subspan(2));
  }
  if (type != kAggregate) return beginsKeyframe(type, payload.subspan(1));
  Payload rest = payload.subspan(1);
  while (rest.size() > 2) {
    const std::size_t bytes = get16(rest.data());
    if (beginsKeyframe(at(rest, 2), rest.subspan(3))) return true;
    if (rest.size() < 2 + bytes) return false;
    rest = rest.subspan(2 + bytes);
  }
  return false;
}

}  // namespace tactus::media
