// SPDX-License-Identifier: Apache-2.0
#include "app/attending.h"

#include <utility>

#include "app/report.h"
#include "conference/door/room_link.h"

namespace tactus::app {
namespace {

constexpr const char* kThisMachineAlone = "127.0.0.1";

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

conference::Attendance::Options attendanceOf(const Options& options, Runtime& runtime) {
  conference::Attendance::Options attendance;
  attendance.name = options.join.name;
  if (options.join.camera)
    attendance.tracks.push_back(media::OutgoingTrack::video("camera", *options.join.camera));
  if (options.join.microphone)
    attendance.tracks.push_back(media::OutgoingTrack::audio("microphone", *options.join.microphone));
  attendance.soundDevice = options.join.speaker;
  attendance.originalSound = options.join.originalSound;
  const auto link = conference::RoomLink::parse(options.join.link);
  if (link.ok() && link.value().host == kThisMachineAlone) attendance.addresses = {kThisMachineAlone};
  if (options.shedding) attendance.governor = &runtime.governor();
  attendance.note = [&runtime](const std::string& sentence) { runtime.note(sentence); };
  return attendance;
}

ExitCode finishStay(const Options& options, Runtime& runtime, conference::AttendanceReport attended,
                    const std::string& display) {
  const auto end = attended.end;
  const ExitCode outcome = end ? exitCodeOf(*end) : ExitCode::Played;
  if (!options.report && !options.headless) return outcome;
  RunReport report;
  report.display = display;
  report.attended = std::move(attended);
  if (const auto printed = runtime.print(std::move(report), options); !printed.ok()) {
    runtime.note(printed.error().message);
    return ExitCode::InternalError;
  }
  return outcome;
}

}  // namespace tactus::app
