// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/periodic/result.h"

namespace tactus::net {

/// Unsent bytes in the kernel above which a TCP socket takes no more.
inline constexpr int kMostUnsent = 64 << 10;

/// Makes a connected stream socket fit for a stream of buffers: TCP sends at once what it has, and takes no
/// more than kMostUnsent ahead. A Unix socket stays as it is. InvalidArgument: it is no stream socket.
/// System: else. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<void> prepareStreamSocket(int socket);

}  // namespace tactus::net
