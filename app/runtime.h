// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/qos_socket.h"
#include "app/report.h"
#include "core/periodic/qos/qos_events.h"
#include "core/periodic/task/scheduler.h"
#include "media/playback/player.h"
#include "media/sharing/load_governor.h"
#include "media/streaming/network_load.h"

namespace tactus::app {

/// The options of the command line that a player takes.
[[nodiscard]] media::PlayerConfig playerConfig(const Options& options);

/// The parts that last for the whole run: clocks, kernel class, trace, scheduler, governor, and their
/// sentences.
class Runtime {
 public:
  /// Probes the kernel class (up to 2 s if a broker stalls) and starts the watchdog; records a trace if
  /// `traceFile` is not empty. Real-time-safe: no.
  Runtime(periodic::KernelClass strongest, std::string traceFile);
  /// Writes the trace.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] periodic::Scheduler& scheduler() noexcept { return *m_scheduler; }
  [[nodiscard]] periodic::KernelClassGate& gate() noexcept { return *m_gate; }
  /// Decides which film gives way, and tells it to qos().
  [[nodiscard]] media::LoadGovernor& governor() noexcept { return *m_governor; }
  [[nodiscard]] periodic::QosEvents& qos() noexcept { return m_qos; }
  /// Events so far. Thread-safe: yes.
  [[nodiscard]] std::vector<periodic::QosEvent> qosEvents() const;
  /// Every program that connects to this Unix socket gets all events; an error says why it cannot be opened.
  [[nodiscard]] Result<void> openQosSocket(const std::string& path);
  /// The costs of dispatching: from the cache, else measured (0.1 s). Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] periodic::DispatchCosts dispatchCosts();
  /// Sentences so far. Thread-safe: yes.
  [[nodiscard]] std::vector<std::string> events() const;
  /// Adds a sentence and prints it on stderr. Thread-safe: yes. Real-time-safe: no.
  void note(const std::string& sentence);

  /// What streams and the link do now, for the report and the load window; absent: there are none. It
  /// outlives the windows. Main thread.
  using Network = std::function<media::NetworkLoad()>;
  void setNetwork(Network network) { m_network = std::move(network); }
  [[nodiscard]] const Network& network() const noexcept { return m_network; }

  /// Prints the report of a run that ends with `outcome`, as the options say. Where it cannot be written,
  /// that is said, and the run ends with InternalError.
  [[nodiscard]] ExitCode print(RunReport report, const Options& options, ExitCode outcome);

 private:
  [[nodiscard]] Result<void> write(RunReport report, const Options& options) const;
  void collectTrace();
  void learnCosts();

  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate;
  periodic::TraceLog m_trace;
  mutable std::mutex m_mutex;  // guards m_events; never taken by a real-time thread
  std::vector<std::string> m_events;
  std::unique_ptr<periodic::Scheduler> m_scheduler;
  periodic::QosEvents m_qos;
  std::vector<periodic::QosEvent> m_qosEvents;  // guarded by m_mutex
  std::unique_ptr<media::LoadGovernor> m_governor;
  std::unique_ptr<QosSocket> m_socket;
  std::uint64_t m_qosLog = 0, m_schedulerLog = 0;
  Network m_network;
  std::string m_traceFile;
  std::atomic<bool> m_stop{false};
  std::thread m_collector;
  periodic::Interrupt m_costsStop;
  std::thread m_costs;
};

}  // namespace tactus::app
