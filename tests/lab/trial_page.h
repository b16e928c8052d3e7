// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus::lab {

/// What has passed one end of a stream so far.
struct PassedCount {
  // relaxed: counters with one writer each; nothing is published through them.
  std::atomic<std::uint64_t> buffers{0}, bytes{0};

  /// One writer. Thread-safe: beside readers. Real-time-safe: yes.
  void add(std::size_t size) noexcept {
    buffers.store(buffers.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    bytes.store(bytes.load(std::memory_order_relaxed) + size, std::memory_order_relaxed);
  }
};

/// What the two processes of a trial and the lab share: a memory file, which a program of its own inherits as
/// a descriptor. All zero: nothing has happened.
struct TrialPage {
  /// Where the receiver listens, since it does: its TCP or UDP port, or 1 where a path says where. release
  /// and acquire: who reads it may connect.
  std::atomic<std::uint32_t> port{0};
  alignas(128) PassedCount sent;  // a cache line of its own for each writer
  alignas(128) PassedCount arrived;

  /// The page of this descriptor, until munmap() or the end of the process; nullptr: it is none.
  [[nodiscard]] static TrialPage* at(int descriptor) noexcept {
    void* memory = mmap(nullptr, sizeof(TrialPage), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<TrialPage*>(memory);
  }
};

}  // namespace tactus::lab
