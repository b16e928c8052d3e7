// SPDX-License-Identifier: Apache-2.0
#include "plugins/cranked_clock.h"

#include <gst/check/gsttestclock.h>

namespace tactus::plugins::testing {

using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;
using periodic::Wake;
using namespace std::chrono_literals;

namespace {

constexpr auto kPatience = 60s;
constexpr auto kLook = 200us;  // how often who waits for the clock to move looks at it

GstTestClock* testClock(const std::shared_ptr<GstClock>& clock) noexcept {
  return GST_TEST_CLOCK(clock.get());
}

std::shared_ptr<GstClock> makeClock() {
  gst_init(nullptr, nullptr);
  return {gst_test_clock_new_with_start_time(0), [](GstClock* clock) { gst_object_unref(clock); }};
}

}  // namespace

CrankedClock::CrankedClock() : m_clock(makeClock()), m_thread([this] { crank(); }) {}

CrankedClock::~CrankedClock() {
  m_ends.store(true);
  m_thread.join();
}

Duration CrankedClock::reading() const noexcept {
  return Duration(static_cast<std::int64_t>(gst_clock_get_time(m_clock.get())));
}

void CrankedClock::advance(Duration time) noexcept {
  gst_test_clock_advance_time(testClock(m_clock), time.count());
}

bool CrankedClock::isHeld() const noexcept {
  const TimePoint longest = MonotonicClock::now() + kPatience;
  while (m_heldAt.load() != m_hold.load()) {
    if (MonotonicClock::now() >= longest) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

void CrankedClock::crank() {
  auto* const clock = testClock(m_clock);
  for (; !m_ends.load(); std::this_thread::sleep_for(kLook)) {
    GstClockID waits = nullptr;
    while (gst_test_clock_peek_next_pending_id(clock, &waits) != FALSE) {
      const GstClockTime until = gst_clock_id_get_time(waits);
      gst_clock_id_unref(waits);
      const std::int64_t hold = m_hold.load();
      m_heldAt.store(static_cast<std::int64_t>(until) > hold ? hold : -1);
      if (m_heldAt.load() >= 0) break;
      if (until > gst_clock_get_time(m_clock.get())) gst_test_clock_set_time(clock, until);
      // Who was to be woken may have given up meanwhile: then it is the next, whose time has not come.
      if (GstClockID woken = gst_test_clock_process_next_clock_id(clock)) gst_clock_id_unref(woken);
    }
  }
}

Wake CrankedClock::sleepUntil(TimePoint instant, const periodic::Interrupt& interrupt) noexcept {
  const TimePoint longest = MonotonicClock::now() + kLongestSleep;
  while (!interrupt.raised()) {
    if (now() >= instant || MonotonicClock::now() >= longest) return Wake::OnTime;
    periodic::KernelTime::sleepUntil(MonotonicClock::now() + kLook);
  }
  return Wake::Interrupted;
}

}  // namespace tactus::plugins::testing
