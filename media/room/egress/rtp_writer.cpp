// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/rtp_writer.h"

#include <algorithm>
#include <cassert>

#include "media/room/egress/network_order.h"

namespace tactus::media {
namespace {

constexpr std::size_t kFixedHeader = 12;
constexpr std::size_t kLongestMid = 16;
constexpr std::uint16_t kOneByteForm = 0xBEDE;

/// Element of the one-byte form: the id, and the data's bytes less one. Returns where its data goes.
std::byte* element(std::byte* at, std::uint8_t id, std::size_t bytes) noexcept {
  *at = static_cast<std::byte>(id << 4 | (bytes - 1));
  return at + 1;
}

}  // namespace

std::size_t writeRtpHeader(std::span<std::byte> out, const RtpStreamTerms& terms, RtpPosition position,
                           bool marker, std::uint16_t transportNumber) TACTUS_REALTIME {
  assert(out.size() >= kLongestRtpHeader);
  const bool extended = terms.transportNumberId || terms.midId;
  out[0] = extended ? std::byte{0x90} : std::byte{0x80};
  out[1] = static_cast<std::byte>((marker ? 0x80 : 0) | terms.payloadType);
  put16(&out[2], position.sequence);
  put32(&out[4], position.timestamp);
  put32(&out[8], terms.ssrc);
  if (!extended) return kFixedHeader;

  std::byte* const data = &out[kFixedHeader + 4];
  std::byte* end = data;
  if (terms.transportNumberId) {
    end = element(end, *terms.transportNumberId, 2);
    put16(end, transportNumber);
    end += 2;
  }
  if (terms.midId) {
    const std::size_t bytes = std::min(terms.mid.size(), kLongestMid);
    assert(bytes > 0);
    end = element(end, *terms.midId, bytes);
    end = std::transform(terms.mid.begin(), terms.mid.begin() + static_cast<std::ptrdiff_t>(bytes), end,
                         [](char each) { return static_cast<std::byte>(each); });
  }
  while ((end - data) % 4 != 0) *end++ = std::byte{0};
  put16(&out[kFixedHeader], kOneByteForm);
  put16(&out[kFixedHeader + 2], static_cast<std::uint16_t>((end - data) / 4));
  return kFixedHeader + 4 + static_cast<std::size_t>(end - data);
}

}  // namespace tactus::media
