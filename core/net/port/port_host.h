// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/link/link_task.h"
#include "core/net/port/half_open_connections.h"
#include "core/net/port/port.h"
#include "core/net/stream/stream_address.h"
#include "core/net/stream/stream_contract.h"
#include "core/periodic/qos/qos_events.h"
#include "core/periodic/result.h"
#include "core/periodic/task/scheduler.h"

namespace tactus::net {

struct PortTerms;

/// Makes ports, and lets those of other processes and hosts find them by name (RTSS 3 and A.1, the factory of
/// a node). An ordinary thread of its own speaks with their hosts. Outlives its ports. Thread-safe: yes.
/// Real-time-safe: no.
class PortHost {
 public:
  /// Where other processes of this user, and other hosts, find the ports; neither: ports only ask.
  struct Options {
    std::optional<StreamAddress::Unix> local = {};
    std::optional<StreamAddress::Tcp> network = {};  ///< port 0: any that is free
    LinkTask* link = nullptr;  ///< on which streams leave; it outlives the host. nullptr: none
    /// Where the ports tell that a contract is violated, and whose handlers act instead of the default (RTSS
    /// 4.1, attach_qos_handler; PortQuery::stream): `frequency` is the highest share of the contract's rate,
    /// at a reader, too, whose writer follows; `weight` is that on the writer's link. It outlives the host.
    /// nullptr: nobody is told.
    periodic::QosEvents* qos = nullptr;
  };
  /// Errors: those of listenAt(); System where there can be no thread.
  [[nodiscard]] static Result<std::unique_ptr<PortHost>> start(periodic::Scheduler& scheduler,
                                                               Options options);
  ~PortHost();
  PortHost(const PortHost&) = delete;
  PortHost& operator=(const PortHost&) = delete;

  /// A port under a name that no other port of this host has. `token`: who has it may connect; absent: a
  /// secret of 128 random bits (Port::token()). InvalidArgument: the name, the token or the contract is out
  /// of range, or the name is taken. Refused: processor or memory; the sentence has the offers.
  [[nodiscard]] Result<std::unique_ptr<Port>> create(const std::string& name, PortType type,
                                                     const StreamContract& contract,
                                                     std::optional<std::string> token = {});
  /// A read port that takes over the contract of the writer that asks, if it keeps within `most`
  /// (excessOf()), with the processing time of `most`: for what is not known before, as a film's rate. It
  /// never asks itself. Processor and memory are held from connection to connection. Errors as of create().
  [[nodiscard]] Result<std::unique_ptr<Port>> createReader(const std::string& name,
                                                           const StreamContract& most,
                                                           std::optional<std::string> token = {});
  /// By which another process finds a port of this name; absent: this host does not listen.
  [[nodiscard]] std::optional<StreamAddress> localAddress(const std::string& name) const;
  /// By which another host does, with the port that was given; its host part is as in the options.
  [[nodiscard]] std::optional<StreamAddress> networkAddress(const std::string& name) const;

 private:
  friend class Port;
  using Ports = std::map<std::string, std::shared_ptr<Port::Implementation>, std::less<>>;

  PortHost(periodic::Scheduler& scheduler, Options options, Descriptor wake);
  [[nodiscard]] Result<std::unique_ptr<Port>> make(PortTerms terms, std::optional<std::string> token);
  void forget(const std::string& name);
  void wake() noexcept;
  void run();
  void wait(periodic::TimePoint until, const std::vector<std::shared_ptr<Port::Implementation>>& ports);
  [[nodiscard]] std::vector<std::shared_ptr<Port::Implementation>> ports() const;
  [[nodiscard]] bool answerAll();
  [[nodiscard]] bool answer(HalfOpenConnection& asking);

  periodic::Scheduler& m_scheduler;
  Options m_options;
  const Descriptor m_wake;  // an eventfd
  std::vector<Descriptor> m_listeners;
  std::optional<std::uint16_t> m_tcpPort;
  HalfOpenConnections m_halfOpen;  // the thread's

  mutable std::mutex m_mutex;  // guards the table, for moments
  Ports m_ports;
  std::atomic<bool> m_quit{false};
  std::thread m_thread;
};

}  // namespace tactus::net
