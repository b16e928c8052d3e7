// SPDX-License-Identifier: Apache-2.0
#include "media/playback/virtual_display.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "plugins/aligned_memory.h"

namespace tactus::media {
namespace {

using plugins::Rgb32View;

class VirtualDisplay final : public plugins::VideoTarget {
 public:
  bool wantsRgb32() const noexcept override { return true; }

  void format(const plugins::PictureFormat& picture, const GstVideoInfo&) override {
    const int width = std::max(0, picture.convertedWidth);
    const int height = std::max(0, picture.convertedHeight);
    if (width == m_next.width && height == m_next.height) return;
    const std::size_t row = plugins::alignedRow(width);
    m_converted = plugins::allocatePicture(row, height);
    m_screen = plugins::allocatePicture(row, height);
    const bool room = m_converted && m_screen;
    m_next = {room ? m_converted.get() : nullptr, width, height, static_cast<int>(row)};
  }

  Rgb32View beginRgb32() noexcept override { return m_next; }

  bool presentRgb32(periodic::TimePoint) noexcept override {
    std::memcpy(m_screen.get(), m_next.data,
                static_cast<std::size_t>(m_next.stride) * static_cast<std::size_t>(m_next.height));
    m_shown.fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  bool presentPlanar(GstBuffer*, periodic::TimePoint) noexcept override { return false; }
  std::uint64_t shown() const noexcept override { return m_shown.load(std::memory_order_relaxed); }
  void clear() noexcept override {}

 private:
  // the display thread's
  plugins::AlignedMemory m_converted, m_screen;
  Rgb32View m_next;

  std::atomic<std::uint64_t> m_shown{0};
};

}  // namespace

std::shared_ptr<plugins::VideoTarget> createVirtualDisplay() {
  return std::make_shared<VirtualDisplay>();
}

}  // namespace tactus::media
