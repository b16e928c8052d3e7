// SPDX-License-Identifier: Apache-2.0
#include "app/hosting.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <utility>

#include "app/own_room.h"
#include "conference/door/qr_code.h"
#include "conference/door/room_link.h"

namespace tactus::app {
namespace {

using periodic::MonotonicClock;
using periodic::TimePoint;

/// False: no invitation could be made.
bool printLinks(OwnRoom& room, Runtime& runtime) {
  const auto guests = room.link(conference::Role::Guest);
  const auto hosts = room.link(conference::Role::Host);
  for (const auto* each : {&guests, &hosts}) {
    if (!each->ok()) {
      runtime.note(each->error().message);
      return false;
    }
    std::cout << each->value() << std::endl;  // now: whoever started us waits for it
  }
  if (isatty(STDOUT_FILENO) == 0) return true;
  if (const auto link = conference::RoomLink::parse(guests.value()); link.ok())
    std::cout << "OBS (service WHIP, server): " << link.value().base() << "/whip" << std::endl;
  if (const auto code = conference::QrCode::of(guests.value()); code.ok())
    std::cout << code.value().text() << std::flush;
  return true;
}

void waitForTheEnd(int signals, std::optional<periodic::Duration> duration) {
  const TimePoint until = duration ? MonotonicClock::now() + *duration : TimePoint::max();
  pollfd wait{signals, POLLIN, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - MonotonicClock::now()).count();
    if (left <= 0) return;
    const int came = poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left, 3'600'000)));
    if (came > 0 || (came < 0 && errno != EINTR)) return;
  }
}

}  // namespace

ExitCode runHost(const Options& options, Runtime& runtime, int signals) {
  auto room = OwnRoom::open(options, runtime);
  if (!room.ok()) {
    runtime.note(room.error().message);
    return ExitCode::CannotOpen;
  }
  if (!printLinks(*room.value(), runtime)) return ExitCode::InternalError;
  waitForTheEnd(signals, options.duration);
  RunReport report;
  report.network.link = room.value()->load();  // with the flows, which end with the room
  report.room = room.value()->report();
  room.value().reset();
  if (!options.report) return ExitCode::Played;
  report.display = "none";
  return runtime.print(std::move(report), options, ExitCode::Played);
}

}  // namespace tactus::app
