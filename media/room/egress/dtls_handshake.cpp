// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/dtls_handshake.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/srtp.h>

#include <algorithm>
#include <utility>

namespace tactus::media {
namespace {

/// Datagrams of the handshake are no longer, so that none is fragmented.
constexpr long kLargestDatagram = 1200;
constexpr unsigned kFirstTimeout = 100'000;  // us; a round trip inside a room is short
constexpr unsigned kLongestTimeout = 2'000'000;
constexpr std::size_t kMasterKey = 16;
constexpr const char* kProfiles = "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80";

unsigned nextTimeout(SSL*, unsigned last) {
  return last == 0 ? kFirstTimeout : std::min(2 * last, kLongestTimeout);
}

/// Any certificate will do here: the fingerprint decides, once the handshake is over.
int acceptForNow(int, X509_STORE_CTX*) {
  return 1;
}

long control(BIO*, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  return command == BIO_CTRL_DGRAM_QUERY_MTU ? kLargestDatagram : 0;
}

}  // namespace

/// A write of OpenSSL's is one datagram.
BIO_METHOD* DtlsHandshake::writing() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagrams");
    BIO_meth_set_write(made, &DtlsHandshake::write);
    BIO_meth_set_ctrl(made, control);
    BIO_meth_set_create(made, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    return made;
  }();
  return method;
}

int DtlsHandshake::write(BIO* bio, const char* data, int bytes) {
  const auto& self = *static_cast<DtlsHandshake*>(BIO_get_data(bio));
  self.m_send({reinterpret_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)});
  return bytes;
}

DtlsHandshake::DtlsHandshake(Role role, CertificateFingerprint peer, Send send)
    : m_role(role), m_peer(std::move(peer)), m_send(std::move(send)) {}

DtlsHandshake::~DtlsHandshake() = default;

Result<std::unique_ptr<DtlsHandshake>> DtlsHandshake::create(const DtlsCertificate& certificate, Role role,
                                                             CertificateFingerprint peer, Send send) {
  std::unique_ptr<DtlsHandshake> made(new DtlsHandshake(role, std::move(peer), std::move(send)));
  if (!made->prepare(certificate)) {
    ERR_clear_error();
    return Error{ErrorCode::System, "OpenSSL could not prepare an encrypted connection."};
  }
  return made;
}

bool DtlsHandshake::prepare(const DtlsCertificate& certificate) {
  m_context.reset(SSL_CTX_new(DTLS_method()));
  SSL_CTX* const context = m_context.get();
  if (context == nullptr || SSL_CTX_use_certificate(context, certificate.certificate()) != 1 ||
      SSL_CTX_use_PrivateKey(context, certificate.key()) != 1 ||
      SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION) != 1 ||
      SSL_CTX_set_tlsext_use_srtp(context, kProfiles) != 0)  // which is 0 when it did
    return false;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, acceptForNow);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  m_connection.reset(SSL_new(context));
  BIO* const received = BIO_new(BIO_s_mem());
  BIO* const sent = BIO_new(writing());
  if (m_connection == nullptr || received == nullptr || sent == nullptr) {
    BIO_free(received);
    BIO_free(sent);
    return false;
  }
  BIO_set_mem_eof_return(received, -1);  // nothing more yet, instead of the end
  BIO_set_data(sent, this);
  m_received = received;
  SSL* const connection = m_connection.get();
  SSL_set_bio(connection, received, sent);
  SSL_set_options(connection, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_set_mtu(connection, kLargestDatagram);
  DTLS_set_timer_cb(connection, nextTimeout);
  if (m_role == Role::Server) {
    SSL_set_accept_state(connection);
  } else {
    SSL_set_connect_state(connection);
  }
  return true;
}

void DtlsHandshake::start() {
  if (m_state == State::Handshaking) advance();
}

void DtlsHandshake::receive(std::span<const std::byte> datagram) {
  if (m_state == State::Closed || m_state == State::Failed) return;
  // A memory BIO has no bounds of datagrams: records follow each other, and each says how long it is.
  BIO_write(m_received, datagram.data(), static_cast<int>(datagram.size()));
  if (m_state == State::Handshaking) {
    advance();
  } else {
    look();
  }
  (void)BIO_reset(m_received);  // what is left of this datagram is of no use to the next
}

void DtlsHandshake::handleTimeout() {
  if (m_state != State::Handshaking) return;
  ERR_clear_error();
  if (DTLSv1_handle_timeout(m_connection.get()) < 0)
    fail(ErrorCode::Corrupt, "The peer did not answer the encrypted handshake.");
}

void DtlsHandshake::close() {
  if (m_state == State::Ready) SSL_shutdown(m_connection.get());
  if (m_state != State::Failed) m_state = State::Closed;
}

void DtlsHandshake::advance() {
  ERR_clear_error();
  const int done = SSL_do_handshake(m_connection.get());
  if (done == 1) return finish();
  const int error = SSL_get_error(m_connection.get(), done);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return;
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  fail(ErrorCode::Corrupt, std::string("The encrypted handshake with the peer failed: ") +
                               (reason != nullptr ? reason : "closed") + ".");
}

/// After the handshake: application data are of no use here, an alert may close.
void DtlsHandshake::look() {
  ERR_clear_error();
  std::byte ignored[256];
  while (SSL_read(m_connection.get(), ignored, sizeof ignored) > 0) {
  }
  if ((SSL_get_shutdown(m_connection.get()) & SSL_RECEIVED_SHUTDOWN) != 0) m_state = State::Closed;
}

void DtlsHandshake::finish() {
  struct FreeCertificate {
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  };
  const std::unique_ptr<X509, FreeCertificate> certificate(SSL_get1_peer_certificate(m_connection.get()));
  if (certificate == nullptr || m_peer.bytes.empty() ||
      fingerprintOf(certificate.get(), m_peer.hash) != m_peer)
    return fail(ErrorCode::Refused, "The peer's certificate is not the one of its session description.");
  m_keys = exportKeys();
  if (!m_keys) return fail(ErrorCode::Unsupported, "No encryption of media is common with the peer.");
  m_state = State::Ready;
}

/// RFC 5764, 4.2: the client's key, the server's, the client's salt, the server's.
std::optional<SrtpKeys> DtlsHandshake::exportKeys() const {
  const SRTP_PROTECTION_PROFILE* const profile = SSL_get_selected_srtp_profile(m_connection.get());
  if (profile == nullptr) return std::nullopt;
  SrtpKeys keys;
  keys.profile = profile->id == SRTP_AEAD_AES_128_GCM ? SrtpProfile::Aes128Gcm : SrtpProfile::Aes128Sha1;
  const std::size_t salt = keys.profile == SrtpProfile::Aes128Gcm ? 12 : 14;
  constexpr std::string_view kLabel = "EXTRACTOR-dtls_srtp";
  std::array<std::uint8_t, 60> exported{};
  if (SSL_export_keying_material(m_connection.get(), exported.data(), 2 * (kMasterKey + salt), kLabel.data(),
                                 kLabel.size(), nullptr, 0, 0) != 1)
    return std::nullopt;
  const auto keyOf = [&](std::size_t side) {
    SrtpKey key;
    const auto end = std::copy_n(exported.begin() + static_cast<std::ptrdiff_t>(side * kMasterKey),
                                 kMasterKey, key.bytes.begin());
    std::copy_n(exported.begin() + static_cast<std::ptrdiff_t>(2 * kMasterKey + side * salt), salt, end);
    return key;
  };
  const std::size_t local = m_role == Role::Client ? 0 : 1;
  keys.local = keyOf(local);
  keys.remote = keyOf(1 - local);
  return keys;
}

void DtlsHandshake::fail(ErrorCode code, std::string message) {
  ERR_clear_error();
  m_state = State::Failed;
  m_error = {code, std::move(message)};
}

}  // namespace tactus::media
