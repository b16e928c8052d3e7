// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/net/link/bit_rate.h"
#include "core/net/link/link_task.h"
#include "core/net/port/port_host.h"
#include "core/net/stream/stream_address.h"
#include "core/periodic/qos/qos_events.h"
#include "core/periodic/result.h"
#include "core/periodic/task/scheduler.h"
#include "media/streaming/network_load.h"

namespace tactus::media {

/// The link of this program, and the hosts of its ports: one that only asks, and one for each place at which
/// streams are waited for. Outlives the ports. Thread-safe: yes. Real-time-safe: no.
class StreamNetwork {
 public:
  /// `rate` of the link on which streams leave; absent: there is none, and nothing is held against it.
  /// `events` are told of violations. Errors: those of LinkTask::start(). `scheduler` and `events` outlive
  /// the network.
  [[nodiscard]] static Result<std::unique_ptr<StreamNetwork>> start(periodic::Scheduler& scheduler,
                                                                    periodic::QosEvents& events,
                                                                    std::optional<net::BitRate> rate);
  StreamNetwork(const StreamNetwork&) = delete;
  StreamNetwork& operator=(const StreamNetwork&) = delete;

  /// For ports that ask. Errors: those of PortHost::start().
  [[nodiscard]] Result<net::PortHost*> asking();
  /// For ports that wait at this place, whatever their names. As asking().
  [[nodiscard]] Result<net::PortHost*> listeningAt(const net::StreamAddress& place);
  [[nodiscard]] std::optional<NetworkLoad::LinkLoad> link() const;
  /// For what else leaves on the link; nullptr: there is none. Thread-safe: yes.
  [[nodiscard]] net::LinkTask* linkTask() const noexcept { return m_link.get(); }

 private:
  StreamNetwork(periodic::Scheduler& scheduler, periodic::QosEvents& events,
                std::unique_ptr<net::LinkTask> link)
      : m_scheduler(scheduler), m_events(events), m_link(std::move(link)) {}
  [[nodiscard]] Result<net::PortHost*> host(const std::string& key, net::PortHost::Options options);

  periodic::Scheduler& m_scheduler;
  periodic::QosEvents& m_events;
  const std::unique_ptr<net::LinkTask> m_link;
  std::mutex m_mutex;                                             // guards what follows
  std::map<std::string, std::unique_ptr<net::PortHost>> m_hosts;  // by place; "": asks
};

}  // namespace tactus::media
