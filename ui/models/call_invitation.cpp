// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_invitation.h"

#include <QBuffer>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <utility>

#include "conference/door/qr_code.h"
#include "ui/models/call_model.h"
#include "ui/models/text.h"

namespace tactus::ui {
namespace {

constexpr int kQuietZone = 4;  // modules (ISO/IEC 18004)

/// As a URL of a PNG; empty where the text is too long.
QString codeOf(const QString& link) {
  const auto made = conference::QrCode::of(link.toStdString());
  if (!made.ok()) return {};
  const auto& code = made.value();
  const int side = static_cast<int>(code.size()) + 2 * kQuietZone;
  QImage image(side, side, QImage::Format_Grayscale8);
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      image.scanLine(row)[column] = code.isDark(column - kQuietZone, row - kQuietZone) ? 0 : 255;
  QByteArray png;
  QBuffer buffer(&png);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return QStringLiteral("data:image/png;base64,") + QString::fromLatin1(png.toBase64());
}

}  // namespace

CallInvitation::CallInvitation(CallModel& call, QString came, const QString& known)
    : m_call(call), m_came(std::move(came)) {
  setLink(known);
  connect(&call, &CallModel::phaseChanged, this, &CallInvitation::follow);
  connect(&call, &CallModel::peopleChanged, this, &CallInvitation::follow);
  connect(&call, &CallModel::invitationWanted, this, &CallInvitation::copy);
  connect(&call, &CallModel::invitationToggled, this, [this] { setShown(!m_shown); });
}

void CallInvitation::take(const conference::InvitationInfo& invitation) {
  if (invitation.role == conference::Role::Guest) setLink(text(invitation.link));
  if (std::exchange(m_copies, false)) copy();
}

void CallInvitation::setShown(bool shown) {
  m_offers = false;
  if (shown == m_shown) return;
  m_shown = shown;
  if (shown) ask();
  Q_EMIT changed();
}

void CallInvitation::ask() {
  if (m_link.isEmpty()) m_call.host() ? m_call.invite() : setLink(m_came);
}

void CallInvitation::copy() {
  m_copies = m_link.isEmpty();
  ask();
  if (m_link.isEmpty()) return;
  QGuiApplication::clipboard()->setText(m_link);
  m_call.showToast(tr("The link is copied: whoever has it can come in"));
}

void CallInvitation::follow() {
  if (m_call.phase() == QLatin1String("ended")) return setShown(false);
  if (m_call.phase() != QLatin1String("joined")) return;
  const auto people = m_call.people().size();
  if (m_offers && people > 1) return setShown(false);
  if (people != 1 || !m_call.host() || std::exchange(m_offered, true)) return;
  setShown(true);
  m_offers = true;
}

void CallInvitation::setLink(const QString& link) {
  m_link = link;
  m_code = link.isEmpty() ? QString() : codeOf(link);
  Q_EMIT changed();
}

}  // namespace tactus::ui
