// SPDX-License-Identifier: Apache-2.0
#include "app/joining.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "app/attending.h"
#include "plugins/event_descriptor.h"

namespace tactus::app {
namespace {

using periodic::MonotonicClock;
using periodic::TimePoint;

void waitForTheEnd(int signals, int over, std::optional<periodic::Duration> duration) {
  const TimePoint until = duration ? MonotonicClock::now() + *duration : TimePoint::max();
  std::array<pollfd, 2> wait{{{signals, POLLIN, 0}, {over, POLLIN, 0}}};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - MonotonicClock::now()).count();
    if (left <= 0) return;
    const int came =
        poll(wait.data(), wait.size(), static_cast<int>(std::min<std::int64_t>(left, 3'600'000)));
    if (came > 0 || (came < 0 && errno != EINTR)) return;
  }
}

}  // namespace

ExitCode runJoin(const Options& options, Runtime& runtime, int signals) {
  plugins::EventDescriptor over;
  auto attending = attendanceOf(options, options.join.link, runtime);
  attending.over = [&over](const conference::RoomEnd&) { over.signal(); };
  auto attendance =
      conference::Attendance::start(options.join.link, std::move(attending), runtime.scheduler());
  if (!attendance.ok()) {
    runtime.note(attendance.error().message);
    return ExitCode::CannotOpen;
  }
  if (options.muted) attendance.value()->setMuted(media::MediaKind::Audio, true);
  waitForTheEnd(signals, over.get(), options.duration);
  RunReport report;
  report.display = "none";
  report.attended = attendance.value()->report();
  attendance.value().reset();
  const ExitCode outcome = exitCodeOf(*report.attended);
  return runtime.print(std::move(report), options, outcome);
}

}  // namespace tactus::app
