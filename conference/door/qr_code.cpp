// SPDX-License-Identifier: Apache-2.0
#include "conference/door/qr_code.h"

#include <qrencode.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace tactus::conference {
namespace {

constexpr std::size_t kMostBytes = 2331;  // version 40 of level M
constexpr std::ptrdiff_t kQuietZone = 4;
constexpr const char* kBlackOnWhite = "\x1b[30;107m";
constexpr const char* kAsBefore = "\x1b[0m\n";

}  // namespace

Result<QrCode> QrCode::of(const std::string& text) {
  if (text.empty() || text.size() > kMostBytes)
    return Error{ErrorCode::InvalidArgument,
                 "A QR code has 1 to 2331 bytes, not " + std::to_string(text.size()) + "."};
  const std::unique_ptr<QRcode, void (*)(QRcode*)> made(
      QRcode_encodeData(static_cast<int>(text.size()), reinterpret_cast<const unsigned char*>(text.data()), 0,
                        QR_ECLEVEL_M),
      QRcode_free);
  if (made == nullptr)
    return Error{ErrorCode::System, std::string("No QR code could be made: ") + std::strerror(errno) + "."};
  QrCode code;
  code.m_size = static_cast<std::size_t>(made->width);
  for (std::size_t i = 0; i < code.m_size * code.m_size; ++i) code.m_dark.push_back((made->data[i] & 1) != 0);
  return code;
}

bool QrCode::isDark(std::ptrdiff_t column, std::ptrdiff_t row) const noexcept {
  const auto size = static_cast<std::ptrdiff_t>(m_size);
  if (column < 0 || row < 0 || column >= size || row >= size) return false;
  return m_dark[static_cast<std::size_t>(row * size + column)];
}

std::string QrCode::text() const {
  const auto end = static_cast<std::ptrdiff_t>(m_size) + kQuietZone;
  std::string lines;
  for (std::ptrdiff_t row = -kQuietZone; row < end; row += 2) {
    lines += kBlackOnWhite;
    for (std::ptrdiff_t column = -kQuietZone; column < end; ++column) {
      const bool upper = isDark(column, row), lower = isDark(column, row + 1);
      lines += upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ");
    }
    lines += kAsBefore;
  }
  return lines;
}

}  // namespace tactus::conference
