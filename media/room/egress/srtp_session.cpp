// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/srtp_session.h"

#include <type_traits>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::media {
namespace {

/// Initialises the library once. GStreamer's plugin may have done so before, which a second call reports as a
/// parameter that is wrong, after its self-tests.
srtp_err_status_t initialised() {
  static const srtp_err_status_t status = srtp_init();
  return status == srtp_err_status_bad_param ? srtp_err_status_ok : status;
}

srtp_policy_t policyOf(SrtpProfile profile, SrtpKey& key) {
  srtp_policy_t policy{};
  const srtp_profile_t named =
      profile == SrtpProfile::Aes128Gcm ? srtp_profile_aead_aes_128_gcm : srtp_profile_aes128_cm_sha1_80;
  srtp_crypto_policy_set_from_profile_for_rtp(&policy.rtp, named);
  srtp_crypto_policy_set_from_profile_for_rtcp(&policy.rtcp, named);
  policy.key = key.bytes.data();
  constexpr unsigned long kReplayWindow = 1024;
  policy.window_size = kReplayWindow;
  return policy;
}

template <typename Function>
std::optional<std::size_t> applied(Function function, srtp_t session, std::span<std::byte> packet,
                                   std::size_t bytes) noexcept {
  int length = static_cast<int>(bytes);
  if (function(session, packet.data(), &length) != srtp_err_status_ok) return std::nullopt;
  return static_cast<std::size_t>(length);
}

std::optional<std::span<std::byte>> opened(srtp_err_status_t (*function)(srtp_t, void*, int*), srtp_t session,
                                           std::span<std::byte> packet) noexcept {
  // libsrtp looks at the fixed header before it looks at the length.
  constexpr std::size_t kLeast = 12, kMost = 0xffff;
  if (packet.size() < kLeast || packet.size() > kMost) return std::nullopt;
  const auto bytes = applied(function, session, packet, packet.size());
  return bytes ? std::optional(packet.first(*bytes)) : std::nullopt;
}

}  // namespace

Result<SrtpSession> SrtpSession::create(SrtpProfile profile, const SrtpKey& key, Direction direction,
                                        std::span<const std::uint32_t> ssrcs) {
  SrtpKey copy = key;
  srtp_policy_t policy = policyOf(profile, copy);
  srtp_err_status_t status = initialised();
  srtp_t made = nullptr;
  if (status == srtp_err_status_ok) {
    const bool sends = direction == Direction::Sends;
    policy.ssrc.type = ssrc_any_inbound;
    status = srtp_create(&made, sends ? nullptr : &policy);
  }
  SessionPtr session(made);
  for (const std::uint32_t ssrc : ssrcs) {
    if (status != srtp_err_status_ok) break;
    policy.ssrc = {.type = ssrc_specific, .value = ssrc};
    status = srtp_add_stream(session.get(), &policy);
  }
  if (status != srtp_err_status_ok)
    return Error{ErrorCode::System,
                 periodic::format("The encryption of media could not be set up (libsrtp error %d).",
                                  static_cast<int>(status))};
  return SrtpSession(std::move(session));
}

std::optional<std::size_t> SrtpSession::protectRtp(std::span<std::byte> packet, std::size_t bytes) noexcept {
  return applied(srtp_protect, m_session.get(), packet, bytes);
}

std::optional<std::size_t> SrtpSession::protectRtcp(std::span<std::byte> packet, std::size_t bytes) noexcept {
  return applied(srtp_protect_rtcp, m_session.get(), packet, bytes);
}

std::optional<std::span<std::byte>> SrtpSession::unprotectRtp(std::span<std::byte> packet) noexcept {
  return opened(srtp_unprotect, m_session.get(), packet);
}

std::optional<std::span<std::byte>> SrtpSession::unprotectRtcp(std::span<std::byte> packet) noexcept {
  return opened(srtp_unprotect_rtcp, m_session.get(), packet);
}

}  // namespace tactus::media
