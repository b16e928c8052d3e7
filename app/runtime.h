// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/options.h"
#include "app/report.h"
#include "core/periodic/scheduler.h"

namespace tactus::app {

/// The composition root's lasting parts: clocks, kernel class, trace, scheduler and what they had to say.
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
  /// Sentences so far. Thread-safe: yes.
  [[nodiscard]] std::vector<std::string> events() const;
  /// Adds a sentence and prints it on stderr. Thread-safe: yes. Real-time-safe: no.
  void note(const std::string& sentence);

  /// Prints the report as the options say; an error names the file that could not be written.
  [[nodiscard]] Result<void> print(RunReport report, const Options& options) const;

 private:
  void collectTrace();

  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate;
  periodic::TraceLog m_trace;
  mutable std::mutex m_mutex;  // guards m_events; never taken by a real-time thread
  std::vector<std::string> m_events;
  std::unique_ptr<periodic::Scheduler> m_scheduler;
  std::string m_traceFile;
  std::atomic<bool> m_stop{false};
  std::thread m_collector;
};

}  // namespace tactus::app
