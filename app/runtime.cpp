// SPDX-License-Identifier: Apache-2.0
#include "app/runtime.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "app/options.h"
#include "core/periodic/task/dispatch_costs.h"
#include "media/stage/realtime_brokers.h"

namespace tactus::app {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kMostEvents = 10'000;  // kept for the report

std::filesystem::path cacheFolder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::filesystem::path(cache) / "tactus";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache" / "tactus";
  return {};
}

/// The cache only saves measuring again: everything works without it, so no failure is
/// reported.
std::string readCache(const std::string& name) {
  std::ifstream in(cacheFolder() / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void writeCache(const std::string& name, const std::string& text) {
  const auto folder = cacheFolder();
  if (folder.empty() || text.empty()) return;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  const auto part = folder / (name + "." + std::to_string(getpid()));
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (out) {
    std::filesystem::rename(part, folder / name, failure);
  }
  if (!out || failure) std::filesystem::remove(part, failure);
}

std::string costsFile(const periodic::KernelClassGate& gate) {
  return "dispatch-costs-" + std::to_string(static_cast<int>(gate.granted()));
}

void useCosts(periodic::Scheduler& scheduler, const periodic::DispatchCosts& costs) {
  periodic::AdmissionPolicy policy = scheduler.policy();
  policy.costs = costs;
  scheduler.setPolicy(std::move(policy));
}

/// What the display server has used and waited for; nothing in a session without one.
std::function<std::optional<media::ServerTimes>()> displayServer() {
  const auto process = media::displayServerProcess();
  return [process] { return process ? media::serverTimesOf(*process) : std::nullopt; };
}

}  // namespace

Runtime::Runtime(periodic::KernelClass strongest, std::string traceFile)
    : m_gate(periodic::KernelClassGate::probe(strongest, strongest == periodic::KernelClass::None
                                                             ? decltype(media::realtimeBrokers()){}
                                                             : media::realtimeBrokers())),
      m_scheduler(std::make_unique<periodic::Scheduler>(m_time, *m_gate, m_trace)),
      m_traceFile(std::move(traceFile)) {
  m_schedulerLog =
      m_scheduler->subscribe([this](const periodic::SchedulerEvent& event) { note(event.sentence); });
  m_governor = std::make_unique<media::LoadGovernor>(
      media::LoadGovernor::Settings{.processors = static_cast<double>(m_scheduler->policy().cpus.size()),
                                    .server = displayServer(),
                                    .scheduler = m_scheduler.get()},
      m_qos);
  m_governor->start();
  m_qosLog = m_qos.watch("log", [this](const periodic::QosEvent& event) {
    {
      const std::lock_guard lock(m_mutex);
      m_qosEvents.push_back(event);
      if (m_qosEvents.size() > kMostEvents) m_qosEvents.erase(m_qosEvents.begin());
    }
    note(event.sentence);
    for (const auto& complaint : m_qos.complaints()) note(complaint);
  });
  m_scheduler->loadLearned(readCache("processing-times"));
  if (const auto costs = periodic::costsFromText(readCache(costsFile(*m_gate)), *m_gate)) {
    useCosts(*m_scheduler, *costs);
  } else {
    m_costs = std::thread([this] { learnCosts(); });
  }
  if (m_traceFile.empty()) return;
  m_trace.start();
  m_collector = std::thread([this] { collectTrace(); });
}

Runtime::~Runtime() {
  m_socket.reset();
  m_governor.reset();
  m_qos.unsubscribe(m_qosLog);
  m_scheduler->unsubscribe(m_schedulerLog);
  m_costsStop.raise();
  if (m_costs.joinable()) m_costs.join();
  writeCache("processing-times", m_scheduler->learned());
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

void Runtime::learnCosts() {
  // Not while the user waits for the first picture.
  if (m_time.sleepUntil(periodic::MonotonicClock::now() + 3s, m_costsStop) == periodic::Wake::Interrupted)
    return;
  useCosts(*m_scheduler, dispatchCosts());
}

periodic::DispatchCosts Runtime::dispatchCosts() {
  if (const auto kept = periodic::costsFromText(readCache(costsFile(*m_gate)), *m_gate)) return *kept;
  const periodic::DispatchCosts costs = periodic::measureDispatchCosts(*m_gate);
  writeCache(costsFile(*m_gate), periodic::toText(costs, *m_gate));
  return costs;
}

void Runtime::collectTrace() {
  while (!m_stop.load(std::memory_order_relaxed)) {
    m_trace.collect();
    std::this_thread::sleep_for(100ms);
  }
}

std::vector<periodic::QosEvent> Runtime::qosEvents() const {
  const std::lock_guard lock(m_mutex);
  return m_qosEvents;
}

Result<void> Runtime::openQosSocket(const std::string& path) {
  auto socket = QosSocket::open(path, m_qos, [this](const std::string& name) {
    std::vector<std::uint64_t> windows;
    for (const auto& window : m_governor->windows())
      if (window.terms.name == name) windows.push_back(window.id);
    return windows;
  });
  if (!socket.ok()) return socket.error();
  m_socket = std::move(socket).value();
  return {};
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

media::PlayerConfig playerConfig(const Options& options) {
  media::PlayerConfig config;
  config.audio = options.audio;
  config.video = options.video;
  config.audioTarget = options.audioTarget;
  config.hardware = options.hardware;
  config.maxDecoderThreads = options.decoderThreads;
  return config;
}

ExitCode Runtime::print(RunReport report, const Options& options, ExitCode outcome) {
  const auto written = write(std::move(report), options);
  if (written.ok()) return outcome;
  note(written.error().message);
  return ExitCode::InternalError;
}

Result<void> Runtime::write(RunReport report, const Options& options) const {
  report.kernelClass = m_gate->granted();
  report.refusals = m_gate->refusals();
  report.events = events();
  report.qos = qosEvents();
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
