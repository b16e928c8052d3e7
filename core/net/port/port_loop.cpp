// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>

#include "core/periodic/time/timespec.h"

namespace tactus::net {

using periodic::TimePoint;

namespace {

constexpr std::int64_t kThrew = -2;  // what Task::abandon() gets

}  // namespace

Result<std::unique_ptr<LoopWake>> LoopWake::create() {
  const int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor < 0)
    return Error{ErrorCode::System, std::string("A port could not be made: ") + std::strerror(errno)};
  return std::unique_ptr<LoopWake>(new LoopWake(descriptor));
}

LoopWake::~LoopWake() {
  close(m_descriptor);
}

void LoopWake::raise() noexcept {
  m_raised.store(true, std::memory_order_release);
  (void)eventfd_write(m_descriptor, 1);
}

void LoopWake::clear() noexcept {
  eventfd_t ignored = 0;
  (void)eventfd_read(m_descriptor, &ignored);
  m_raised.store(false, std::memory_order_release);
}

void LoopWake::wait(const EndWait& end, TimePoint until) noexcept {
  std::array<pollfd, 2> polled{{{m_descriptor, POLLIN, 0}, {end.descriptor, end.events, 0}}};
  const TimePoint instant = std::min(until, end.until);
  timespec left{};
  if (instant != TimePoint::max()) {
    // Compared first: the earliest instant, which means at once, less another is no Duration.
    const TimePoint now = periodic::MonotonicClock::now();
    left = periodic::timespecOf(std::max(instant, now) - now);
  }
  // A signal ends the wait; the caller looks again anyway.
  (void)ppoll(polled.data(), polled.size(), instant != TimePoint::max() ? &left : nullptr, nullptr);
}

LoopEnded handlerThrew(periodic::Task& task) {
  task.abandon(kThrew);
  try {
    throw;
  } catch (const std::exception& thrown) {
    return {.sentence = std::string("The handler threw: ") + thrown.what() + "."};
  } catch (...) {
    return {.sentence = "The handler threw what is no exception."};
  }
}

}  // namespace tactus::net
