// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/task/task.h"
#include "plugins/orientation.h"
#include "plugins/picture_filter.h"
#include "plugins/picture_overlay.h"
#include "plugins/video_sink.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// What the application may exchange while the streaming thread runs.
struct Attached {
  std::shared_ptr<VideoTarget> target;   // shared: see setVideoTarget()
  std::shared_ptr<periodic::Task> task;  // shared: see setVideoSinkTask()
  std::shared_ptr<const std::function<void(FrameSpan)>>
      shown;  // shared: replaced while a frame may be reporting
  std::shared_ptr<const std::function<void(guint)>> stream;  // shared: as `shown`
  std::shared_ptr<PictureFilter> filter;                     // shared: see setPictureFilter()
  std::shared_ptr<PictureOverlay> overlay;                   // shared: see setPictureOverlay()
  LaidOver above;                                            ///< the picture that is shown
  Orientation orientation;
};

/// The video sink's Attached, exchanged one at a time. The setters give the old one back, so that the caller
/// drops what may be the last reference outside the lock. Thread-safe: yes. Real-time-safe: yes.
class SinkAttachments {
 public:
  [[nodiscard]] Attached current() noexcept {
    const std::lock_guard lock(m_mutex);
    return m_attached;
  }
  /// The same, and whether target, orientation or caps have changed since this was asked last.
  [[nodiscard]] std::pair<Attached, bool> takeChanges() noexcept {
    const std::lock_guard lock(m_mutex);
    return {m_attached, std::exchange(m_changed, false)};
  }

  [[nodiscard]] auto setTarget(std::shared_ptr<VideoTarget> target) noexcept {
    const std::lock_guard lock(m_mutex);
    std::swap(m_attached.target, target);
    m_changed = true;
    return target;
  }
  [[nodiscard]] auto setTask(std::shared_ptr<periodic::Task> task) noexcept {
    return exchange(m_attached.task, std::move(task));
  }
  [[nodiscard]] auto setFilter(std::shared_ptr<PictureFilter> filter) noexcept {
    return exchange(m_attached.filter, std::move(filter));
  }
  [[nodiscard]] auto setOverlay(std::shared_ptr<PictureOverlay> overlay) noexcept {
    return exchange(m_attached.overlay, std::move(overlay));
  }
  [[nodiscard]] auto setShown(std::shared_ptr<const std::function<void(FrameSpan)>> shown) noexcept {
    return exchange(m_attached.shown, std::move(shown));
  }
  [[nodiscard]] auto setStream(std::shared_ptr<const std::function<void(guint)>> stream) noexcept {
    return exchange(m_attached.stream, std::move(stream));
  }
  [[nodiscard]] auto setAbove(LaidOver above) noexcept {
    const std::lock_guard lock(m_mutex);
    std::swap(m_attached.above, above);
    return above;
  }
  void setOrientation(Orientation orientation) noexcept {
    const std::lock_guard lock(m_mutex);
    if (m_attached.orientation == orientation) return;
    m_attached.orientation = orientation;
    m_changed = true;
  }
  void capsChanged() noexcept {
    const std::lock_guard lock(m_mutex);
    m_changed = true;
  }

 private:
  template <typename T>
  std::shared_ptr<T> exchange(std::shared_ptr<T>& held, std::shared_ptr<T> other) noexcept {
    const std::lock_guard lock(m_mutex);
    std::swap(held, other);
    return other;
  }

  // Held for a few pointer copies, twice a frame by the streaming thread: priority inheritance bounds that
  // wait, where std::atomic<std::shared_ptr> would spin against a preempted holder.
  periodic::PriorityInheritanceMutex m_mutex;
  Attached m_attached;
  bool m_changed = true;
};

}  // namespace tactus::plugins
