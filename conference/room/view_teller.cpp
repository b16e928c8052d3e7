// SPDX-License-Identifier: Apache-2.0
#include "conference/room/view_teller.h"

#include <type_traits>

namespace tactus::conference {
namespace {

/// Tells one message to a listener: `view` as it is now, `before` whom it concerns as it was.
class Telling {
 public:
  Telling(RoomListener& listener, const RoomView& view, const std::optional<ParticipantInfo>& before,
          const std::optional<TrackSid>& mutedByHost)
      : m_listener(listener), m_view(view), m_before(before), m_mutedByHost(mutedByHost) {}

  void on(const server::Joined&) { m_listener.joined(m_view); }
  void on(const server::Published& published) {
    m_listener.trackPublished(m_view.you, published.track, published.cid);
  }
  void on(const server::ParticipantJoined& joined) { m_listener.participantJoined(joined.participant); }
  void on(const server::ParticipantLeft& left) {
    if (m_before) m_listener.participantLeft(*m_before, left.reason);
  }
  void on(const server::TrackPublished& published) {
    if (const auto* const who = m_view.find(published.sid))
      m_listener.trackPublished(*who, published.track, std::nullopt);
  }
  void on(const server::TrackUnpublished& unpublished) {
    if (!m_before) return;
    ParticipantInfo before = *m_before;
    if (const auto* const track = trackOf(before, unpublished.track))
      m_listener.trackUnpublished(*m_view.find(unpublished.sid), *track);
  }
  void on(const server::TrackMuted& muted) {
    ParticipantInfo who = *m_view.find(muted.sid);
    const bool byHost = muted.sid == m_view.you.sid && m_mutedByHost == muted.track;
    if (const auto* const track = trackOf(who, muted.track)) m_listener.trackChanged(who, *track, byHost);
  }
  void on(const server::Speakers& speakers) { m_listener.speakersChanged(speakers.speakers); }
  void on(const server::Quality& quality) { changed(quality.sid); }
  void on(const server::Hand& hand) { changed(hand.sid); }
  void on(const server::Chat& chat) { m_listener.chat(chat.line); }
  void on(const server::RoomUpdated& updated) { m_listener.roomChanged(updated.room); }
  void on(const server::WaitingList& list) { m_listener.waitingChanged(list.waiting); }
  void on(const server::Invitation& invitation) { m_listener.invited(invitation.invitation); }
  void on(const server::Invitations& list) { m_listener.invitationsListed(list.invitations); }
  void on(const server::Wanted& wanted) { m_listener.trackWanted(wanted.track, wanted.wanted); }
  void on(const server::Delivery& delivery) { m_listener.trackDelivered(delivery.track, delivery.delivery); }
  void on(const server::Error& error) { m_listener.failed({error.message, error.cid}); }
  template <typename Other>
  void on(const Other&) {}

 private:
  void changed(const ParticipantSid& sid) {
    if (const auto* const who = m_view.find(sid)) m_listener.participantChanged(*who);
  }

  RoomListener& m_listener;
  const RoomView& m_view;
  const std::optional<ParticipantInfo>& m_before;
  const std::optional<TrackSid>& m_mutedByHost;
};

}  // namespace

void ViewTeller::apply(const ServerMessage& message) {
  m_before.reset();
  const auto remember = [this](const auto& each) {
    if constexpr (requires { each.sid; }) {
      if (const auto* const who = m_update.view().find(each.sid)) m_before = *who;
    }
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(each)>, server::MutedByHost>)
      m_mutedByHost = each.track;
    else if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(each)>, server::TrackMuted>)
      m_mutedByHost.reset();
  };
  std::visit(remember, message);
  m_sane = m_update.apply(message);
}

void ViewTeller::tell(const ServerMessage& message, RoomListener& listener) const {
  if (!m_sane) return;
  Telling telling(listener, m_update.view(), m_before, m_mutedByHost);
  std::visit([&](const auto& each) { telling.on(each); }, message);
}

}  // namespace tactus::conference
