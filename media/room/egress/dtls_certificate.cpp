// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/dtls_certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <utility>

namespace tactus::media {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, FreeBio>;

BioPtr bioOf(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// A number of its own, names, and 30 days from yesterday: clocks differ.
bool fill(X509* certificate, EVP_PKEY* key) {
  constexpr long kDay = 24L * 60 * 60;
  std::uint64_t number = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) != 1) return false;
  X509_NAME* const name = X509_get_subject_name(certificate);
  return X509_set_version(certificate, X509_VERSION_3) == 1 &&
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number >> 1u) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), 29 * kDay) != nullptr &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>("tactus"), -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
         X509_sign(certificate, key, EVP_sha256()) != 0;
}

}  // namespace

Result<DtlsCertificate> DtlsCertificate::generate() {
  KeyPtr key(EVP_EC_gen("P-256"));
  CertificatePtr certificate(X509_new());
  if (key == nullptr || certificate == nullptr || !fill(certificate.get(), key.get())) {
    ERR_clear_error();
    return Error{ErrorCode::System, "A certificate for encrypted media could not be made."};
  }
  return DtlsCertificate(std::move(certificate), std::move(key));
}

Result<DtlsCertificate> DtlsCertificate::fromPem(const std::string& certificate, const std::string& key) {
  const BioPtr certificateText = bioOf(certificate), keyText = bioOf(key);
  CertificatePtr read(PEM_read_bio_X509(certificateText.get(), nullptr, nullptr, nullptr));
  KeyPtr readKey(PEM_read_bio_PrivateKey(keyText.get(), nullptr, nullptr, nullptr));
  if (read == nullptr || readKey == nullptr || X509_check_private_key(read.get(), readKey.get()) != 1) {
    ERR_clear_error();
    return Error{ErrorCode::Corrupt,
                 "The certificate and its key cannot be read, or do not belong together."};
  }
  return DtlsCertificate(std::move(read), std::move(readKey));
}

CertificateFingerprint DtlsCertificate::fingerprint() const {
  return fingerprintOf(m_certificate.get(), "sha-256");
}

CertificateFingerprint fingerprintOf(const X509* certificate, const std::string& hash) {
  const EVP_MD* function = nullptr;
  if (hash == "sha-256") function = EVP_sha256();
  if (hash == "sha-384") function = EVP_sha384();
  if (hash == "sha-512") function = EVP_sha512();
  CertificateFingerprint fingerprint{.hash = hash};
  if (function == nullptr) return fingerprint;
  fingerprint.bytes.resize(EVP_MAX_MD_SIZE);
  unsigned length = 0;
  if (X509_digest(certificate, function, fingerprint.bytes.data(), &length) != 1) length = 0;
  fingerprint.bytes.resize(length);
  return fingerprint;
}

}  // namespace tactus::media
