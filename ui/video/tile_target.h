// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSizeF>
#include <atomic>
#include <cstdint>
#include <memory>

#include "plugins/picture_exchange.h"
#include "plugins/video_target.h"
#include "ui/video/x11_surface.h"

namespace tactus::ui {

/// What both kinds of tile share: the picture's shape, and whether anybody can see it. Format by the display
/// thread, the rest by anybody.
class TileTarget : public plugins::VideoTarget {
 public:
  void format(const plugins::PictureFormat& picture, const GstVideoInfo& info) override;
  /// Upright size with square pixels; empty before the first picture.
  [[nodiscard]] QSizeF pictureSize() const noexcept;
  /// A hidden window takes no pictures: they are given up before they cost anything.
  void setVisible(bool visible) noexcept { m_visible.store(visible, std::memory_order_relaxed); }
  [[nodiscard]] bool visible() const noexcept { return m_visible.load(std::memory_order_relaxed); }
  /// Size of the tile in pixels of the screen.
  void setRoom(plugins::PictureRoom room) noexcept {
    m_room.store(static_cast<std::uint64_t>(room.width) << 32 | static_cast<std::uint32_t>(room.height),
                 std::memory_order_relaxed);
  }
  [[nodiscard]] plugins::PictureRoom room() const noexcept override {
    const std::uint64_t room = m_room.load(std::memory_order_relaxed);
    return {static_cast<int>(room >> 32), static_cast<int>(room & 0xffffffff)};
  }
  /// Becomes readable when a picture waits.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;

 protected:
  virtual void onFormat(const plugins::PictureFormat& picture, const GstVideoInfo& info) = 0;

 private:
  // relaxed: shape and visibility are hints for the next picture, nothing hangs on their order.
  std::atomic<float> m_width{0}, m_height{0};
  std::atomic<bool> m_visible{true};
  std::atomic<std::uint64_t> m_room{0};
};

/// The software scene graph's: BGRx pictures converted by the display thread.
class SoftwareTarget final : public TileTarget {
 public:
  [[nodiscard]] bool wantsRgb32() const noexcept override { return true; }
  [[nodiscard]] plugins::Rgb32View beginRgb32() noexcept override;
  bool presentRgb32(periodic::TimePoint due) noexcept override;
  bool presentPlanar(GstBuffer*, periodic::TimePoint) noexcept override { return false; }
  [[nodiscard]] std::uint64_t shown() const noexcept override {
    return m_exchange.taken() + m_put.load(std::memory_order_relaxed);
  }
  void clear() noexcept override { m_cleared.store(true, std::memory_order_relaxed); }
  [[nodiscard]] int descriptor() const noexcept override { return m_exchange.descriptor(); }

  /// Renderer only.
  [[nodiscard]] plugins::PictureExchange& exchange() noexcept { return m_exchange; }
  [[nodiscard]] bool takeCleared() noexcept { return m_cleared.exchange(false, std::memory_order_relaxed); }

  /// A way round the scene graph for the pictures that have a place on the surface; null = none. The scene
  /// graph finds them in the exchange whenever it draws. GUI thread.
  void setSurface(std::unique_ptr<X11Surface> surface);
  [[nodiscard]] X11Surface* surface() noexcept { return m_surface.get(); }

 protected:
  void onFormat(const plugins::PictureFormat& picture, const GstVideoInfo& info) override;

 private:
  plugins::PictureExchange m_exchange;
  plugins::Rgb32View m_filling;                       // display thread only
  periodic::PriorityInheritanceMutex m_surfaceMutex;  // the surface is not taken away while a picture is put
  std::unique_ptr<X11Surface> m_surface;
  std::atomic<std::uint64_t> m_put{0};
  std::atomic<bool> m_cleared{false};
};

}  // namespace tactus::ui
