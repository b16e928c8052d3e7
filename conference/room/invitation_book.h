// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conference/room/random_text.h"
#include "conference/room/room_facts.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// The invitations of one room: who has an invitation's token may come in, in its role, until it expires or
/// is revoked. They end with the room. Thread-safe: no. Real-time-safe: no.
class InvitationBook {
 public:
  static constexpr std::size_t kMost = 64;  ///< that let in at one time
  /// The link to the room with this token.
  using LinkOf = std::function<std::string(std::string_view token)>;

  InvitationBook(RandomBytes random, LinkOf linkOf)
      : m_random(std::move(random)), m_linkOf(std::move(linkOf)) {}

  /// A new one, with a token of 192 random bits. Refused: there are kMost.
  [[nodiscard]] Result<InvitationInfo> add(Role role, std::optional<std::chrono::seconds> life,
                                           periodic::TimePoint now);
  /// Who invited with this token, whether or not the invitation still lets in; empty: nobody. Takes as long
  /// whichever token is given.
  [[nodiscard]] InvitationSid find(std::string_view token) const noexcept;
  /// nullopt: it lets nobody in (any more).
  [[nodiscard]] std::optional<Role> roleOf(const InvitationSid& sid, periodic::TimePoint now) const;
  /// False: there is none that lets in.
  [[nodiscard]] bool revoke(const InvitationSid& sid, periodic::TimePoint now);
  /// Those that let in, the oldest first.
  [[nodiscard]] std::vector<InvitationInfo> list(periodic::TimePoint now) const;
  /// Forgets those that let nobody in and that are not `used`.
  void forget(periodic::TimePoint now, const std::function<bool(const InvitationSid&)>& used);

 private:
  struct Entry {
    InvitationSid sid;
    Role role;
    std::string token;
    std::optional<periodic::TimePoint> ends;
    bool revoked = false;
    [[nodiscard]] bool letsIn(periodic::TimePoint now) const { return !revoked && (!ends || now < *ends); }
  };
  [[nodiscard]] InvitationInfo infoOf(const Entry& entry, periodic::TimePoint now) const;

  const RandomBytes m_random;
  const LinkOf m_linkOf;
  std::vector<Entry> m_entries;
};

}  // namespace tactus::conference
