// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/options.h"
#include "app/report.h"
#include "app/runtime.h"
#include "conference/room_host.h"
#include "media/streaming/stream_network.h"

namespace tactus::app {

/// A room of this process, with its door, its media and the link by which they leave: open until it is
/// destroyed. Who comes and goes is told by sentences of the run. Thread-safe: yes, but for the destructor.
class OwnRoom {
 public:
  /// As the options of the room say. The error is a sentence. `runtime` outlives it. Blocking, for a moment.
  [[nodiscard]] static Result<std::unique_ptr<OwnRoom>> open(const Options& options, Runtime& runtime);
  /// Tells everybody that the room ends.
  ~OwnRoom();
  OwnRoom(const OwnRoom&) = delete;
  OwnRoom& operator=(const OwnRoom&) = delete;

  /// A new one, for people of this role.
  [[nodiscard]] Result<std::string> link(conference::Role role);
  [[nodiscard]] RoomReport report() const;
  /// What the link carries now.
  [[nodiscard]] std::optional<media::NetworkLoad::LinkLoad> load() const { return m_network->link(); }

 private:
  class Visits;
  OwnRoom(std::string name, Runtime& runtime);

  const std::string m_name;
  const periodic::TimePoint m_began = periodic::MonotonicClock::now();
  const std::unique_ptr<Visits> m_visits;
  std::unique_ptr<media::StreamNetwork> m_network;
  std::unique_ptr<conference::RoomHost> m_host;
};

}  // namespace tactus::app
