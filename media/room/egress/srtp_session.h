// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <srtp2/srtp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

/// How media is encrypted (RFC 5764, 4.1.2; RFC 7714, 14.2).
enum class SrtpProfile : std::uint8_t { Aes128Gcm, Aes128Sha1 };

/// The master key and the salt of one direction: 16 bytes, then 12 (GCM) or 14.
struct SrtpKey {
  std::array<std::uint8_t, 30> bytes{};
};

/// Keys of both directions.
struct SrtpKeys {
  SrtpProfile profile = SrtpProfile::Aes128Gcm;
  SrtpKey local, remote;  ///< of what we send, and of what we receive
};

/// How many bytes a protected packet may be longer, RTCP's index counted.
inline constexpr std::size_t kSrtpOverhead = SRTP_MAX_TRAILER_LEN + 4;

/// One direction of encrypted media with a peer (RFC 3711), by libsrtp. Thread-safe: no. Real-time-safe:
/// protect() of an SSRC named at create() and unprotect() of one seen before: yes; the rest: no.
class SrtpSession {
 public:
  enum class Direction : std::uint8_t { Sends, Receives };
  /// `ssrcs`: those of a sender; a receiver takes any. Errors: System.
  [[nodiscard]] static Result<SrtpSession> create(SrtpProfile profile, const SrtpKey& key,
                                                  Direction direction,
                                                  std::span<const std::uint32_t> ssrcs = {});

  /// Encrypts in place the first `bytes` of `packet`, which has kSrtpOverhead more; the bytes afterwards.
  /// nullopt: it is no packet of a known stream, or older than the replay window.
  [[nodiscard]] std::optional<std::size_t> protectRtp(std::span<std::byte> packet,
                                                      std::size_t bytes) noexcept;
  [[nodiscard]] std::optional<std::size_t> protectRtcp(std::span<std::byte> packet,
                                                       std::size_t bytes) noexcept;
  /// Decrypts in place; the packet that it was. nullopt: it is not the peer's, was changed, or came before.
  [[nodiscard]] std::optional<std::span<std::byte>> unprotectRtp(std::span<std::byte> packet) noexcept;
  [[nodiscard]] std::optional<std::span<std::byte>> unprotectRtcp(std::span<std::byte> packet) noexcept;

 private:
  struct Free {
    void operator()(srtp_t session) const noexcept { srtp_dealloc(session); }
  };
  using SessionPtr = std::unique_ptr<std::remove_pointer_t<srtp_t>, Free>;
  explicit SrtpSession(SessionPtr session) : m_session(std::move(session)) {}
  SessionPtr m_session;
};

}  // namespace tactus::media
