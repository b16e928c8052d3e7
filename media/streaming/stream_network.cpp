// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/stream_network.h"

#include <utility>
#include <variant>

namespace tactus::media {

using net::LinkTask;
using net::PortHost;
using net::StreamAddress;

Result<std::unique_ptr<StreamNetwork>> StreamNetwork::start(periodic::Scheduler& scheduler,
                                                            periodic::QosEvents& events,
                                                            std::optional<net::BitRate> rate) {
  std::unique_ptr<LinkTask> link;
  if (rate) {
    auto started = LinkTask::start(scheduler, {.name = "link", .rate = *rate});
    if (!started.ok()) return started.error();
    link = std::move(started).value();
  }
  return std::unique_ptr<StreamNetwork>(new StreamNetwork(scheduler, events, std::move(link)));
}

Result<PortHost*> StreamNetwork::asking() {
  return host({}, {});
}

Result<PortHost*> StreamNetwork::listeningAt(const StreamAddress& place) {
  PortHost::Options options;
  std::string key;
  if (const auto* local = std::get_if<StreamAddress::Unix>(&place.at)) {
    options.local = *local;
    key = local->path;
  } else {
    options.network = std::get<StreamAddress::Tcp>(place.at);
    key = options.network->host + ":" + std::to_string(options.network->port);
  }
  return host(key, std::move(options));
}

Result<PortHost*> StreamNetwork::host(const std::string& key, PortHost::Options options) {
  const std::lock_guard lock(m_mutex);
  if (const auto found = m_hosts.find(key); found != m_hosts.end()) return found->second.get();
  options.link = m_link.get();
  options.qos = &m_events;
  auto started = PortHost::start(m_scheduler, std::move(options));
  if (!started.ok()) return started.error();
  return m_hosts.emplace(key, std::move(started).value()).first->second.get();
}

std::optional<NetworkLoad::LinkLoad> StreamNetwork::link() const {
  if (!m_link) return std::nullopt;
  return NetworkLoad::LinkLoad{m_link->rate(), m_link->share()->standing().held, m_link->rows()};
}

}  // namespace tactus::media
