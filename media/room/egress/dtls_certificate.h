// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "core/periodic/result.h"
#include "media/room/egress/whep_offer.h"

namespace tactus::media {

/// A certificate with its key, by which a peer of DTLS is known: by the fingerprint in its session
/// description, not by who signed it (RFC 8827, 6.5). Thread-safe: yes (it does not change).
class DtlsCertificate {
 public:
  /// A new one: ECDSA on P-256, signed by itself, valid for 30 days. Errors: System. Real-time-safe: no.
  [[nodiscard]] static Result<DtlsCertificate> generate();
  /// From PEM. Errors: Corrupt. Real-time-safe: no.
  [[nodiscard]] static Result<DtlsCertificate> fromPem(const std::string& certificate,
                                                       const std::string& key);

  /// By SHA-256.
  [[nodiscard]] CertificateFingerprint fingerprint() const;
  [[nodiscard]] X509* certificate() const noexcept { return m_certificate.get(); }
  [[nodiscard]] EVP_PKEY* key() const noexcept { return m_key.get(); }

 private:
  struct Free {
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  };
  using CertificatePtr = std::unique_ptr<X509, Free>;
  using KeyPtr = std::unique_ptr<EVP_PKEY, Free>;
  DtlsCertificate(CertificatePtr certificate, KeyPtr key)
      : m_certificate(std::move(certificate)), m_key(std::move(key)) {}

  CertificatePtr m_certificate;
  KeyPtr m_key;
};

/// The certificate's hash by the function of this name ("sha-256"); no bytes for an unknown one.
/// Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] CertificateFingerprint fingerprintOf(const X509* certificate, const std::string& hash);

}  // namespace tactus::media
