// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/load_governor.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <mutex>
#include <utility>

namespace tactus::media {
namespace {

using periodic::inSeconds;
using periodic::TimePoint;

constexpr Duration kLook = std::chrono::milliseconds(2);  // of processor time, a first guess

Duration ownTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return Duration(std::chrono::seconds(time.tv_sec)) + Duration(time.tv_nsec);
}

}  // namespace

LoadGovernor::LoadGovernor(Settings settings, QosEvents& events)
    : m_settings([&] {
        if (!settings.busy)
          settings.busy = [times = std::make_shared<ProcessorTimes>()] { return times->use(); };
        if (!settings.own) settings.own = ownTime;
        if (!settings.server) settings.server = [] { return std::optional<ServerTimes>(); };
        return std::move(settings);
      }()),
      m_events(events),
      m_law(m_settings.constants),
      m_ownTime(m_settings.own()) {}

LoadGovernor::~LoadGovernor() {
  {
    const std::lock_guard lock(m_mutex);
    m_quit = true;
  }
  m_wake.notify_all();
  if (m_thread.joinable()) m_thread.join();
}

void LoadGovernor::start() {
  m_streams.start();
  const std::lock_guard lock(m_mutex);
  if (!m_thread.joinable()) m_thread = std::thread([this] { run(); });
}

void LoadGovernor::run() {
  std::unique_ptr<periodic::Task> task;
  if (m_settings.scheduler != nullptr) {
    periodic::TaskContract contract;
    contract.name = "load governor";
    contract.stage = periodic::Stage::Other;
    if (const auto rate = periodic::Rate::fromPeriod(m_settings.interval); rate.ok())
      contract.lbap.rate = rate.value();
    contract.processing = kLook;
    contract.early = periodic::EarlyPackets::Clocked;
    contract.preferred = true;  // it decides for everybody, and takes next to nothing
    contract.enforces = false;
    contract.supervised = false;  // a look that plans takes ten times as long as most
    if (auto adopted = m_settings.scheduler->adopt(contract, periodic::currentThreadId()); adopted.ok())
      task = std::move(adopted).value();
  }
  for (;;) {
    {
      std::unique_lock lock(m_mutex);
      // With nothing to govern it sleeps for good.
      m_wake.wait(lock, [&] { return m_quit || !m_windows.empty(); });
      if (m_wake.wait_for(lock, m_settings.interval, [&] { return m_quit; })) return;
    }
    if (task) task->pass();
    step(periodic::MonotonicClock::now());
    if (task) task->complete();
  }
}

Result<std::uint64_t> LoadGovernor::add(GovernedStream& stream, WindowTerms terms, Entry entry) {
  if (auto valid = validate(terms); !valid.ok()) return valid.error();
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(m_mutex);
    id = m_next++;
    GovernedWindow& added =
        m_windows.try_emplace(id, entry == Entry::Asks, m_settings.constants).first->second;
    added.state.id = id;
    added.state.terms = std::move(terms);
    if (entry == Entry::Asks) added.state.stage = WindowStage::Asks;
    m_streams.add(id, stream);
    m_streams.post(id, {.service = added.service = serviceLocked(added)});
    serveLocked();  // the first one is no longer alone
  }
  m_streams.deliver();
  m_wake.notify_all();
  return id;
}

Result<void> LoadGovernor::amend(std::uint64_t id, const TermsPatch& patch) {
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_windows.find(id);
    if (found == m_windows.end()) return Error{ErrorCode::NotFound, "The window is closed."};
    GovernedWindow& window = found->second;
    WindowTerms terms = window.state.terms;
    patch.applyTo(terms);
    if (auto valid = validate(terms); !valid.ok()) return valid.error();
    window.state.terms = std::move(terms);
    if (isFallen(window.rung.stage) && !window.state.terms.numbers().mayFall)
      window.rung.stage = WindowStage::Thinned;
    serveLocked();
  }
  m_streams.deliver();
  return {};  // the next look plans anew; what the window takes is known
}

void LoadGovernor::admitAnyway(std::uint64_t id) {
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_windows.find(id);
    if (found == m_windows.end()) return;
    GovernedWindow& window = found->second;
    if (std::exchange(window.state.stage, WindowStage::Whole) == WindowStage::Held)
      m_streams.post(id, {.held = false});
    window.state.refusal.reset();
  }
  m_streams.deliver();
}

void LoadGovernor::remove(std::uint64_t window) {
  {
    const std::lock_guard lock(m_mutex);
    m_windows.erase(window);
    serveLocked();  // one may be alone now
  }
  m_streams.remove(window);
  m_streams.deliver();
}

std::vector<WindowState> LoadGovernor::windows() const {
  const std::lock_guard lock(m_mutex);
  std::vector<WindowState> states;
  for (const auto& [id, window] : m_windows) states.push_back(window.state);
  return states;
}

std::optional<WindowState> LoadGovernor::window(std::uint64_t id) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_windows.find(id);
  if (found == m_windows.end()) return std::nullopt;
  return found->second.state;
}

MachineReading LoadGovernor::readMachine(Duration passed) {
  const double seconds = inSeconds(passed);
  const auto rate = [&](Duration now, Duration before) {
    return seconds > 0 ? inSeconds(std::max(Duration{0}, now - before)) / seconds : 0;
  };
  MachineReading reading;
  reading.processors = m_settings.processors;
  const Duration own = m_settings.own();
  reading.used = rate(own, m_ownTime);
  m_ownTime = own;
  if (const auto server = m_settings.server()) {
    if (m_serverTimes.used > Duration{0} && seconds > 0)
      reading.server = {rate(server->used, m_serverTimes.used), rate(server->waited, m_serverTimes.waited),
                        static_cast<double>(countedSince(server->turns, m_serverTimes.turns)) / seconds};
    m_serverTimes = *server;
  }
  return reading;
}

void LoadGovernor::step(TimePoint now) {
  const Figures figures = m_streams.ask();
  const Duration passed = now - std::exchange(m_lastStep, now);
  MachineReading machine = readMachine(passed);
  const ProcessorUse busy = m_settings.busy();
  const auto wanted = m_events.takeWanted();
  {
    const std::lock_guard lock(m_mutex);
    m_busy = busy;
    measureLocked(figures, passed, now);
    actLocked(wanted);
    if (m_windows.empty()) return;
    machine.idle = (1 - busy.all) * m_settings.processors;
    for (const auto& [id, window] : m_windows) machine.films += window.meter.used() + window.meter.other();
    admitLocked(now);
    const LoadPlan plan = m_law.look(now, passed, machine, readingsLocked());
    m_many = plan.many;
    m_othersFill = plan.othersFill;
    applyLocked(plan, now);
    serveLocked();
    for (auto& [id, window] : m_windows) judgeLocked(window, now);
  }
  m_streams.deliver();
}

/// Of a window that was closed meanwhile nothing is wanted any more.
void LoadGovernor::actLocked(const std::vector<QosEvents::Wanted>& wanted) {
  for (const auto& each : wanted)
    if (const auto found = m_windows.find(each.stream); found != m_windows.end()) found->second.act(each);
}

void LoadGovernor::measureLocked(const Figures& figures, Duration passed, TimePoint now) {
  for (auto& [id, window] : m_windows)
    if (const auto found = figures.find(id); found != figures.end())
      window.measure(found->second, passed, now);
}

/// Of the windows that are not held.
std::vector<WindowReading> LoadGovernor::readingsLocked() const {
  std::vector<WindowReading> readings;
  for (const auto& [id, window] : m_windows) {
    if (window.state.stage == WindowStage::Held) continue;
    readings.push_back({.ladder = window.ladder(),
                        .backlog = window.meter.backlog(),
                        .stock = window.meter.stock(),
                        .waited = window.meter.waited(),
                        .waiting = window.meter.standing(),
                        .tolerated = window.tolerated(),
                        .rate = window.state.nominalRate,
                        .begins = window.meter.begins()});
  }
  return readings;
}

/// Windows that ask are judged in order once their cost is known; refused ones again at each look: a window
/// may have been closed, or terms have changed.
void LoadGovernor::admitLocked(TimePoint now) {
  bool first = true;
  for (auto& [id, window] : m_windows) {
    const bool asks = window.state.stage == WindowStage::Asks;
    if (asks ? first && window.meter.isKnown(now) : window.state.stage == WindowStage::Held)
      judgeAdmissionLocked(window, now);
    first = first && (!asks || !window.meter.figures().playing);
  }
}

void LoadGovernor::judgeAdmissionLocked(GovernedWindow& window, TimePoint now) {
  std::vector<WindowClaim> others;
  for (const auto& [id, each] : m_windows)
    if (&each != &window && isAdmitted(each.state.stage)) others.push_back(each.claim());
  const bool waited = window.state.stage == WindowStage::Held;
  window.state.refusal =
      refuseWindow(others, window.claim(), m_settings.processors * m_settings.constants.promised,
                   numbersOf(Priority::Background).leastFrequency);
  const bool refused = window.state.refusal.has_value();
  window.state.stage = refused ? WindowStage::Held : WindowStage::Whole;
  if (refused != waited)
    m_events.publish(window.event(refused ? QosEvent::Kind::Refused : QosEvent::Kind::Admitted, now));
  if (refused && (!waited || window.meter.figures().playing)) m_streams.post(window.state.id, {.held = true});
  if (!refused && waited) m_streams.post(window.state.id, {.held = false});
}

void LoadGovernor::applyLocked(const LoadPlan& plan, TimePoint now) {
  std::size_t i = 0;
  for (auto& [id, window] : m_windows) {
    if (window.state.stage == WindowStage::Held) continue;
    if (window.stand(plan.rungs[i++], now)) m_streams.post(id, {.thinning = window.state.thinning});
  }
}

/// On the last rung a window holds no reservation: who holds one comes first, whatever the periods. Of
/// several windows those without a reservation run as ordinary programs do: a display server that gets no
/// turn would show nobody's pictures.
StreamService LoadGovernor::serviceLocked(const GovernedWindow& window) const {
  const PriorityNumbers numbers = window.state.terms.numbers();
  StreamService service;
  service.service = isFallen(window.rung.stage) ? periodic::ServiceClass::BestEffort : numbers.service;
  service.cpus = window.state.terms.cpus;
  service.preferred = numbers.preferred;
  service.aboveOrdinary = m_windows.size() == 1 || numbers.aboveOrdinary;
  if (m_windows.size() > 1 && m_many && numbers.smallWhenMany)
    service.quantile = m_settings.constants.quantileOfMany;
  return service;
}

/// Queues orders for the windows whose service is another one now.
void LoadGovernor::serveLocked() {
  for (auto& [id, window] : m_windows) {
    StreamService service = serviceLocked(window);
    if (service == window.service) continue;
    window.service = service;
    m_streams.post(id, {.service = std::move(service)});
  }
}

/// What is late of a stream that can have no stock pays for a plan that has not proved itself yet: it is no
/// violation.
void LoadGovernor::judgeLocked(GovernedWindow& window, TimePoint now) {
  auto& state = window.state;
  const Duration proof = m_settings.constants.capacity.proof;
  if (window.tolerated() > 0 && now - window.stood < proof) window.meter.forgetMisses();
  window.judge(now, m_settings.recovery, m_events.handled(state.id));
  const GovernedWindow* rival = nullptr;
  for (const auto& [id, each] : m_windows)
    if (&each != &window && window.isRival(each, rival)) rival = &each;
  window.explain(now, rival, m_busy.busiest >= m_settings.constants.full, m_othersFill);
  for (const QosEvent::Kind kind : window.tell(now)) m_events.publish(window.event(kind, now));
}

}  // namespace tactus::media
