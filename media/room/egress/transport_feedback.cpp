// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/transport_feedback.h"

#include <algorithm>
#include <chrono>

#include "core/periodic/trace/format.h"
#include "media/room/egress/network_order.h"

namespace tactus::media {

using periodic::Duration;

namespace {

using namespace std::chrono_literals;

enum class Status : std::uint8_t { Missing, SmallDelta, LargeDelta, Reserved };

constexpr std::size_t kHeader = 8;
constexpr auto kReferenceUnit = 64ms;
constexpr auto kDeltaUnit = 250us;

/// Appends the statuses of one chunk, at most as many as are announced.
void addChunk(std::uint16_t chunk, std::size_t announced, std::vector<Status>& statuses) {
  const auto add = [&](unsigned value) {
    if (statuses.size() < announced) statuses.push_back(static_cast<Status>(value & 3));
  };
  const bool isRun = (chunk & 0x8000) == 0, hasTwoBits = (chunk & 0x4000) != 0;
  if (isRun) {
    for (unsigned i = chunk & 0x1fffu; i > 0 && statuses.size() < announced; --i) add(chunk >> 13u & 3u);
  } else if (hasTwoBits) {
    for (int i = 6; i >= 0; --i) add(static_cast<unsigned>(chunk) >> (2 * i));
  } else {
    for (int i = 13; i >= 0; --i) add(static_cast<unsigned>(chunk) >> i & 1u);
  }
}

/// The reference time: 24 bits with sign.
Duration referenceTime(const std::byte* at) {
  const auto raw = static_cast<std::int32_t>(get32(at) & 0xffffff00u) / 256;
  return raw * kReferenceUnit;
}

Error endsEarly(std::size_t bytes, std::size_t packets) {
  return {ErrorCode::Corrupt,
          periodic::format("A transport feedback of %zu bytes ends before what it says of "
                           "%zu packets.",
                           bytes, packets)};
}

}  // namespace

Result<TransportFeedback> readTransportFeedback(std::span<const std::byte> information) {
  if (information.size() < kHeader) return endsEarly(information.size(), 0);
  const std::uint16_t first = get16(information.data());
  const std::size_t announced = get16(information.data() + 2);
  std::vector<Status> statuses;
  statuses.reserve(announced);
  std::size_t at = kHeader;
  for (; statuses.size() < announced; at += 2) {
    if (at + 2 > information.size()) return endsEarly(information.size(), announced);
    const std::size_t before = statuses.size();
    addChunk(get16(information.data() + at), announced, statuses);
    if (statuses.size() == before)
      return Error{ErrorCode::Corrupt, "A transport feedback has a run of no packets."};
  }

  TransportFeedback feedback;
  feedback.count = std::to_integer<std::uint8_t>(information[7]);
  feedback.packets.reserve(announced);
  Duration time = referenceTime(information.data() + 4);
  for (std::size_t i = 0; i < announced; ++i) {
    TransportFeedback::Arrival packet{.number = static_cast<std::uint16_t>(first + i)};
    if (statuses[i] == Status::SmallDelta || statuses[i] == Status::LargeDelta) {
      const std::size_t bytes = statuses[i] == Status::SmallDelta ? 1 : 2;
      if (at + bytes > information.size()) return endsEarly(information.size(), announced);
      const int delta = bytes == 1 ? std::to_integer<int>(information[at])
                                   : static_cast<std::int16_t>(get16(information.data() + at));
      at += bytes;
      time += delta * kDeltaUnit;
      packet.at = time;
    }
    feedback.packets.push_back(packet);
  }
  return feedback;
}

}  // namespace tactus::media
