// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

#include "conference/room/room_facts.h"

namespace tactus::ui {

class CallModel;

/// The link by which others come into a call, for QML. A guest gives on the link by which it came; a host,
/// whose own link would make hosts of them, asks the room for another. Who is alone in a room of its own is
/// shown it until somebody comes. GUI thread.
class CallInvitation : public QObject {
  Q_OBJECT
  Q_PROPERTY(bool shown READ shown NOTIFY changed)
  /// Empty until it is known.
  Q_PROPERTY(QString link READ link NOTIFY changed)
  /// A QR code of the link, as a URL of a picture; a pixel for each module.
  Q_PROPERTY(QString code READ code NOTIFY changed)

 public:
  /// `call` outlives it. `came`: the link by which it was joined. `known`: a guest's; empty: none is known.
  CallInvitation(CallModel& call, QString came, const QString& known);

  [[nodiscard]] bool shown() const { return m_shown; }
  [[nodiscard]] QString link() const { return m_link; }
  [[nodiscard]] QString code() const { return m_code; }
  /// The room has made one.
  void take(const conference::InvitationInfo& invitation);
  Q_INVOKABLE void setShown(bool shown);
  /// Into the clipboard, once it is known.
  Q_INVOKABLE void copy();

 Q_SIGNALS:
  void changed();

 private:
  void ask();
  void follow();
  void setLink(const QString& link);

  CallModel& m_call;
  const QString m_came;
  QString m_link, m_code;
  bool m_shown = false;
  bool m_offered = false;  // it has been shown by itself
  bool m_offers = false;   // and is
  bool m_copies = false;   // it is to be copied when it comes
};

}  // namespace tactus::ui
