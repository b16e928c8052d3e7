// SPDX-License-Identifier: Apache-2.0
#include "app/joining.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "conference/attendance.h"
#include "conference/door/room_link.h"
#include "plugins/event_descriptor.h"

namespace tactus::app {
namespace {

using conference::Attendance;
using conference::AttendanceReport;
using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr const char* kThisMachineAlone = "127.0.0.1";

Attendance::Options attendanceOf(const Options& options, Runtime& runtime, plugins::EventDescriptor& over) {
  Attendance::Options attendance;
  attendance.name = options.join.name;
  if (options.join.camera)
    attendance.tracks.push_back(media::OutgoingTrack::video("camera", *options.join.camera));
  if (options.join.microphone)
    attendance.tracks.push_back(media::OutgoingTrack::audio("microphone", *options.join.microphone));
  const auto link = conference::RoomLink::parse(options.join.link);
  if (link.ok() && link.value().host == kThisMachineAlone) attendance.addresses = {kThisMachineAlone};
  attendance.note = [&runtime](const std::string& sentence) { runtime.note(sentence); };
  attendance.over = [&over] { over.signal(); };
  if (options.shedding) attendance.governor = &runtime.governor();
  return attendance;
}

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

/// Of a stay that the room ended.
ExitCode exitCodeOf(const conference::RoomEnd& end) {
  switch (end.reason) {
    case conference::RoomEndReason::Removed:
    case conference::RoomEndReason::Flood:
    case conference::RoomEndReason::RoomEnds:
    case conference::RoomEndReason::Elsewhere:
      return ExitCode::BrokeOff;
    default:
      return ExitCode::CannotOpen;
  }
}

}  // namespace

ExitCode runJoin(const Options& options, Runtime& runtime, int signals) {
  plugins::EventDescriptor over;
  auto attendance =
      Attendance::start(options.join.link, attendanceOf(options, runtime, over), runtime.scheduler());
  if (!attendance.ok()) {
    runtime.note(attendance.error().message);
    return ExitCode::CannotOpen;
  }
  waitForTheEnd(signals, over.get(), options.duration);
  RunReport report;
  report.display = "none";
  report.attended = attendance.value()->report();
  const auto end = report.attended->end;
  const auto printed = runtime.print(std::move(report), options);
  attendance.value().reset();
  if (!printed.ok()) {
    runtime.note(printed.error().message);
    return ExitCode::InternalError;
  }
  return end ? exitCodeOf(*end) : ExitCode::Played;
}

}  // namespace tactus::app
