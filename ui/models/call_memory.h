// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <string>

namespace tactus::ui {

/// What was chosen for the last call.
struct CallChoice {
  QString name = {};
  // Name of the source; empty: none is used; absent: the default one.
  std::optional<std::string> camera = {}, microphone = {};
  bool originalSound = false;  ///< the microphone's sound is sent as it is
  friend bool operator==(const CallChoice&, const CallChoice&) = default;
};

/// Remembers it in a JSON file, which is written atomically. One that is missing or damaged says nothing; a
/// folder that cannot be written forgets. GUI thread.
class CallMemory {
 public:
  explicit CallMemory(QString path) : m_path(std::move(path)) {}
  [[nodiscard]] static QString defaultPath();
  /// Without a name, that of the user.
  [[nodiscard]] CallChoice recall() const;
  void keep(const CallChoice& choice) const;

 private:
  QString m_path;
};

}  // namespace tactus::ui
