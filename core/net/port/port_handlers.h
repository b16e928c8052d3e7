// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/periodic/time/time.h"

namespace tactus::net {

/// Fills a buffer of a write port and returns how many bytes of it leave; 0: none this time; nullopt: the
/// stream ends (RTSS 4.1, RTSS_data_handler). Called by the port's task once a period, or without a rate as
/// soon as there is room. It should take no longer than the contract's processing time; what it throws ends
/// the stream. Without a rate buffers leave together: a handler that has nothing returns 0 and is called
/// again within 20 ms, for while it waits, what it filled before waits as well.
using WriteHandler = std::function<std::optional<std::size_t>(std::span<std::byte> buffer)>;

/// A buffer as a read port delivers it.
struct StreamBuffer {
  std::uint32_t number = 0;
  periodic::Duration made = {};  ///< by the sender's monotonic clock, whose origin is its own
  std::span<const std::byte> bytes =
      {};  ///< until the handler returns; none: it is due and is not here (isochronous)
};
/// Takes a buffer of a read port. Called by the port's task as soon as a buffer is whole, or once a period
/// where the contract is isochronous. As WriteHandler.
using ReadHandler = std::function<void(const StreamBuffer& buffer)>;

}  // namespace tactus::net
