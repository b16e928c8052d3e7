// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/sporadic_thread.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tactus::periodic {

Result<std::unique_ptr<SporadicThread>> SporadicThread::start(Scheduler& scheduler, TaskContract contract,
                                                              std::function<NextRelease()> iterate) {
  contract.sporadic = true;
  auto wake = std::make_unique<Interrupt>();
  auto owned = OwnedThread::start(
      scheduler, std::move(contract),
      [wake = wake.get(), iterate = std::move(iterate)](Task& task) { run(task, *wake, iterate); });
  if (!owned.ok()) return owned.error();
  return std::unique_ptr<SporadicThread>(new SporadicThread(std::move(wake), std::move(owned).value()));
}

SporadicThread::~SporadicThread() {
  m_thread->task().end();
  m_wake->raise();  // after end(): a thread that it wakes finds that it is over
}

void SporadicThread::run(Task& task, Interrupt& wake, const std::function<NextRelease()>& iterate) {
  TimeSource& time = task.time();
  TimePoint next = TimePoint::max();
  bool released = true;
  std::optional<TimePoint> arrival;
  for (;;) {
    const Pause met = task.awaitResume();
    if (met == Pause::ForGood) break;
    if (met == Pause::Ended) arrival.reset();  // the stream begins anew
    if (!released) {
      arrival.reset();
      if (time.sleepUntil(next, wake) == Wake::OnTime) arrival = next;
      released = true;
      continue;  // it may be interrupted, or over, by now
    }
    if (!OwnedThread::begin(task, arrival)) continue;
    wake.clear();  // before the iteration looks at anything: a later wake() releases another one
    const NextRelease wanted = iterate();
    task.complete();
    if (wanted.m_over) break;
    // Not before now: the time since the last packet would count as arrivals that were held up.
    next = std::max(wanted.m_instant, time.now());
    released = false;
  }
}

}  // namespace tactus::periodic
