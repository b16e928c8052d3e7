// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <string>

#include "media/capture/portal_screen.h"
#include "media/room/participant/outgoing_track.h"

namespace tactus::ui {

/// Which screen or window is shared: the desktop's portal asks the user in a dialog of its own. Where there
/// is no portal it is the whole of X11's. What was chosen is remembered. GUI thread.
class ScreenChoice : public QObject {
  Q_OBJECT

 public:
  /// `memory`: a file for the portal's token. `bus`: as of PortalScreen::Options.
  explicit ScreenChoice(QString memory = defaultMemory(), std::string bus = {});
  ~ScreenChoice() override;
  /// $XDG_STATE_HOME/tactus/screen-token
  [[nodiscard]] static QString defaultMemory();

  /// Asks; one of the signals follows. `anew`: for another than the last time.
  void ask(bool anew);
  /// Closes the dialog. Nothing follows.
  void cancel();
  [[nodiscard]] bool asks() const { return m_asked != nullptr; }

 Q_SIGNALS:
  void asksChanged();
  void chosen(const tactus::media::CaptureSource& source);
  /// A sentence.
  void failed(const QString& why);

 private:
  void look();
  void chooseWithoutPortal();
  [[nodiscard]] std::string recall() const;
  void keep(const std::string& token) const;

  const QString m_memory;
  const std::string m_bus;
  std::shared_ptr<media::PortalScreen> m_asked;  // null: nobody is asked; who captures it shares it
};

}  // namespace tactus::ui
