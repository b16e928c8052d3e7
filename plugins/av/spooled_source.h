// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plugins/av/byte_source.h"

namespace tactus::plugins::av {

/// A source that gives its bytes once, in their order, and is small: what was read is kept, so that a film
/// whose index is at its end can be read from its beginning then. It is not called seekable, else demuxers
/// would leap to the end for less.
class SpooledSource final : public ByteSource {
 public:
  /// Sources of this size and more are not for it.
  static constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

  explicit SpooledSource(std::unique_ptr<ByteSource> from) noexcept : m_from(std::move(from)) {}

  int read(std::span<std::uint8_t> into) override;
  /// Into what was read.
  bool seek(std::int64_t position) override;
  [[nodiscard]] std::int64_t size() const override { return m_from->size(); }
  [[nodiscard]] bool seekable() const override { return false; }
  void renew() override { m_from->renew(); }
  [[nodiscard]] std::string problem() const override { return m_from->problem(); }
  [[nodiscard]] std::string news() override { return m_from->news(); }

 private:
  const std::unique_ptr<ByteSource> m_from;
  std::vector<std::uint8_t> m_bytes;
  std::size_t m_position = 0;
};

}  // namespace tactus::plugins::av
