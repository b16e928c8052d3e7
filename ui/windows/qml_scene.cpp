// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/qml_scene.h"

#include <QDebug>
#include <QQmlComponent>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickWindow>
#include <QUrl>

#include "ui/models/action_catalogue.h"

static void initialiseResources() {
  Q_INIT_RESOURCE(tactus_ui);
  Q_INIT_RESOURCE(tactus_style);
}

namespace tactus::ui {
namespace {

std::shared_ptr<QQmlEngine> sharedEngine() {
  static std::weak_ptr<QQmlEngine> present;
  auto engine = present.lock();
  if (!engine) {
    initialiseResources();
    engine = std::make_shared<QQmlEngine>();
    engine->rootContext()->setContextProperty("actions", new ActionCatalogue(engine.get()));
    present = engine;
  }
  return engine;
}

}  // namespace

std::unique_ptr<QmlScene> QmlScene::load(const QString& file,
                                         const std::function<void(QQmlContext&)>& describe) {
  std::unique_ptr<QmlScene> self(new QmlScene);
  self->m_engine = sharedEngine();
  self->m_context = std::make_unique<QQmlContext>(self->m_engine->rootContext());
  describe(*self->m_context);
  QQmlComponent component(self->m_engine.get(), QUrl(QStringLiteral("qrc:/tactus/qml/") + file));
  self->m_root.reset(component.create(self->m_context.get()));
  self->m_window = qobject_cast<QQuickWindow*>(self->m_root.get());
  if (self->m_window == nullptr) {
    qWarning().noquote() << component.errorString();
    return nullptr;
  }
  QQmlEngine::setObjectOwnership(self->m_root.get(), QQmlEngine::CppOwnership);
  return self;
}

QmlScene::~QmlScene() = default;

}  // namespace tactus::ui
