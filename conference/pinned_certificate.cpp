// SPDX-License-Identifier: Apache-2.0
#include "conference/pinned_certificate.h"

#include <array>
#include <cstdint>

#include "conference/door/base64url.h"

namespace tactus::conference {

std::string fingerprintOf(GTlsCertificate* certificate) {
  GByteArray* der = nullptr;
  g_object_get(certificate, "certificate", &der, nullptr);
  if (der == nullptr) return {};
  std::array<std::uint8_t, 32> digest{};
  gsize size = digest.size();
  GChecksum* const checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, der->data, static_cast<gssize>(der->len));
  g_checksum_get_digest(checksum, digest.data(), &size);
  g_checksum_free(checksum);
  g_byte_array_unref(der);
  return toBase64Url({digest.data(), size});
}

}  // namespace tactus::conference
