// SPDX-License-Identifier: Apache-2.0
#include "conference/room/invitation_book.h"

#include <algorithm>

#include "conference/room/session_key.h"

namespace tactus::conference {

using periodic::TimePoint;

Result<InvitationInfo> InvitationBook::add(Role role, std::optional<std::chrono::seconds> life,
                                           TimePoint now) {
  const auto valid = std::count_if(m_entries.begin(), m_entries.end(),
                                   [&](const Entry& entry) { return entry.letsIn(now); });
  if (static_cast<std::size_t>(valid) >= kMost)
    return Error{ErrorCode::Refused, "The room has " + std::to_string(kMost) +
                                         " invitations, which is the most; revoke one first."};
  Entry entry{*InvitationSid::parse("IN_" + randomText(m_random, 9)), role, randomText(m_random, 24), {}};
  if (life) entry.ends = now + *life;
  m_entries.push_back(std::move(entry));
  return infoOf(m_entries.back(), now);
}

InvitationSid InvitationBook::find(std::string_view token) const noexcept {
  const Entry* found = nullptr;
  for (const Entry& entry : m_entries)
    if (sameSecret(entry.token, token)) found = &entry;
  return found == nullptr ? InvitationSid() : found->sid;
}

std::optional<Role> InvitationBook::roleOf(const InvitationSid& sid, TimePoint now) const {
  for (const Entry& entry : m_entries)
    if (entry.sid == sid && entry.letsIn(now)) return entry.role;
  return std::nullopt;
}

bool InvitationBook::revoke(const InvitationSid& sid, TimePoint now) {
  for (Entry& entry : m_entries)
    if (entry.sid == sid && entry.letsIn(now)) return entry.revoked = true;
  return false;
}

std::vector<InvitationInfo> InvitationBook::list(TimePoint now) const {
  std::vector<InvitationInfo> all;
  for (const Entry& entry : m_entries)
    if (entry.letsIn(now)) all.push_back(infoOf(entry, now));
  return all;
}

void InvitationBook::forget(TimePoint now, const std::function<bool(const InvitationSid&)>& used) {
  std::erase_if(m_entries, [&](const Entry& entry) { return !entry.letsIn(now) && !used(entry.sid); });
}

InvitationInfo InvitationBook::infoOf(const Entry& entry, TimePoint now) const {
  InvitationInfo info{entry.sid, entry.role, m_linkOf(entry.token), {}};
  if (entry.ends) info.expiresIn = std::chrono::ceil<std::chrono::seconds>(*entry.ends - now);
  return info;
}

}  // namespace tactus::conference
