// SPDX-License-Identifier: Apache-2.0
#include "ui/models/screen_choice.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QPointer>
#include <QSaveFile>
#include <utility>

#include "ui/models/text.h"

namespace tactus::ui {

using media::CaptureSource;
using media::PortalScreen;

ScreenChoice::ScreenChoice(QString memory, std::string bus)
    : m_memory(std::move(memory)), m_bus(std::move(bus)) {}

ScreenChoice::~ScreenChoice() = default;

QString ScreenChoice::defaultMemory() {
  return stateFile("screen-token");
}

void ScreenChoice::ask(bool anew) {
  // What was chosen may outlive this.
  const auto changed = [self = QPointer<ScreenChoice>(this)] {
    QMetaObject::invokeMethod(
        qApp,
        [self] {
          if (self) self->look();
        },
        Qt::QueuedConnection);
  };
  m_asked =
      PortalScreen::ask({.restoreToken = anew ? std::string() : recall(), .bus = m_bus, .changed = changed});
  Q_EMIT asksChanged();
}

void ScreenChoice::cancel() {
  if (std::exchange(m_asked, nullptr)) Q_EMIT asksChanged();
}

/// What an earlier request has told is of no interest any more.
void ScreenChoice::look() {
  if (!m_asked || m_asked->state() == PortalScreen::State::Asking) return;
  const auto answered = std::exchange(m_asked, nullptr);
  Q_EMIT asksChanged();
  switch (answered->state()) {
    case PortalScreen::State::Lent:
      keep(answered->restoreToken());
      Q_EMIT chosen({.kind = CaptureSource::Kind::Screen, .lent = answered});
      return;
    case PortalScreen::State::Absent:
      chooseWithoutPortal();
      return;
    case PortalScreen::State::Failed:
    case PortalScreen::State::Ended:
      Q_EMIT failed(text(answered->fault()));
      return;
    case PortalScreen::State::Cancelled:
    case PortalScreen::State::Asking:
      return;
  }
}

/// Under Wayland X11's screen is black.
void ScreenChoice::chooseWithoutPortal() {
  if (!qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
    Q_EMIT failed(tr("This desktop shares no screens: it has no portal for them (xdg-desktop-portal)."));
  else if (qEnvironmentVariableIsEmpty("DISPLAY"))
    Q_EMIT failed(tr("There is no screen that could be shared: neither a desktop's portal nor X11."));
  else
    Q_EMIT chosen({.kind = CaptureSource::Kind::Screen});
}

std::string ScreenChoice::recall() const {
  QFile file(m_memory);
  return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toStdString() : std::string();
}

void ScreenChoice::keep(const std::string& token) const {
  QDir().mkpath(QFileInfo(m_memory).path());
  QSaveFile file(m_memory);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(token.c_str());
  (void)file.commit();
}

}  // namespace tactus::ui
