// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/periodic/result.h"
#include "media/room/egress/dtls_certificate.h"
#include "media/room/egress/srtp_session.h"

namespace tactus::media {

/// The DTLS association of one peer, which gives the keys of SRTP (RFC 5764) and afterwards tells only
/// whether the peer has closed. Owns no socket, clock or thread: datagrams come by receive(), leave by
/// `send`, and the owner calls handleTimeout() now and then (some 50 ms) until it is no longer Handshaking.
/// Thread-safe: no. Real-time-safe: no.
class DtlsHandshake {
 public:
  enum class Role : std::uint8_t { Server, Client };
  enum class State : std::uint8_t {
    Handshaking,
    Ready,   ///< keys() has them
    Closed,  ///< by the peer
    Failed,  ///< error() says why
  };
  /// Takes one datagram, borrowed during the call. It does not call back.
  using Send = std::function<void(std::span<const std::byte>)>;

  /// `peer`: of the certificate that the peer must have. Errors: System.
  [[nodiscard]] static Result<std::unique_ptr<DtlsHandshake>> create(const DtlsCertificate& certificate,
                                                                     Role role, CertificateFingerprint peer,
                                                                     Send send);
  ~DtlsHandshake();
  DtlsHandshake(const DtlsHandshake&) = delete;
  DtlsHandshake& operator=(const DtlsHandshake&) = delete;

  /// The client begins.
  void start();
  void receive(std::span<const std::byte> datagram);
  /// Sends again what seems lost (RFC 6347, 4.2.4).
  void handleTimeout();
  /// Tells the peer that it is over.
  void close();

  [[nodiscard]] State state() const noexcept { return m_state; }
  /// Those of SRTP once the state was Ready.
  [[nodiscard]] const std::optional<SrtpKeys>& keys() const noexcept { return m_keys; }
  /// Of Failed: Refused, the peer has another certificate; Unsupported, no profile of SRTP is common;
  /// Corrupt.
  [[nodiscard]] const Error& error() const noexcept { return m_error; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    void operator()(SSL* connection) const noexcept { SSL_free(connection); }
  };
  DtlsHandshake(Role role, CertificateFingerprint peer, Send send);
  [[nodiscard]] bool prepare(const DtlsCertificate& certificate);
  static int write(BIO* bio, const char* data, int bytes);
  static BIO_METHOD* writing();
  void advance();
  void look();
  void finish();
  [[nodiscard]] std::optional<SrtpKeys> exportKeys() const;
  void fail(ErrorCode code, std::string message);

  const Role m_role;
  const CertificateFingerprint m_peer;
  const Send m_send;
  std::unique_ptr<SSL_CTX, Free> m_context;
  std::unique_ptr<SSL, Free> m_connection;
  BIO* m_received = nullptr;  // of the connection
  State m_state = State::Handshaking;
  std::optional<SrtpKeys> m_keys;
  Error m_error;
};

}  // namespace tactus::media
