// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tactus::plugins {

/// A node of PipeWire's that gives pictures.
struct PipeWireCamera {
  std::string label;   ///< for people
  std::string serial;  ///< `target-object` of pipewiresrc
  friend bool operator==(const PipeWireCamera&, const PipeWireCamera&) = default;
};

/// The cameras that PipeWire alone has (libcamera's, other programs'): those of V4L2 are left out. None while
/// there is no daemon; it is looked for each second. Thread-safe: yes, but for the constructor and the
/// destructor. Real-time-safe: no.
class PipeWireCameras {
 public:
  /// Called on the thread "tactus-cameras" whenever one has come or gone; must not block.
  using Changed = std::function<void()>;

  /// Waits until the daemon has told all, 2 s at most. `changed` may be null.
  explicit PipeWireCameras(Changed changed);
  /// `changed` is not called any more.
  ~PipeWireCameras();
  PipeWireCameras(const PipeWireCameras&) = delete;
  PipeWireCameras& operator=(const PipeWireCameras&) = delete;

  [[nodiscard]] std::vector<PipeWireCamera> list() const;

 private:
  class Inside;
  const std::unique_ptr<Inside> m_inside;
};

}  // namespace tactus::plugins
