// SPDX-License-Identifier: Apache-2.0
#include "core/media/virtual_display.h"

#include <poll.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "plugins/picture_exchange.h"

namespace tactus::media {
namespace {

using periodic::TimePoint;
using plugins::PictureExchange;
using plugins::Rgb32View;

/// A frame buffer and the thread that draws into it, as a window's renderer would.
class VirtualDisplay final : public plugins::VideoTarget {
 public:
  explicit VirtualDisplay(std::unique_ptr<periodic::Task> task) : m_task(std::move(task)) {
    m_renderer = std::thread([this] { render(); });
  }
  ~VirtualDisplay() override {
    m_stop.store(true, std::memory_order_relaxed);
    m_renderer.join();
  }

  bool wantsRgb32() const noexcept override { return true; }
  void format(const plugins::PictureFormat& picture, const GstVideoInfo&) override {
    m_exchange.resize(picture.convertedWidth, picture.convertedHeight);
  }
  Rgb32View beginRgb32() noexcept override { return m_exchange.begin(); }
  bool presentRgb32(TimePoint due) noexcept override { return m_exchange.publish(due); }
  bool presentPlanar(GstBuffer*, TimePoint) noexcept override { return false; }
  std::uint64_t shown() const noexcept override { return m_exchange.taken(); }
  void clear() noexcept override {}

 private:
  void render() {
    m_task->bind(periodic::currentThreadId());
    while (!m_stop.load(std::memory_order_relaxed)) {
      pollfd wait{m_exchange.descriptor(), POLLIN, 0};
      if (poll(&wait, 1, 100) <= 0) continue;  // bounded, so that the end is noticed
      PictureExchange::Taken picture;
      if (!m_exchange.take(picture)) continue;
      m_task->pass();
      draw(picture.view);
      m_task->complete();
    }
    m_task->bind(0);
  }

  void draw(const Rgb32View& view) {
    const auto row = static_cast<std::size_t>(view.width) * 4;
    m_screen.resize(row * static_cast<std::size_t>(view.height));
    for (int y = 0; y < view.height; ++y) {
      std::memcpy(m_screen.data() + static_cast<std::size_t>(y) * row,
                  view.data + static_cast<std::ptrdiff_t>(y) * view.stride, row);
    }
  }

  PictureExchange m_exchange;
  std::unique_ptr<periodic::Task> m_task;
  std::vector<std::uint8_t> m_screen;  // the renderer's
  std::atomic<bool> m_stop{false};
  std::thread m_renderer;
};

}  // namespace

Result<std::shared_ptr<plugins::VideoTarget>> createVirtualDisplay(periodic::Scheduler& scheduler) {
  periodic::TaskContract contract;
  contract.name = "render";
  contract.stage = periodic::Stage::Render;
  contract.lbap.rate = periodic::Rate::perSecond(60);
  contract.deadline = std::chrono::milliseconds(33);  // two refreshes of a 60 Hz screen
  contract.cpuCap = 0.6;
  contract.early = periodic::EarlyPackets::Clocked;
  auto task = scheduler.adopt(std::move(contract), 0);
  if (!task.ok()) return task.error();
  return std::shared_ptr<plugins::VideoTarget>(std::make_shared<VirtualDisplay>(std::move(task).value()));
}

}  // namespace tactus::media
