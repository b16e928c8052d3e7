// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>
#include <memory>

class QObject;
class QQmlContext;
class QQmlEngine;
class QQuickWindow;

namespace tactus::ui {

/// One of the program's windows, made from its QML file. All share one engine, so that each type is loaded
/// once, and the next window costs a fraction of the first. GUI thread.
class QmlScene {
 public:
  /// `file` within the QML of this library; `describe` names what it is bound to, before it is made. Null
  /// where a module of Qt Quick is missing: Qt has said which.
  [[nodiscard]] static std::unique_ptr<QmlScene> load(const QString& file,
                                                      const std::function<void(QQmlContext&)>& describe);
  ~QmlScene();
  QmlScene(const QmlScene&) = delete;
  QmlScene& operator=(const QmlScene&) = delete;

  [[nodiscard]] QQuickWindow& window() noexcept { return *m_window; }
  [[nodiscard]] QQmlContext& context() noexcept { return *m_context; }
  [[nodiscard]] QQmlEngine& engine() noexcept { return *m_engine; }

 private:
  QmlScene() = default;

  std::shared_ptr<QQmlEngine> m_engine;  // goes with the last window
  std::unique_ptr<QQmlContext> m_context;
  std::unique_ptr<QObject> m_root;
  QQuickWindow* m_window = nullptr;  // the root
};

}  // namespace tactus::ui
