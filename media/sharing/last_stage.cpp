// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/last_stage.h"

#include <algorithm>
#include <utility>

namespace tactus::media {
namespace {

/// It waits this long for the milder stages to help, and for itself between two windows.
constexpr Duration kAfter = std::chrono::milliseconds(1500);
constexpr Duration kKeptMost = std::chrono::seconds(60);
constexpr Duration kQuiet = std::chrono::seconds(1);
constexpr double kTooMuch = 1.1;       // of the room needed by the floors: that cannot go well
constexpr double kEnough = 0.95;       // of the room may be used by the floors of those that stay
constexpr double kComfortable = 0.93;  // and when one comes back
constexpr double kAmple = 0.25;        // of all processors idle

/// Who may enter or leave, the next one first.
std::vector<LastStageWindow> queue(std::span<const LastStageWindow> windows, bool yields) {
  std::vector<LastStageWindow> next;
  for (const auto& window : windows)
    if (window.mayYield && window.yields == yields) next.push_back(window);
  std::sort(next.begin(), next.end(), [&](const auto& a, const auto& b) {
    const auto entersBefore = [](const auto& x, const auto& y) {
      return x.weight != y.weight ? x.weight < y.weight : x.id > y.id;
    };
    return yields ? entersBefore(b, a) : entersBefore(a, b);
  });
  return next;
}

}  // namespace

std::vector<std::uint64_t> LastStage::decide(periodic::TimePoint now,
                                             std::span<const LastStageWindow> windows,
                                             const Observation& seen) {
  double floor = seen.beside;
  for (const auto& window : windows) floor += window.floor;
  // By what happens, or, while films begin, by what is known of the others.
  const bool tooMuch = seen.full && floor > kTooMuch * seen.room;
  const bool unfit = seen.atFloor && (seen.missing || tooMuch);
  if (unfit && !m_unfit) m_unfitSince = now;
  m_unfit = unfit;
  const Duration after = tooMuch ? kAfter / 3 : kAfter;
  const bool enters = unfit && now - m_unfitSince >= after && now - m_changed >= after;
  auto changed = enters ? enter(windows, seen, floor) : leave(now, windows, seen, floor);
  if (!changed.empty()) m_changed = now;
  return changed;
}

std::vector<std::uint64_t> LastStage::enter(std::span<const LastStageWindow> windows, const Observation& seen,
                                            double floor) {
  std::vector<std::uint64_t> entered;
  for (const auto& window : queue(windows, false)) {
    entered.push_back(window.id);
    floor -= window.floor;
    if (floor <= kEnough * seen.room) break;
  }
  if (!entered.empty() && std::exchange(m_left, false)) {
    m_kept = std::min(2 * m_kept, kKeptMost);
    m_failedIdle = m_leftIdle;
  }
  return entered;
}

std::vector<std::uint64_t> LastStage::leave(periodic::TimePoint now, std::span<const LastStageWindow> windows,
                                            const Observation& seen, double floor) {
  if (seen.missing) return {};
  const auto next = queue(windows, true);
  if (next.empty()) {
    if (now - m_changed >= 2 * kKept) {  // the last one has left, and that holds
      m_left = false;
      m_kept = kKept;
      m_failedIdle = 0;
    }
    return {};
  }
  // At once where there is room for its f_min or the machine has much to spare, else as a trial; as many as
  // that is enough for.
  const double idle = seen.idle / std::max(0.1, seen.processors);
  const bool ample = idle > m_failedIdle + kAmple;
  const auto grows = [](const LastStageWindow& window) { return window.promised - window.floor; };
  double spare = std::max(kComfortable * seen.room - floor, ample ? kComfortable * seen.idle : 0.0);
  const bool fits = grows(next.front()) <= spare;
  const Duration wait = ample && fits ? kQuiet : fits ? m_kept / 3 : m_kept;
  if (now - m_changed < wait) return {};
  std::vector<std::uint64_t> left;
  for (const auto& window : next) {
    if (!left.empty() && grows(window) > spare) break;
    spare -= grows(window);
    left.push_back(window.id);
  }
  m_left = true;
  m_leftIdle = idle;
  return left;
}

}  // namespace tactus::media
