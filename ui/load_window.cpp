// SPDX-License-Identifier: Apache-2.0
#include "ui/load_window.h"

#include <QQmlApplicationEngine>
#include <QQmlContext>
#include <QQuickWindow>

#include "ui/application_window.h"
#include "ui/plot_item.h"

namespace tactus::ui {

LoadWindow::LoadWindow(periodic::Scheduler& scheduler, media::QosEvents& events, LoadModel::Viewers viewers)
    : m_model(scheduler, events, std::move(viewers)) {}

LoadWindow::~LoadWindow() = default;

bool LoadWindow::toggle() {
  if (m_window == nullptr) {
    prepareQml();
    qmlRegisterType<PlotItem>("Tactus.Load", 1, 0, "Plot");
    m_engine = std::make_unique<QQmlApplicationEngine>();
    m_engine->rootContext()->setContextProperty("load", &m_model);
    m_engine->load(QUrl(QStringLiteral("qrc:/tactus/qml/LoadWindow.qml")));
    if (m_engine->rootObjects().isEmpty()) return false;
    m_window = qobject_cast<QQuickWindow*>(m_engine->rootObjects().constFirst());
  }
  m_window->setVisible(!m_window->isVisible());
  if (m_window->isVisible()) m_window->requestActivate();
  return true;
}

}  // namespace tactus::ui
