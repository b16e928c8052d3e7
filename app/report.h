// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conference/attendance.h"
#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/time/time.h"
#include "media/playback/player.h"
#include "media/sharing/load_governor.h"
#include "media/streaming/network_load.h"

namespace tactus::app {

/// One item that was played.
struct PlayedItem {
  media::MediaInfo info;
  media::PlayerStatistics statistics;
  std::string outcome;  ///< "played", or the sentence why not
  periodic::Duration played{0};
  std::optional<media::WindowState> window;  ///< how it fared among several
};

/// A room that was hosted.
struct RoomReport {
  std::string name;
  std::uint64_t came = 0;  ///< participants, each time they came
  std::size_t most = 0;    ///< of them in the room at a time
  periodic::Duration lasted{0};
};

struct RunReport {
  std::vector<PlayedItem> items;
  periodic::KernelClass kernelClass = periodic::KernelClass::None;
  std::vector<periodic::Refusal> refusals;
  std::vector<std::string> events;      ///< sentences of the scheduler and the player, in order
  std::vector<periodic::QosEvent> qos;  ///< what gave way and why, in order
  media::NetworkLoad network = {};      ///< streams that leave or come
  std::optional<RoomReport> room = {};  ///< that was hosted
  std::optional<conference::AttendanceReport> attended = {};  ///< a room that was joined
  std::string display;                                        ///< "virtual display", "software: ..."
};

/// Deadlines missed in any stage, plus pictures dropped for any reason but Hidden, and but those that a plan
/// gave up so that others are in time.
[[nodiscard]] std::uint64_t violationsOf(const PlayedItem& item);

/// The report for programs (UTF-8, indented) and for people. Durations are in milliseconds.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::string toJson(const RunReport& report);
[[nodiscard]] std::string toText(const RunReport& report);
/// One event as a line of JSON, without its end.
[[nodiscard]] std::string toJsonLine(const periodic::QosEvent& event);

}  // namespace tactus::app
