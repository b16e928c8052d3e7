// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/virtual_screen.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tactus::lab {
namespace {

constexpr int kPriority = 20;  // what RealtimeKit grants compositors
constexpr int kStartLimitMs = 10'000;

/// The line that the server writes once it listens.
std::string readLine(int descriptor) {
  std::string line;
  pollfd ready{descriptor, POLLIN, 0};
  char letter = 0;
  while (poll(&ready, 1, kStartLimitMs) > 0 && read(descriptor, &letter, 1) == 1 && letter != '\n')
    line += letter;
  return line;
}

}  // namespace

Result<VirtualScreen> VirtualScreen::create(int width, int height) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error{ErrorCode::System, std::string("pipe: ") + std::strerror(errno)};
  VirtualScreen screen;
  auto server = ChildProcess::start(
      {"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen", "0",
       std::to_string(width) + "x" + std::to_string(height) + "x24", "-nolisten", "tcp", "-noreset"},
      {.environment = {}, .outputFile = "", .keptDescriptor = ends[1]});
  close(ends[1]);
  const std::string number = server.ok() ? readLine(ends[0]) : "";
  close(ends[0]);
  if (!server.ok()) return server.error();
  if (number.empty()) return Error{ErrorCode::Unavailable, "The X server Xvfb did not start."};
  screen.m_server = std::move(server).value();
  screen.m_display = ":" + number;
  return screen;
}

Result<void> VirtualScreen::setRealtime(bool realtime) const {
  sched_param parameter{};
  parameter.sched_priority = realtime ? kPriority : 0;
  if (sched_setscheduler(m_server.pid(), realtime ? SCHED_FIFO : SCHED_OTHER, &parameter) == 0) return {};
  return Error{ErrorCode::PermissionDenied,
               std::string("SCHED_FIFO for the X server: ") + std::strerror(errno)};
}

}  // namespace tactus::lab
