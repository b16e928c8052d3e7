// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "plugins/av/byte_source.h"

namespace tactus::plugins::av {

/// Whether it is an address that openAddress() takes: http:// or https://.
[[nodiscard]] bool isAddress(const std::string& path) noexcept;

/// A film on a web server, by libavformat's client: redirections, ranges where the server has them, and a new
/// connection where one breaks off. A server that says nothing for `patience`, however often it is connected
/// to meanwhile, has stalled, and is not asked again before renew(). Nothing but HTTP and TLS is ever opened.
/// Blocking. Errors: NotFound, PermissionDenied, Timeout, Unavailable; one sentence that names the address.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> openAddress(const std::string& address,
                                                              periodic::Duration patience,
                                                              std::shared_ptr<Cancellation> cancellation);

/// An address, a stream that is received (StreamBytes), or what openFile() takes.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> openSource(const std::string& path,
                                                             periodic::Duration patience,
                                                             std::shared_ptr<Cancellation> cancellation);

}  // namespace tactus::plugins::av
