// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <mutex>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "ui/video/tile_place.h"
#include "ui/video/tile_target.h"

class QQuickWindow;
class QSGNode;

namespace tactus::ui {

/// A decoded picture on its way to the GPU: a reference to the decoder's buffer and how to read it.
struct PlanarPicture {
  GstBuffer* buffer = nullptr;  ///< owned reference
  GstVideoInfo info{};
  plugins::Orientation orientation;
};

/// The RHI scene graph's: takes the decoder's planar buffers, the GPU converts.
class PlanarTarget final : public TileTarget {
 public:
  PlanarTarget();
  ~PlanarTarget() override;
  [[nodiscard]] bool wantsRgb32() const noexcept override { return false; }
  [[nodiscard]] plugins::Rgb32View beginRgb32() noexcept override { return {}; }
  bool presentRgb32(periodic::TimePoint) noexcept override { return false; }
  bool presentPlanar(GstBuffer* buffer, periodic::TimePoint due) noexcept override;
  [[nodiscard]] std::uint64_t shown() const noexcept override {
    return m_shown.load(std::memory_order_relaxed);
  }
  void clear() noexcept override;
  [[nodiscard]] int descriptor() const noexcept override { return m_event; }

  /// Renderer only. The newest picture not taken yet; the caller owns its reference.
  [[nodiscard]] bool take(PlanarPicture& into) noexcept;
  [[nodiscard]] bool takeCleared() noexcept { return m_cleared.exchange(false, std::memory_order_relaxed); }

 protected:
  void onFormat(const plugins::PictureFormat& picture, const GstVideoInfo& info) override;

 private:
  // Held for a pointer swap by either side; a real-time display thread may wait for it, hence the
  // inheritance.
  periodic::PriorityInheritanceMutex m_mutex;
  GstBuffer* m_waiting = nullptr;
  GstVideoInfo m_info{};
  plugins::Orientation m_orientation;
  std::atomic<std::uint64_t> m_shown{0};
  std::atomic<bool> m_cleared{false};
  int m_event;
};

/// The scene graph node of a planar tile. Render thread, GUI thread waiting. Sets `drawn` when a new picture
/// was taken.
[[nodiscard]] QSGNode* updateRhiNode(QSGNode* old, QQuickWindow& window, const TilePlace& place,
                                     PlanarTarget& target, bool& drawn);

}  // namespace tactus::ui
