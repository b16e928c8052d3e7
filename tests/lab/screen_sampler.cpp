// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/screen_sampler.h"

#include <sched.h>
#include <sys/mman.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <span>

#include "tests/lab/block_code.h"

namespace tactus::lab {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::KernelTime;
using periodic::MonotonicClock;
using periodic::TimePoint;

namespace {

constexpr int kPriority = 95;
constexpr std::size_t kSightings = 1 << 18;  // an hour at 60 pictures a second
constexpr int kEmptyLooks = 10;
enum State : int { Starting, Watching, NoRealtime, NoScreen };

using ImageReply = std::unique_ptr<xcb_get_image_reply_t, decltype(&std::free)>;

}  // namespace

/// Shared between the sampler (writes) and the lab (reads).
struct ScreenSampler::Log {
  std::atomic<int> state{Starting};
  // Released after the sighting below it is written; acquired before it is read.
  std::atomic<std::size_t> count{0};
  // Written by the sampler, taken by the lab; a figure on its own, so relaxed.
  std::atomic<Duration::rep> longestDelay{0};
  std::array<Sighting, kSightings> sightings;
};

void ScreenSampler::Unmap::operator()(Log* log) const noexcept {
  munmap(log, sizeof(Log));
}

void ScreenSampler::watch(Log& log, const std::string& display, const std::vector<WatchedWindow>& windows) {
  int number = 0;
  xcb_connection_t* connection = xcb_connect(display.c_str(), &number);
  if (xcb_connection_has_error(connection) != 0) {
    log.state.store(NoScreen, std::memory_order_release);
    return;
  }
  const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
  const sched_param parameter{.sched_priority = kPriority};
  if (sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) {
    log.state.store(NoRealtime, std::memory_order_release);
    return;
  }
  log.state.store(Watching, std::memory_order_release);
  struct Row {  // of windows side by side: one question to the server for all
    std::int16_t y = 0;
    std::uint16_t width = 0;
    std::vector<std::size_t> windows;
  };
  std::map<int, Row> rows;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto& window = windows[i];
    Row& row = rows[window.y];
    // A little below the middle, because players draw their own edge along a window.
    row.y = static_cast<std::int16_t>(window.y +
                                      BlockCode::kHeight * window.scale * (window.scale < 1 ? 0.7 : 0.5));
    row.width = std::max(row.width,
                         static_cast<std::uint16_t>(std::ceil(window.x + BlockCode::kWidth * window.scale)));
    row.windows.push_back(i);
  }
  struct Seen {
    std::int64_t shown = -1;  // no number
    int empty = 0;            // looks in a row without a number
  };
  std::vector<Seen> seen(windows.size());
  std::size_t count = 0;
  for (TimePoint next = MonotonicClock::now(); count + windows.size() < kSightings;) {
    // Late by more than one look (the server was busy): go on from now, not in a burst.
    next = std::max(next + Duration(1s) / kLooksPerSecond, MonotonicClock::now());
    KernelTime::sleepUntil(next);
    const auto delay = (MonotonicClock::now() - next).count();
    if (delay > log.longestDelay.load(std::memory_order_relaxed)) {
      log.longestDelay.store(delay, std::memory_order_relaxed);
    }
    std::vector<xcb_get_image_cookie_t> cookies;
    for (const auto& [y, row] : rows) {
      cookies.push_back(
          xcb_get_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, root, 0, row.y, row.width, 1, ~0U));
    }
    auto cookie = cookies.begin();
    for (const auto& [y, row] : rows) {
      const ImageReply reply(xcb_get_image_reply(connection, *cookie++, nullptr), &std::free);
      if (!reply) return;  // the screen went away
      const std::span<const std::uint8_t> line(
          xcb_get_image_data(reply.get()), static_cast<std::size_t>(xcb_get_image_data_length(reply.get())));
      for (const std::size_t i : row.windows) {
        const auto code = BlockCode::decode(line.subspan(static_cast<std::size_t>(windows[i].x) * 4),
                                            BlockCode::kSide * windows[i].scale);
        if (!code) {
          // A half drawn square is looked at again. An empty screen means that the player has ended, and the
          // next one may begin with the same number.
          if (++seen[i].empty == kEmptyLooks) seen[i].shown = -1;
          continue;
        }
        seen[i].empty = 0;
        if (*code == seen[i].shown) continue;
        seen[i].shown = *code;
        log.sightings[count] = {MonotonicClock::now(), *code, static_cast<std::uint32_t>(i)};
        log.count.store(++count, std::memory_order_release);
      }
    }
  }
}

Result<ScreenSampler> ScreenSampler::start(const std::string& display,
                                           const std::vector<WatchedWindow>& windows) {
  void* memory = mmap(nullptr, sizeof(Log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Error{ErrorCode::System, std::string("mmap: ") + std::strerror(errno)};
  ScreenSampler sampler;
  sampler.m_log.reset(new (memory) Log);
  Log& log = *sampler.m_log;
  auto process = ChildProcess::fork([&] { watch(log, display, windows); });
  if (!process.ok()) return process.error();
  sampler.m_process = std::move(process).value();
  while (log.state.load(std::memory_order_acquire) == Starting && !sampler.m_process.poll()) {
    KernelTime::sleepUntil(MonotonicClock::now() + 2ms);
  }
  switch (log.state.load(std::memory_order_acquire)) {
    case Watching:
      return sampler;
    case NoRealtime:
      return Error{ErrorCode::PermissionDenied, "SCHED_FIFO for the watcher of the screen is refused"};
    default:
      return Error{ErrorCode::Unavailable, "the screen " + display + " cannot be read"};
  }
}

std::vector<Sighting> ScreenSampler::sightingsSince(TimePoint begin) const {
  const std::size_t count = m_log->count.load(std::memory_order_acquire);
  std::size_t first = count;
  while (first > 0 && m_log->sightings[first - 1].when >= begin) --first;
  return {m_log->sightings.begin() + static_cast<std::ptrdiff_t>(first),
          m_log->sightings.begin() + static_cast<std::ptrdiff_t>(count)};
}

Duration ScreenSampler::takeLongestDelay() const {
  return Duration(m_log->longestDelay.exchange(0, std::memory_order_relaxed));
}

std::optional<Sighting> ScreenSampler::await(std::uint32_t frame, TimePoint begin, Duration limit) const {
  const TimePoint end = MonotonicClock::now() + limit;
  while (MonotonicClock::now() < end) {
    for (const Sighting& sighting : sightingsSince(begin)) {
      if (sighting.frame >= frame) return sighting;
    }
    KernelTime::sleepUntil(MonotonicClock::now() + 10ms);
  }
  return std::nullopt;
}

}  // namespace tactus::lab
