// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::conference {

/// A QR code (ISO/IEC 18004) with error correction of level M. Plain data. Thread-safe: no.
class QrCode {
 public:
  /// Of bytes as they are. InvalidArgument: none, or more than the 2331 that fit.
  [[nodiscard]] static Result<QrCode> of(const std::string& text);

  /// How many modules it has in a row and in a column, without the quiet zone.
  [[nodiscard]] std::size_t size() const noexcept { return m_size; }
  /// Whether the module is dark; outside of it none is.
  [[nodiscard]] bool isDark(std::ptrdiff_t column, std::ptrdiff_t row) const noexcept;
  /// For a terminal, with the quiet zone of four modules: a letter shows two modules one above the other, in
  /// black on white by escape codes, whatever the terminal's colours are.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t m_size = 0;
  std::vector<bool> m_dark;  // row by row
};

}  // namespace tactus::conference
