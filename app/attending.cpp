// SPDX-License-Identifier: Apache-2.0
#include "app/attending.h"

#include "conference/door/room_link.h"

namespace tactus::app {
namespace {

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

ExitCode exitCodeOf(const conference::AttendanceReport& attended) {
  return attended.end ? exitCodeOf(*attended.end) : ExitCode::Played;
}

conference::Attendance::Options attendanceOf(const Options& options, std::string_view link,
                                             Runtime& runtime) {
  conference::Attendance::Options attendance;
  attendance.name = options.join.name;
  if (options.join.camera)
    attendance.tracks.push_back(media::OutgoingTrack::camera("camera", *options.join.camera));
  if (options.join.microphone)
    attendance.tracks.push_back(media::OutgoingTrack::audio("microphone", *options.join.microphone));
  attendance.soundDevice = options.join.speaker;
  attendance.originalSound = options.join.originalSound;
  const auto parsed = conference::RoomLink::parse(link);
  if (parsed.ok() && parsed.value().host == kThisMachineAlone) attendance.addresses = {kThisMachineAlone};
  if (options.shedding) attendance.governor = &runtime.governor();
  attendance.note = [&runtime](const std::string& sentence) { runtime.note(sentence); };
  return attendance;
}

}  // namespace tactus::app
