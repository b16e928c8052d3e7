// SPDX-License-Identifier: Apache-2.0
// What a call asks of its room.
#include "ui/models/call_model.h"

namespace tactus::ui {

using conference::ParticipantSid;
using conference::TrackInfo;
using conference::TrackKind;

void CallModel::setHand(bool raised) {
  if (m_attendance) m_attendance->room().raiseHand(raised);
}

void CallModel::say(const QString& said) {
  if (m_attendance && !said.trimmed().isEmpty()) m_attendance->room().say(said.trimmed().toStdString());
}

void CallModel::admit(const QString& sid) {
  if (const auto parsed = ParticipantSid::parse(sid.toStdString()); parsed && m_attendance)
    m_attendance->room().admit(*parsed);
}

void CallModel::deny(const QString& sid) {
  if (const auto parsed = ParticipantSid::parse(sid.toStdString()); parsed && m_attendance)
    m_attendance->room().deny(*parsed);
}

void CallModel::muteOther(const QString& sid) {
  const auto parsed = ParticipantSid::parse(sid.toStdString());
  const auto* other = parsed ? m_view.find(*parsed) : nullptr;
  if (other == nullptr) return;
  for (const TrackInfo& track : other->tracks)
    if (conference::kindOf(track.description.source) == TrackKind::Audio && !track.muted)
      m_attendance->room().muteParticipant(*parsed, track.sid, true);
}

void CallModel::removeOther(const QString& sid) {
  if (const auto parsed = ParticipantSid::parse(sid.toStdString()); parsed && m_attendance)
    m_attendance->room().remove(*parsed);
}

void CallModel::setLobby(bool on) {
  if (m_attendance) m_attendance->room().setLobby(on);
}

void CallModel::setLocked(bool locked) {
  if (m_attendance) m_attendance->room().lock(locked);
}

void CallModel::invite() {
  if (m_attendance) m_attendance->room().invite(conference::Role::Guest, {});
}

}  // namespace tactus::ui
