// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/net/descriptor.h"
#include "core/periodic/result.h"

namespace tactus::media {

/// A screen or a window that the desktop lends to whoever captures it, as long as this is held and the
/// desktop does not take it back. Thread-safe: yes. Real-time-safe: no.
class LentScreen {
 public:
  LentScreen() = default;
  virtual ~LentScreen() = default;
  LentScreen(const LentScreen&) = delete;
  LentScreen& operator=(const LentScreen&) = delete;

  /// PipeWire's node of the pictures.
  [[nodiscard]] virtual std::uint32_t node() const = 0;
  /// A new connection to PipeWire, which shows nothing but that node: each capture needs one of its own.
  /// Unavailable, one sentence: there are no pictures any more. Blocking, for seconds at most.
  [[nodiscard]] virtual Result<net::Descriptor> connect() const = 0;
  /// Why it was taken back, a sentence; empty: it was not.
  [[nodiscard]] virtual std::string fault() const = 0;
};

}  // namespace tactus::media
