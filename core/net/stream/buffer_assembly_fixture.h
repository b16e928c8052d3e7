// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of the assembly alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/net/stream/buffer_assembly.h"

namespace tactus::net {

/// The bytes of buffer `number`, different for each number and each place.
inline std::vector<std::byte> contentOf(std::uint32_t number, std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::byte>((number * 2'654'435'761U + i * 40'503U) >> 8);
  return bytes;
}

/// A sender's buffer and its pieces.
struct SentBuffer {
  std::uint32_t number = 0;
  std::size_t pieceSize = 0;
  periodic::Duration made = {};
  std::vector<std::byte> bytes = {};

  SentBuffer(std::uint32_t itsNumber, std::size_t length, std::size_t size)
      : number(itsNumber), pieceSize(size), made(itsNumber), bytes(contentOf(itsNumber, length)) {}

  [[nodiscard]] std::size_t pieces() const { return pieceCountOf(bytes.size(), pieceSize); }
  /// Borrows the buffer's bytes.
  [[nodiscard]] StreamPiece piece(std::size_t index) const {
    const PieceCut cut = pieceOf(index, bytes.size(), pieceSize);
    return {{.number = number,
             .session = 0,
             .length = static_cast<std::uint32_t>(bytes.size()),
             .offset = static_cast<std::uint32_t>(cut.offset),
             .made = made,
             .end = bytes.empty()},
            std::span(bytes).subspan(cut.offset, cut.size)};
  }
};

inline bool sameBytes(std::span<const std::byte> one, std::span<const std::byte> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end());
}

}  // namespace tactus::net
