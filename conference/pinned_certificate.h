// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>

#include <string>

namespace tactus::conference {

/// SHA-256 of the certificate's DER in base64url, as links have it; empty: it cannot be read.
/// Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] std::string fingerprintOf(GTlsCertificate* certificate);

}  // namespace tactus::conference
