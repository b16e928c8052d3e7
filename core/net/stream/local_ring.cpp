// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_ring.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/net/stream/wake_up.h"

namespace tactus::net {
namespace {

constexpr std::uint64_t kMagic = 0x676e697274636174;  // "tactring" in the machine's order
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kGranularity = 64;

static_assert(sizeof(RingHeader) % kGranularity == 0);

}  // namespace

std::size_t LocalRing::bytesOf(std::size_t capacity) noexcept {
  return sizeof(RingHeader) + (capacity + kGranularity - 1) / kGranularity * kGranularity;
}

Result<LocalRing> LocalRing::create(std::size_t capacity) {
  if (capacity == 0 || capacity > kLargestCapacity)
    return Error{ErrorCode::InvalidArgument, "A ring has 1 byte to 2 GiB."};
  auto memory = SealedMemory::create(bytesOf(capacity));
  if (!memory.ok()) return memory.error();
  auto data = WakeUp::create();
  if (!data.ok()) return data.error();
  auto room = WakeUp::create();
  if (!room.ok()) return room.error();
  RingHeader header{};
  header.magic = kMagic;
  header.version = kVersion;
  header.capacity = bytesOf(capacity) - sizeof header;
  std::memcpy(memory.value().bytes().data(), &header, sizeof header);
  return LocalRing(std::move(memory).value(), std::move(data).value(), std::move(room).value());
}

Result<LocalRing> LocalRing::open(std::vector<Descriptor> descriptors, std::size_t largest) {
  if (descriptors.size() != kDescriptors)
    return Error{ErrorCode::Corrupt, "The peer sent another number of descriptors than a ring has."};
  auto memory =
      SealedMemory::open(std::move(descriptors[0]), sizeof(RingHeader) + std::min(largest, kLargestCapacity));
  if (!memory.ok()) return memory.error();
  for (const std::size_t each : {1u, 2u})
    if (auto checked = WakeUp::check(descriptors[each]); !checked.ok()) return checked.error();
  const std::span<std::byte> bytes = memory.value().bytes();
  RingHeader header{};
  if (bytes.size() > sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return Error{ErrorCode::Corrupt, "The peer's memory is no ring."};
  if (header.version != kVersion)
    return Error{ErrorCode::Corrupt,
                 "The peer's ring is of another version: " + std::to_string(header.version) + " instead of " +
                     std::to_string(kVersion) + "."};
  if (header.capacity != bytes.size() - sizeof header || header.capacity % kGranularity != 0)
    return Error{ErrorCode::Corrupt, "The peer's ring is not as large as its memory."};
  return LocalRing(std::move(memory).value(), std::move(descriptors[1]), std::move(descriptors[2]));
}

}  // namespace tactus::net
