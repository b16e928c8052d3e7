// SPDX-License-Identifier: Apache-2.0
#include "app/own_room.h"

#include <unistd.h>

#include <QDir>
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "conference/door/own_addresses.h"

namespace tactus::app {

using conference::Certificate;
using conference::RoomHost;
using periodic::MonotonicClock;

namespace {

/// $XDG_DATA_HOME/tactus
std::filesystem::path dataFolder() {
  const QString home = qEnvironmentVariable("XDG_DATA_HOME");
  const QString folder = home.isEmpty() ? QDir::homePath() + "/.local/share" : home;
  return std::filesystem::path(folder.toStdString()) / "tactus";
}

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

}  // namespace

/// Whoever comes and goes, in sentences and in numbers.
class OwnRoom::Visits {
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

OwnRoom::OwnRoom(std::string name, Runtime& runtime)
    : m_name(std::move(name)), m_visits(std::make_unique<Visits>(runtime)) {}
OwnRoom::~OwnRoom() = default;

Result<std::unique_ptr<OwnRoom>> OwnRoom::open(const Options& options, Runtime& runtime) {
  std::unique_ptr<OwnRoom> self(new OwnRoom(options.room.name, runtime));
  auto network = media::StreamNetwork::start(runtime.scheduler(), runtime.qos(), options.linkRate);
  if (!network.ok()) return network.error();
  self->m_network = std::move(network).value();
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
  carried.link = self->m_network->linkTask();
  if (names.link == kThisMachineAlone) carried.addresses = {kThisMachineAlone};
  auto media = conference::RoomMedia::start(carried);
  if (!media.ok()) return media.error();
  auto host = RoomHost::start(
      std::move(room), certificate.value(), {},
      [visits = self->m_visits.get()](const conference::RoomNews& news) { visits->hear(news); },
      std::move(media).value());
  if (!host.ok()) return host.error();
  self->m_host = std::move(host).value();
  return self;
}

Result<std::string> OwnRoom::link(conference::Role role) {
  auto invitation = m_host->invite(role);
  if (!invitation.ok()) return invitation.error();
  return std::move(invitation).value().link;
}

RoomReport OwnRoom::report() const {
  RoomReport report = m_visits->report();
  report.name = m_name;
  report.lasted = MonotonicClock::now() - m_began;
  return report;
}

}  // namespace tactus::app
