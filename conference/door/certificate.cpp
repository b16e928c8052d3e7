// SPDX-License-Identifier: Apache-2.0
#include "conference/door/certificate.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "conference/door/base64url.h"
#include "conference/door/locked_folder.h"

namespace tactus::conference {
namespace {

constexpr const char* kFile = "room-certificate.pem";
constexpr long kDay = 24 * 60 * 60;
constexpr long kValidity = 10 * 365 * kDay;

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Document = std::unique_ptr<X509, Freed<X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

Error failed(const char* what) {
  return {ErrorCode::System, std::string("No certificate for a room could be made: ") + what + " failed."};
}

bool isAddress(const std::string& name) {
  std::array<std::uint8_t, 16> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

/// A letter of a host name: what else there is would be syntax of the extension.
bool isHostName(const std::string& name) {
  return !name.empty() && name.size() <= 253 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") ==
             std::string::npos;
}

bool addExtension(X509& document, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &document, &document, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(&document, extension.get(), -1) == 1;
}

std::string subjectNames(const std::vector<std::string>& names) {
  std::string list = "DNS:localhost,IP:127.0.0.1,IP:::1";
  for (const std::string& name : names) {
    if (isAddress(name)) {
      list += ",IP:" + name;
    } else if (isHostName(name)) {
      list += ",DNS:" + name;
    }
  }
  return list;
}

bool fill(X509& document, EVP_PKEY& key, const std::vector<std::string>& names) {
  std::array<std::uint8_t, 16> serial{};
  if (RAND_bytes(serial.data(), serial.size()) != 1) return false;
  serial[0] = static_cast<std::uint8_t>((serial[0] & 0x3f) | 0x40);  // positive, and never shorter
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_bin2bn(serial.data(), serial.size(), nullptr));
  if (number == nullptr || BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&document)) == nullptr)
    return false;
  X509_NAME* subject = X509_get_subject_name(&document);
  const auto* title = reinterpret_cast<const unsigned char*>("Tactus room");
  return X509_set_version(&document, X509_VERSION_3) == 1 &&
         // A guest whose clock is a day behind is let in as well.
         X509_gmtime_adj(X509_getm_notBefore(&document), -kDay) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(&document), kValidity) != nullptr &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, title, -1, -1, 0) == 1 &&
         X509_set_issuer_name(&document, subject) == 1 && X509_set_pubkey(&document, &key) == 1 &&
         addExtension(document, NID_basic_constraints, "critical,CA:FALSE") &&
         addExtension(document, NID_key_usage, "critical,digitalSignature") &&
         addExtension(document, NID_ext_key_usage, "serverAuth") &&
         addExtension(document, NID_subject_alt_name, subjectNames(names)) &&
         X509_sign(&document, &key, EVP_sha256()) > 0;
}

std::string textOf(BIO& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

/// The certificate, then the key.
Result<std::string> makePem(const std::vector<std::string>& names) {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return failed("the generation of a key");
  const Document document(X509_new());
  if (document == nullptr || !fill(*document, *key, names)) return failed("the signature");
  const Memory memory(BIO_new(BIO_s_mem()));
  if (memory == nullptr || PEM_write_bio_X509(memory.get(), document.get()) != 1 ||
      PEM_write_bio_PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failed("the encoding");
  return textOf(*memory);
}

Memory readable(const std::string& text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int noPassword(char*, int, int, void*) {
  return -1;
}

}  // namespace

Result<Certificate> Certificate::parse(const std::string& pem) {
  const auto corrupt = [](const char* what) { return Error{ErrorCode::Corrupt, what}; };
  const Document document(PEM_read_bio_X509(readable(pem).get(), nullptr, noPassword, nullptr));
  if (document == nullptr) return corrupt("the certificate is damaged");
  const Key key(PEM_read_bio_PrivateKey(readable(pem).get(), nullptr, noPassword, nullptr));
  if (key == nullptr) return corrupt("the key is damaged");
  if (X509_check_private_key(document.get(), key.get()) != 1)
    return corrupt("the key is not that of the certificate");
  if (X509_cmp_current_time(X509_get0_notAfter(document.get())) <= 0)
    return corrupt("the certificate has expired");
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(document.get(), EVP_sha256(), digest.data(), &size) != 1) return failed("the digest");
  return Certificate(pem, toBase64Url({digest.data(), size}));
}

Result<Certificate> Certificate::make(const std::vector<std::string>& names) {
  const auto pem = makePem(names);
  if (!pem.ok()) return pem.error();
  return parse(pem.value());
}

Result<Certificate> Certificate::keptIn(const std::filesystem::path& folder,
                                        const std::vector<std::string>& names) {
  const auto locked = LockedFolder::open(folder);
  if (!locked.ok()) return locked.error();
  const auto kept = locked.value().read(kFile);
  if (!kept.ok()) return kept.error();
  if (kept.value()) {
    auto parsed = parse(*kept.value());
    if (parsed.ok()) return parsed;
    return Error{parsed.error().code,
                 "The certificate of this machine's rooms, '" + (folder / kFile).string() +
                     "', cannot be used: " + parsed.error().message +
                     ". Put it back from a copy, or delete it: guests then need new links."};
  }
  auto made = make(names);
  if (!made.ok()) return made;
  if (const auto written = locked.value().replace(kFile, made.value().pem()); !written)
    return written.error();
  return made;
}

}  // namespace tactus::conference
