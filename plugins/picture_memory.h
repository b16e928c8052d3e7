// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactus::plugins {

/// Memory of one picture that another process may map too: an X server shows it without a copy of ours.
/// Movable; not thread-safe, not real-time-safe, but for the accessors.
class PictureMemory {
 public:
  PictureMemory() noexcept = default;
  /// `rows` rows of `rowBytes`, and a margin (see allocatePicture()). Without data() if there is no memory.
  PictureMemory(std::size_t rowBytes, int rows) noexcept;
  ~PictureMemory() { release(); }
  PictureMemory(PictureMemory&& other) noexcept { swap(other); }
  PictureMemory& operator=(PictureMemory&& other) noexcept {
    PictureMemory(std::move(other)).swap(*this);
    return *this;
  }
  void swap(PictureMemory& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_serial, other.m_serial);
  }

  [[nodiscard]] std::uint8_t* data() const noexcept { return m_data; }
  [[nodiscard]] std::size_t bytes() const noexcept { return m_bytes; }
  /// To be mapped by others; -1 if the kernel gave none, the memory is then this process' alone.
  [[nodiscard]] int descriptor() const noexcept { return m_descriptor; }
  /// No other memory of this process has it.
  [[nodiscard]] std::uint64_t serial() const noexcept { return m_serial; }

 private:
  void release() noexcept;

  std::uint8_t* m_data = nullptr;
  std::size_t m_bytes = 0;
  int m_descriptor = -1;
  std::uint64_t m_serial = 0;
};

}  // namespace tactus::plugins
