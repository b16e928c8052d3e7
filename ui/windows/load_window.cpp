// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/load_window.h"

#include <QQmlContext>
#include <QQuickWindow>

#include "ui/windows/plot_item.h"
#include "ui/windows/qml_scene.h"

namespace tactus::ui {

LoadWindow::LoadWindow(periodic::Scheduler& scheduler, periodic::QosEvents& events, LoadModel::Films films)
    : m_model(scheduler, events, std::move(films)) {}

LoadWindow::~LoadWindow() = default;

bool LoadWindow::toggle() {
  if (m_window == nullptr) {
    qmlRegisterType<PlotItem>("Tactus.Load", 1, 0, "Plot");
    m_scene = QmlScene::load(QStringLiteral("LoadWindow.qml"),
                             [this](QQmlContext& context) { context.setContextProperty("load", &m_model); });
    if (!m_scene) return false;
    m_window = &m_scene->window();
  }
  m_window->setVisible(!m_window->isVisible());
  if (m_window->isVisible()) m_window->requestActivate();
  return true;
}

}  // namespace tactus::ui
