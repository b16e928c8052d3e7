// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <utility>

namespace tactus::net {

/// A descriptor that closes itself. Thread-safe: no.
class Descriptor {
 public:
  Descriptor() = default;
  /// Owns `descriptor`; -1: none.
  explicit Descriptor(int descriptor) noexcept : m_descriptor(descriptor) {}
  ~Descriptor() {
    if (m_descriptor >= 0) close(m_descriptor);
  }
  Descriptor(Descriptor&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Descriptor taken(std::move(other));
    std::swap(m_descriptor, taken.m_descriptor);
    return *this;
  }

  /// -1: none.
  [[nodiscard]] int get() const noexcept { return m_descriptor; }
  explicit operator bool() const noexcept { return m_descriptor >= 0; }

 private:
  int m_descriptor = -1;
};

}  // namespace tactus::net
