// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::conference {

/// How a room's host proves that it is the one of the link: a key on the curve P-256 and a certificate for
/// it, signed by itself, valid for ten years, with the subject "Tactus room". It is made once and kept, so
/// that links and a browser's exception stay valid. Plain data. Thread-safe: no.
class Certificate {
 public:
  /// The one kept in `folder` with its key ("room-certificate.pem", readable by its owner alone); where there
  /// is no such file, a new one, which is kept there. Two programs that begin at once get the same one.
  /// `names` are the host names and numeric addresses that a new one is valid for, beside those of this
  /// machine alone.
  ///
  /// Corrupt: the file is damaged, or the certificate has expired. It is not replaced, since guests would
  /// take a new identity for an impostor's. PermissionDenied, System: the file cannot be read or written.
  /// Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<Certificate> keptIn(const std::filesystem::path& folder,
                                                  const std::vector<std::string>& names);
  /// A new one that is kept nowhere. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<Certificate> make(const std::vector<std::string>& names);

  /// The certificate, then the key.
  [[nodiscard]] const std::string& pem() const noexcept { return m_pem; }
  /// SHA-256 of the certificate's DER, in base64url.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return m_fingerprint; }

 private:
  Certificate(std::string pem, std::string fingerprint)
      : m_pem(std::move(pem)), m_fingerprint(std::move(fingerprint)) {}
  [[nodiscard]] static Result<Certificate> parse(const std::string& pem);

  std::string m_pem;
  std::string m_fingerprint;
};

}  // namespace tactus::conference
