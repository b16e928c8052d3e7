// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ui/models/load_model.h"

class QQuickWindow;

namespace tactus::ui {

class QmlScene;

/// The window that shows how the machine is shared out; made when it is first wanted. GUI thread.
class LoadWindow {
 public:
  LoadWindow(periodic::Scheduler& scheduler, periodic::QosEvents& events, LoadModel::Films films);
  ~LoadWindow();
  void setNetwork(LoadModel::Network network) { m_model.setNetwork(std::move(network)); }
  LoadWindow(const LoadWindow&) = delete;
  LoadWindow& operator=(const LoadWindow&) = delete;
  /// Opens it, or closes it if it is open. False if the QML cannot be made.
  bool toggle();
  /// Null before the first toggle().
  [[nodiscard]] QQuickWindow* window() { return m_window; }

 private:
  LoadModel m_model;
  std::unique_ptr<QmlScene> m_scene;
  QQuickWindow* m_window = nullptr;  // the scene's
};

}  // namespace tactus::ui
