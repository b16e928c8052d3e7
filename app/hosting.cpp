// SPDX-License-Identifier: Apache-2.0
#include "app/hosting.h"

#include <poll.h>
#include <unistd.h>

#include <QDir>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conference/door/own_addresses.h"
#include "conference/door/qr_code.h"
#include "conference/door/room_link.h"
#include "conference/room_host.h"
#include "media/streaming/stream_network.h"

namespace tactus::app {
namespace {

using conference::Certificate;
using conference::RoomHost;
using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr const char* kThisMachineAlone = "127.0.0.1";

/// $XDG_DATA_HOME/tactus
std::filesystem::path dataFolder() {
  const QString home = qEnvironmentVariable("XDG_DATA_HOME");
  const QString folder = home.isEmpty() ? QDir::homePath() + "/.local/share" : home;
  return std::filesystem::path(folder.toStdString()) / "tactus";
}

/// Whoever comes and goes, in sentences and in numbers.
class Visits {
 public:
  explicit Visits(Runtime& runtime) : m_runtime(runtime) {}

  /// On the door's thread.
  void hear(const conference::RoomNews& news) {
    std::visit([this](const auto& each) { on(each); }, news);
  }
  [[nodiscard]] RoomReport report() const {
    const std::lock_guard lock(m_mutex);
    return m_report;
  }

 private:
  void on(const conference::server::ParticipantJoined& joined) {
    const auto& [sid, name] = *m_names.emplace(joined.participant.sid, joined.participant.name).first;
    m_runtime.note(name + " has come.");
    const std::lock_guard lock(m_mutex);
    ++m_report.came;
    m_report.most = std::max(m_report.most, m_names.size());
  }
  void on(const conference::server::ParticipantLeft& left) {
    const auto found = m_names.find(left.sid);
    if (found == m_names.end()) return;
    m_runtime.note(found->second + " has " + inWords(left.reason) + ".");
    m_names.erase(found);
  }
  void on(const conference::server::WaitingList& list) {
    std::set<conference::ParticipantSid> waiting;
    for (const auto& each : list.waiting) {
      if (!m_waiting.contains(each.sid)) m_runtime.note(each.name + " waits in the lobby.");
      waiting.insert(each.sid);
    }
    m_waiting = std::move(waiting);
  }
  template <typename Other>
  void on(const Other&) {}

  static std::string inWords(conference::LeaveReason reason) {
    switch (reason) {
      case conference::LeaveReason::Left:
        return "left";
      case conference::LeaveReason::Removed:
        return "been removed by a host";
      case conference::LeaveReason::Lost:
        return "lost the connection";
      case conference::LeaveReason::Flood:
        return "been removed: it sent more than a participant may";
    }
    return "left";
  }

  Runtime& m_runtime;
  // Of the door's thread.
  std::map<conference::ParticipantSid, std::string> m_names;
  std::set<conference::ParticipantSid> m_waiting;
  mutable std::mutex m_mutex;  // m_report
  RoomReport m_report;
};

/// What a link has for the host, and what a new certificate is valid for.
struct Names {
  std::string link;
  std::vector<std::string> all;
};

Names namesOf(const Options& options, Runtime& runtime) {
  Names names{options.room.address, {}};
  if (!names.link.empty()) names.all.push_back(names.link);
  const auto own = conference::ownAddresses();
  if (!own.ok()) runtime.note(own.error().message);
  if (own.ok())
    for (const auto& each : own.value()) names.all.push_back(each.text);
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) names.all.emplace_back(host.data());
  if (!names.link.empty()) return names;
  if (own.ok() && !own.value().empty()) {
    names.link = own.value().front().text;
    return names;
  }
  runtime.note(
      "This machine has no address that others could reach: the link works on this machine alone. --address "
      "names another.");
  names.link = kThisMachineAlone;
  return names;
}

Result<std::unique_ptr<RoomHost>> open(const Options& options, Runtime& runtime, Visits& visits,
                                       net::LinkTask* link) {
  const Names names = namesOf(options, runtime);
  const auto certificate = Certificate::keptIn(dataFolder(), names.all);
  if (!certificate.ok()) return certificate.error();
  RoomHost::Options room;
  room.room.name = options.room.name;
  room.room.mostParticipants = options.room.most;
  room.room.lobby = options.room.lobby;
  room.door.port = options.room.port;
  room.linkHost = names.link;
  conference::RoomMedia::Options carried;
  carried.link = link;
  if (names.link == kThisMachineAlone) carried.addresses = {kThisMachineAlone};
  auto media = conference::RoomMedia::start(carried);
  if (!media.ok()) return media.error();
  return RoomHost::start(
      std::move(room), certificate.value(), {},
      [&visits](const conference::RoomNews& news) { visits.hear(news); }, std::move(media).value());
}

/// False: no invitation could be made.
bool printLinks(RoomHost& host, Runtime& runtime) {
  const auto guests = host.invite(conference::Role::Guest);
  const auto hosts = host.invite(conference::Role::Host);
  for (const auto* each : {&guests, &hosts}) {
    if (!each->ok()) {
      runtime.note(each->error().message);
      return false;
    }
    std::cout << each->value().link << std::endl;  // now: whoever started us waits for it
  }
  if (isatty(STDOUT_FILENO) == 0) return true;
  if (const auto link = conference::RoomLink::parse(guests.value().link); link.ok())
    std::cout << "OBS (service WHIP, server): " << link.value().base() << "/whip" << std::endl;
  const auto code = conference::QrCode::of(guests.value().link);
  if (code.ok()) std::cout << code.value().text() << std::flush;
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
  Visits visits(runtime);
  const TimePoint began = MonotonicClock::now();
  auto network = media::StreamNetwork::start(runtime.scheduler(), runtime.qos(), options.linkRate);
  if (!network.ok()) {
    runtime.note(network.error().message);
    return ExitCode::InternalError;
  }
  auto host = open(options, runtime, visits, network.value()->linkTask());
  if (!host.ok()) {
    runtime.note(host.error().message);
    return ExitCode::CannotOpen;
  }
  if (!printLinks(*host.value(), runtime)) return ExitCode::InternalError;
  waitForTheEnd(signals, options.duration);
  auto link = network.value()->link();  // with the flows, which end with the room
  host.value().reset();
  if (!options.report) return ExitCode::Played;
  RunReport report;
  report.display = "none";
  report.room = visits.report();
  report.network.link = std::move(link);
  report.room->name = options.room.name;
  report.room->lasted = MonotonicClock::now() - began;
  const auto printed = runtime.print(std::move(report), options);
  if (printed.ok()) return ExitCode::Played;
  runtime.note(printed.error().message);
  return ExitCode::InternalError;
}

}  // namespace tactus::app
