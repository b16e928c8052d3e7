// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/load_governor.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "media/sharing/qos_sentence.h"

namespace tactus::media {
namespace {

using periodic::inSeconds;
using periodic::TimePoint;

/// Weight of a new look against those before.
constexpr double kLearn = 0.3;
/// f goes down by what is needed and is kept in these steps: nobody sees less, and each change is an
/// admission.
constexpr double kStep = 1.0 / 64;
constexpr Duration kLook = std::chrono::milliseconds(2);  // of processor time, a first guess
/// A plan that differs by less, and only because measured loads waver, changes nothing.
constexpr double kWavers = 4.5 * kStep;
constexpr double kSlack = 1.01;  // of the room may be planned for
/// One event a second and window says enough, and of small changes one in five.
constexpr Duration kQuiet = std::chrono::seconds(1);
constexpr Duration kLongQuiet = std::chrono::seconds(5);
constexpr double kTold = 0.1;
constexpr Duration kStretch = std::chrono::milliseconds(10);
/// What the load is judged by: not more misses than that in so long are bad luck.
constexpr Duration kLately = std::chrono::seconds(1);
constexpr std::uint64_t kBadLuck = 2;
/// While a film begins, opening it is what takes the processors: that says nothing of the room there will be.
constexpr Duration kBegins = std::chrono::milliseconds(1500);
/// Part of the processors that the windows may fill: the display server and the desktop need theirs, and at
/// once. So little or so much, by whether the display takes High's pictures in time: one in two hundred or so
/// is lost before it is left more.
constexpr double kLeastUsable = 0.8, kMostUsable = 0.92;
constexpr double kLeaveMore = 0.02, kTakeMore = 0.0005;  // at each look
/// Of several windows' packets, one or the other is always below its worst: reserved by a high quantile, few
/// would fit.
constexpr double kQuantileOfMany = 0.75;
constexpr double kLooseBelow = 0.55, kTightAbove = 0.65;  // of the processors are planned for
constexpr double kMostBeside = 0.2;                       // of the processors
/// After so long a film is admitted or not, by what its pictures cost; or without.
constexpr Duration kTimeToTell = std::chrono::milliseconds(1600);
constexpr Duration kTimeWithoutPictures = std::chrono::seconds(3);
/// Of what is used, our part, below which others fill the machine; and above which no longer.
constexpr double kLeastOfOurs = 0.45, kMostOfOurs = 0.55;
/// The machine counts as full, and our windows as the ones that fill it, from here on.
constexpr double kFull = 0.85;

}  // namespace

LoadGovernor::LoadGovernor(Settings settings, QosEvents& events)
    : m_settings([&] {
        if (!settings.busy)
          settings.busy = [times = std::make_shared<ProcessorTimes>()] { return times->use(); };
        if (!settings.own) {
          settings.own = [] {
            timespec time{};
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
            return Duration(std::chrono::seconds(time.tv_sec)) + Duration(time.tv_nsec);
          };
        }
        return std::move(settings);
      }()),
      m_events(events),
      m_controller({.processors = usable()}),
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
    Window window{};
    window.stream = &stream;
    window.state.id = id;
    window.entry = entry;
    window.state.asks = entry == Entry::Asks;
    window.state.terms = std::move(terms);
    auto& added = m_windows.emplace(id, std::move(window)).first->second;
    m_windows.size() == 2 ? serveAllLocked() : serveLocked(added);
  }
  m_wake.notify_all();
  return id;
}

Result<void> LoadGovernor::setTerms(std::uint64_t id, WindowTerms terms) {
  if (auto valid = validate(terms); !valid.ok()) return valid.error();
  const std::lock_guard lock(m_mutex);
  const auto found = m_windows.find(id);
  if (found == m_windows.end()) return Error{ErrorCode::NotFound, "The window is closed."};
  auto& window = found->second;
  const bool other = terms.serves() != window.state.terms.serves() || terms.cpus != window.state.terms.cpus;
  const bool leaves = window.yields && terms.priority == Priority::High;
  const bool raised = (terms.priority == Priority::High) != (window.state.terms.priority == Priority::High);
  window.state.terms = std::move(terms);
  window.yields = window.yields && !leaves;
  if (other || leaves || raised) serveLocked(window);
  // The next look re-plans; what it needs is known already.
  return {};
}

void LoadGovernor::admitAnyway(std::uint64_t id) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_windows.find(id);
  if (found == m_windows.end()) return;
  auto& window = found->second;
  window.state.asks = false;
  if (!std::exchange(window.state.refusal, std::nullopt)) return;
  window.stream->setHeld(false);
}

void LoadGovernor::remove(std::uint64_t window) {
  const std::lock_guard lock(m_mutex);
  m_windows.erase(window);
  if (m_windows.size() == 1) serveAllLocked();
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

void LoadGovernor::measureLocked(Window& window, TimePoint now) {
  const LoadFigures figures = window.stream->load();
  auto& state = window.state;
  if (figures.film != window.meter.figures().film) {
    state.asks = window.entry == Entry::Asks;
    state.refusal.reset();
  }
  const bool waits = state.asks || state.refusal;
  window.meter.look(figures, {now, now - m_lastStep, state.thinning, waits, state.terms.window});
  state.nominalRate = figures.nominalRate;
  state.shownRate = window.meter.shownRate();
  state.load = window.meter.load();
}

/// The window that fares worst speaks for all: among twelve that fare well, one that stutters would not show.
periodic::LoadController::Observation LoadGovernor::observationLocked() const {
  periodic::LoadController::Observation worst;
  periodic::LoadController::Observation all;
  for (const auto& [id, window] : m_windows) {
    const auto lately = window.meter.within(kLately, m_lastStep);
    const std::uint64_t shown = lately.shown;
    const std::uint64_t misses = lately.misses;
    all.packets += shown;
    all.misses += misses;
    const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
      return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(1, whole));
    };
    // Of many, one or the other is always out of luck; one at High is not to be.
    const std::uint64_t luck =
        window.state.terms.priority == Priority::High ? kBadLuck : kBadLuck + m_windows.size() / 4;
    if (misses > luck && ratio(misses, shown) > ratio(worst.misses, worst.packets)) {
      worst.packets = shown;
      worst.misses = misses;
    }
  }
  if (all.misses <= kBadLuck) all.misses = 0;
  // Where every processor has time to spare, less work for them changes nothing.
  if (anyBeginsLocked() || m_busy.busiest < kFull) all.misses = worst.misses = 0;
  auto& chosen = worst.misses > 0 ? worst : all;
  chosen.used = m_used;
  chosen.idle = m_idle;
  for (const auto& [id, window] : m_windows)
    if (!window.keyframesOnly() && !window.state.refusal)
      chosen.stored = std::min(chosen.stored, window.meter.stored());
  return chosen;
}

double LoadGovernor::usable() const noexcept {
  return std::max(0.1, m_usable * m_settings.processors);
}

bool LoadGovernor::anyBeginsLocked() const {
  return std::any_of(m_windows.begin(), m_windows.end(), [&](const auto& each) {
    const auto& meter = each.second.meter;
    return meter.figures().playing && meter.played(m_lastStep) < kBegins;
  });
}

/// A display server that gets its turn too late loses pictures that were in time.
void LoadGovernor::leaveRoomLocked() {
  if (anyBeginsLocked()) return;
  const bool lost = std::any_of(m_windows.begin(), m_windows.end(), [&](const auto& each) {
    const auto& [terms, meter] = std::tie(each.second.state.terms, each.second.meter);
    return terms.priority == Priority::High && meter.within(Duration{1}, m_lastStep).untaken > 0;
  });
  const bool full = m_busy.busiest >= kFull;
  m_usable = std::clamp(m_usable + (lost && full ? -kLeaveMore : kTakeMore), kLeastUsable, kMostUsable);
  m_controller.setProcessors(usable());
}

void LoadGovernor::step(TimePoint now) {
  const std::lock_guard lock(m_mutex);
  for (auto& [id, window] : m_windows) measureLocked(window, now);
  const Duration ownTime = m_settings.own();
  if (now > m_lastStep) m_own = inSeconds(ownTime - m_ownTime) / inSeconds(now - m_lastStep);
  m_ownTime = ownTime;
  m_lastStep = now;
  m_busy = m_settings.busy();
  if (m_windows.empty()) return;
  double films = 0;
  for (const auto& [id, window] : m_windows) films += window.meter.used() + window.meter.other();
  m_beside += (std::clamp(m_own - films, 0.0, kMostBeside * m_settings.processors) - m_beside) * kLearn;
  m_used += (films + m_beside - m_used) * kLearn;
  // That there is less is known sooner than that there is more.
  const double idle = (1 - m_busy.all) * m_settings.processors;
  m_idle += (idle - m_idle) * (idle < m_idle ? 2 * kLearn : kLearn);
  // Within these bounds the reason that was told stays: else it would be another one each moment.
  const double share = m_used / std::max(0.1, m_settings.processors - m_idle);
  m_othersFillIt = share < (m_othersFillIt ? kMostOfOurs : kLeastOfOurs);
  admitLocked(now);

  std::vector<periodic::ElasticOperation> operations;
  double fixed = m_beside;  // what is never thinned out
  double planned = 0;
  for (const auto& [id, window] : m_windows) {
    if (window.state.refusal) {
      operations.push_back({id, 0, 1, 1});
      continue;
    }
    if (window.keyframesOnly()) {
      operations.push_back({id, 0, 1, 1});
      fixed += window.meter.other() + window.meter.used();
      continue;
    }
    const double elastic = window.meter.elastic();
    operations.push_back({id, elastic, window.state.terms.least(), window.state.terms.weighs()});
    fixed += window.meter.other() + window.meter.load() - elastic;
    planned += elastic * window.state.thinning.frequency;
  }
  operations.push_back({0, fixed, 1, 1});
  leaveRoomLocked();
  auto observed = observationLocked();
  observed.planned = planned + fixed;
  reserveLocked(observed.planned);
  const bool missing = observed.misses > 0;
  const auto plan = m_controller.observe(now, operations, observed);
  bool atFloor = true;
  std::size_t i = 0;
  for (const auto& [id, window] : m_windows) {
    const double f = plan.elastic.frequency[i++];
    atFloor = atFloor &&
              (window.state.refusal || window.keyframesOnly() || f <= window.state.terms.least() + kStep);
  }
  chooseLastStageLocked(atFloor, missing, now);
  i = 0;
  for (auto& [id, window] : m_windows) {
    double f = std::min(plan.elastic.frequency[i++], window.stretched);
    f = std::clamp(std::ceil(f / kStep) * kStep, 0.0, 1.0);
    const double present = window.state.thinning.frequency;
    // Measured loads waver: what they alone would move a little stays where it is, if it fits.
    const bool keeps = f > present || observed.planned <= kSlack * plan.room;
    if (f < 1 && f > window.state.terms.least() + kStep && keeps && std::abs(f - present) < kWavers)
      f = present;
    const Thinning next{f, window.keyframesOnly()};
    if (next != window.state.thinning) {
      window.state.thinning = next;
      window.stream->setThinning(next);
      window.meter.forgetMisses();  // what was missed under the plan before says nothing of this one
    }
  }
  for (auto& [id, window] : m_windows) judgeLocked(window, now);
}

WindowClaim LoadGovernor::claimLocked(const Window& window) const {
  WindowClaim claim;
  claim.id = window.state.id;
  claim.name = window.state.terms.name;
  const auto& meter = window.meter;
  claim.fixed = meter.other() + meter.load() - meter.elastic();
  claim.elastic = meter.elastic();
  claim.display = std::min(meter.elastic(), meter.display());
  claim.least = window.state.terms.least();
  claim.weight = window.state.terms.weighs();
  return claim;
}

/// Whoever asks is judged as soon as it is known what it takes, and whoever waits again at each look: a
/// window may have been closed, or terms have changed.
void LoadGovernor::admitLocked(TimePoint now) {
  const double background = WindowTerms{.priority = Priority::Background}.least();
  for (auto& [id, window] : m_windows) {
    if (!window.state.asks && !window.state.refusal) continue;
    // In the order they came in: what one before takes has to be known.
    const bool first = std::none_of(m_windows.begin(), m_windows.find(id), [](const auto& each) {
      return each.second.state.asks && each.second.meter.figures().playing;
    });
    // Sound alone has no pictures to tell by.
    const bool told =
        window.state.refusal ||
        window.meter.played(now) >= (window.meter.isCostKnown() ? kTimeToTell : kTimeWithoutPictures);
    if (!first || !told) continue;
    std::vector<WindowClaim> others;
    for (const auto& [other, each] : m_windows) {
      if (other != id && !each.state.refusal && !each.state.asks) others.push_back(claimLocked(each));
    }
    auto refusal =
        refuseWindow(others, claimLocked(window), m_settings.processors * m_settings.promised, background);
    window.state.asks = false;
    const bool waited = window.state.refusal.has_value();
    window.state.refusal = std::move(refusal);
    if (window.state.refusal) {
      if (!waited) tellLocked(window, QosEvent::Kind::Refused, now);
      if (!waited || window.meter.figures().playing) window.stream->setHeld(true);
    } else if (waited) {
      window.stream->setHeld(false);
      tellLocked(window, QosEvent::Kind::Admitted, now);
    }
  }
}

double LoadGovernor::Window::promised() const noexcept {
  return meter.other() + meter.load() - meter.elastic() * (1 - state.terms.least());
}

/// What the windows that are known take at their f_min, on average: so much one that begins is taken for.
double LoadGovernor::usualFloorLocked() const {
  double sum = 0;
  int count = 0;
  for (const auto& [id, window] : m_windows) {
    if (!window.meter.isWarm() || window.state.refusal) continue;
    sum += window.promised();
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

void LoadGovernor::chooseLastStageLocked(bool atFloor, bool missing, TimePoint now) {
  const double usual = usualFloorLocked();
  std::vector<LastStageWindow> windows;
  for (const auto& [id, window] : m_windows) {
    const bool waits = window.state.refusal.has_value();
    const double promised = waits ? 0 : window.meter.begins() ? usual : window.promised();
    const double keyframes = window.meter.used() + window.meter.other();
    windows.push_back({.id = id,
                       .weight = window.state.terms.weighs(),
                       .mayYield = window.state.terms.priority != Priority::High && !waits,
                       .yields = window.yields,
                       .floor = !waits && window.keyframesOnly() ? keyframes : promised,
                       .promised = promised});
  }
  const auto changed = m_lastStage.decide(now, windows,
                                          {.beside = m_beside,
                                           .room = std::min(usable(), m_used + m_idle),
                                           .idle = m_idle,
                                           .processors = m_settings.processors,
                                           .full = m_busy.busiest >= kFull,
                                           .atFloor = atFloor,
                                           .missing = missing});
  for (const std::uint64_t id : changed) {
    Window& window = m_windows.at(id);
    window.yields = !window.yields;
    serveLocked(window);
  }
}

/// In the last stage a window has no reservation either: who has one comes first, whatever the periods. And
/// among several, who has none runs as ordinary programs do: a display server that gets no turn would show
/// nobody's pictures.
void LoadGovernor::serveLocked(Window& window) const {
  const auto& terms = window.state.terms;
  StreamService service;
  service.service = window.yields ? periodic::ServiceClass::BestEffort : terms.serves();
  service.cpus = terms.cpus;
  service.preferred = terms.priority == Priority::High;
  service.aboveOrdinary = m_windows.size() == 1 || service.preferred;
  if (!service.aboveOrdinary && m_tight) service.quantile = kQuantileOfMany;
  window.stream->setService(std::move(service));
}

/// Where all could hold their reservations by a high quantile, they do: what exceeds it waits for every
/// ordinary program.
void LoadGovernor::reserveLocked(double planned) {
  const double share = planned / std::max(0.1, m_settings.processors);
  const bool tight = share > (m_tight ? kLooseBelow : kTightAbove);
  if (std::exchange(m_tight, tight) != tight) serveAllLocked();
}

void LoadGovernor::serveAllLocked() {
  for (auto& [id, window] : m_windows) serveLocked(window);
}

void LoadGovernor::judgeLocked(Window& window, TimePoint now) {
  auto& state = window.state;
  const bool wasViolating = state.violating;
  const std::uint64_t misses = window.meter.within(state.terms.window, now).misses;
  if (misses > state.terms.tolerated) state.violating = true;
  if (state.violating && now - window.meter.lastMiss() >= m_settings.recovery) state.violating = false;
  explainLocked(window);
  if (state.violating && !wasViolating) {
    tellLocked(window, QosEvent::Kind::Violation, now);
    if (!m_events.handled() && state.cause == QosCause::Display && state.nominalRate > 0) {
      const double period = 1 / (state.nominalRate * window.stretched);
      window.stretched =
          std::max(state.terms.least(), window.stretched * period / (period + inSeconds(kStretch)));
    }
  }
  if (!state.violating && wasViolating) {
    window.stretched = 1;
    tellLocked(window, QosEvent::Kind::Recovered, now);
  }
  const Duration quiet = now - window.lastTold;
  if (quiet < kQuiet) return;
  const double f = state.thinning.keyframesOnly ? 0 : state.thinning.frequency;
  const double change = quiet < kLongQuiet ? kTold : 2 * kStep;
  if (std::abs(f - window.told) < change && (f < 1) == (window.told < 1)) return;
  const bool whole = f >= 1;
  window.told = f;
  window.lastTold = now;
  tellLocked(window,
             state.thinning.keyframesOnly ? QosEvent::Kind::KeyframesOnly
             : whole                      ? QosEvent::Kind::Whole
                                          : QosEvent::Kind::Thinned,
             now);
}

/// Cause and sentence of a window that shows less than it could, or misses.
void LoadGovernor::explainLocked(Window& window) const {
  auto& state = window.state;
  const bool thinned = state.thinning.frequency < 1 || state.thinning.keyframesOnly;
  if (!thinned && !state.violating) {
    state.cause = QosCause::None;
    state.sentence.clear();
    return;
  }
  const Window* rival = nullptr;  // of those that keep more, the one that takes most
  for (const auto& [id, each] : m_windows) {
    if (&each == &window) continue;
    const bool weighs = each.state.terms.weighs() >= state.terms.weighs();
    if (weighs && (rival == nullptr || std::pair(each.state.terms.weighs(), each.meter.used()) >
                                           std::pair(rival->state.terms.weighs(), rival->meter.used())))
      rival = &each;
  }
  const auto lately = window.meter.within(state.terms.window, m_lastStep);
  WindowFare fare;
  fare.name = state.terms.name;
  fare.thinning = state.thinning;
  fare.nominalRate = state.nominalRate;
  fare.waitsForSource = window.meter.figures().buffering;
  fare.displayIsLate = 2 * lately.untaken > lately.misses;
  fare.stretched = window.stretched < 1;
  fare.machineIsFull = m_busy.busiest >= kFull;
  fare.othersFillIt = m_othersFillIt;
  std::optional<WindowRival> other;
  if (rival != nullptr) other = {rival->state.terms.name, rival->state.terms.priority};
  auto [cause, sentence] = explain(fare, other);
  state.cause = cause;
  state.sentence = std::move(sentence);
}

void LoadGovernor::tellLocked(Window& window, QosEvent::Kind kind, TimePoint now) {
  const auto& state = window.state;
  QosEvent event;
  event.kind = kind;
  event.window = state.id;
  event.name = state.terms.name;
  event.cause = state.cause;
  event.frequency = state.thinning.frequency;
  event.misses = window.meter.within(state.terms.window, now).misses;
  event.at = now;
  event.sentence = state.sentence;
  if (kind == QosEvent::Kind::Whole) event.sentence = "'" + state.terms.name + "' shows every picture again.";
  if (kind == QosEvent::Kind::Refused) event.sentence = state.refusal->sentence;
  if (kind == QosEvent::Kind::Admitted) event.sentence = "There is room for '" + state.terms.name + "' now.";
  if (kind == QosEvent::Kind::Recovered) event.sentence = "'" + state.terms.name + "' is in time again.";
  m_events.publish(event);
}

}  // namespace tactus::media
