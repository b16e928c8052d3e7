// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tactus::net {

/// What the sender of a stream says that it does.
enum class SenderState : std::uint8_t {
  Live,     ///< its handler is called and buffers are sent
  Paused,   ///< nothing is sent until it resumes; no fault
  Stopped,  ///< nothing is sent
  Ended,    ///< the stream has ended: all was sent; no fault
};

}  // namespace tactus::net
