// SPDX-License-Identifier: Apache-2.0
#include "app/runtime.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

#include "app/options.h"
#include "core/media/realtime_brokers.h"

namespace tactus::app {

using namespace std::chrono_literals;

Runtime::Runtime(periodic::KernelClass strongest, std::string traceFile)
    : m_gate(periodic::KernelClassGate::probe(strongest, strongest == periodic::KernelClass::None
                                                             ? decltype(media::realtimeBrokers()){}
                                                             : media::realtimeBrokers())),
      m_scheduler(std::make_unique<periodic::Scheduler>(m_time, *m_gate, m_trace)),
      m_traceFile(std::move(traceFile)) {
  m_scheduler->setEventHandler([this](const periodic::SchedulerEvent& event) { note(event.sentence); });
  if (m_traceFile.empty()) return;
  m_trace.start();
  m_collector = std::thread([this] { collectTrace(); });
}

Runtime::~Runtime() {
  m_scheduler->setEventHandler({});
  m_scheduler.reset();
  if (!m_collector.joinable()) return;
  m_stop.store(true, std::memory_order_relaxed);
  m_collector.join();
  m_trace.collect();
  std::ofstream out(m_traceFile);
  m_trace.writeJson(out);
  out.flush();
  if (!out) {
    std::fprintf(stderr, "tactus: The trace could not be written to %s: %s.\n", m_traceFile.c_str(),
                 std::strerror(errno));
  }
}

void Runtime::collectTrace() {
  while (!m_stop.load(std::memory_order_relaxed)) {
    m_trace.collect();
    std::this_thread::sleep_for(100ms);
  }
}

std::vector<std::string> Runtime::events() const {
  const std::lock_guard lock(m_mutex);
  return m_events;
}

void Runtime::note(const std::string& sentence) {
  {
    const std::lock_guard lock(m_mutex);
    m_events.push_back(sentence);
  }
  std::fprintf(stderr, "tactus: %s\n", sentence.c_str());
}

Result<void> Runtime::print(RunReport report, const Options& options) const {
  report.kernelClass = m_gate->granted();
  report.refusals = m_gate->refusals();
  report.events = events();
  const std::string text = options.reportFormat == ReportFormat::Json ? toJson(report) : toText(report);
  if (options.reportFile.empty()) {
    std::cout << text << std::flush;
    if (!std::cout) return Error{ErrorCode::System, "The report could not be written to standard output."};
    return {};
  }
  std::ofstream out(options.reportFile);
  out << text << std::flush;
  if (out) return {};
  return Error{ErrorCode::System, "The report could not be written to " + options.reportFile + ": " +
                                      std::strerror(errno) + "."};
}

}  // namespace tactus::app
