// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "core/net/descriptor.h"
#include "core/periodic/result.h"

namespace tactus::net {

/// Memory that two processes share though neither trusts the other: a memfd whose size is sealed, so that no
/// access to it can fail, whatever the peer does (memfd_create(2)). The peer may change each byte at any
/// instant. Mapped while the object lives. Thread-safe: no.
class SealedMemory {
 public:
  /// `bytes` of zeros, above 0, taken now: the caller has made sure that the machine has them, since the
  /// kernel rather ends processes than say no. System: the kernel said no.
  [[nodiscard]] static Result<SealedMemory> create(std::size_t bytes);
  /// Maps what a peer's create() made. Corrupt: `memory` is something else, its size is not sealed, is 0 or
  /// above `largest`, or its pages may run out (huge pages). System: it could not be mapped.
  [[nodiscard]] static Result<SealedMemory> open(Descriptor memory, std::size_t largest);

  ~SealedMemory();
  SealedMemory(SealedMemory&& other) noexcept;
  SealedMemory& operator=(SealedMemory&&) = delete;

  /// They stay where they are when the object is moved. Real-time-safe: yes.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return m_bytes; }
  /// To pass to the peer. Real-time-safe: yes.
  [[nodiscard]] const Descriptor& descriptor() const noexcept { return m_descriptor; }

 private:
  SealedMemory(Descriptor descriptor, std::span<std::byte> bytes) noexcept
      : m_descriptor(std::move(descriptor)), m_bytes(bytes) {}
  [[nodiscard]] static Result<SealedMemory> map(Descriptor memory, std::size_t bytes);
  Descriptor m_descriptor;
  std::span<std::byte> m_bytes;  // the mapping; empty once moved away
};

}  // namespace tactus::net
