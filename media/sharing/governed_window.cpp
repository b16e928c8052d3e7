// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/governed_window.h"

#include <algorithm>
#include <utility>

namespace tactus::media {
namespace {

/// Share of its pictures below which the default handler lengthens no period, whatever f_min is.
constexpr double kLeastOfStretch = 0.1;
/// Between two such events.
constexpr Duration kQuiet = std::chrono::seconds(1);

bool isLimited(const SourceLimit& limit) noexcept {
  return limit.place != SourceLimit::Place::None;
}

/// But for the figures.
bool isSame(const SourceLimit& one, const SourceLimit& other) noexcept {
  return one.place == other.place && one.shown == other.shown;
}

}  // namespace

using periodic::TimePoint;

bool isLimitedAlone(const WindowState& state) noexcept {
  return state.thinning == Thinning{} && isLimited(state.limit);
}

void GovernedWindow::measure(const LoadFigures& figures, Duration passed, TimePoint now) {
  if (figures.film != meter.figures().film) {
    state.stage = asks ? WindowStage::Asks : WindowStage::Whole;
    state.refusal.reset();
  }
  meter.look(figures, {now, passed, state.thinning, !isAdmitted(state.stage), state.terms.window});
  state.nominalRate = figures.nominalRate;
  state.lastRung = figures.lastRung;
  state.shownRate = meter.shownRate();
  state.load = meter.load();
  state.limit = figures.limit;
  state.playout = figures.playout;
  state.longestPlayout = figures.longestPlayout;
}

Ladder GovernedWindow::ladder() const {
  const PriorityNumbers numbers = state.terms.numbers();
  return {.weight = numbers.weight,
          .leastFrequency = numbers.leastFrequency,
          .mostFrequency = std::max(numbers.leastFrequency, qos.highestFrequency(period())),
          .mayFall = numbers.mayFall,
          .keepsPictures = numbers.keepsPictures,
          .fixed = meter.fixed(),
          .elastic = meter.elastic(),
          .smaller = meter.smaller(),
          .keyframes = meter.keyframes(),
          .stage = rung.stage,
          .frequency = state.thinning.frequency,
          .isSmall = state.thinning.smaller};
}

WindowClaim GovernedWindow::claim() const {
  return {state.id, state.terms.name, ladder(), std::min(meter.elastic(), meter.display())};
}

bool GovernedWindow::stand(Rung next, TimePoint now) {
  rung = next;
  if (state.stage != WindowStage::Asks) state.stage = rung.stage;
  const Thinning thinning{.frequency = rung.frequency,
                          .lastRung = rung.stage == WindowStage::LastRung,
                          .size = qos.highestSize(),
                          .smaller = rung.isSmall};
  if (std::exchange(state.thinning, thinning) == thinning) return false;
  stood = now;
  meter.forgetMisses();  // misses under the plan before say nothing of this one
  return true;
}

Duration GovernedWindow::period() const noexcept {
  return state.nominalRate > 0 ? periodic::fromSeconds(1 / state.nominalRate) : Duration{0};
}

double GovernedWindow::tolerated() const noexcept {
  const auto pictures = static_cast<double>(std::max<std::uint64_t>(1, state.terms.tolerated));
  const double late = pictures * periodic::inSeconds(period()) - meter.largestStock();
  return std::max(0.0, late) / periodic::inSeconds(state.terms.window);
}

void GovernedWindow::judge(TimePoint now, Duration recovery, bool handled) {
  const auto times = [&](double f) { return periodic::fromSeconds(periodic::inSeconds(period()) / f); };
  // A longer period frees work: it helps where work stands undone, or the display cannot take as much.
  const bool helps = meter.standing() > 0 || displayIsLate(now);
  const double least = helps ? std::max(kLeastOfStretch, state.terms.numbers().leastFrequency) : 1;
  qos.look(now, {.misses = meter.within(state.terms.window, now).misses,
                 .tolerated = state.terms.tolerated,
                 .lastMiss = meter.lastMiss(),
                 .window = state.terms.window,
                 .recovery = recovery,
                 .period = times(std::max(kLeastOfStretch, state.thinning.frequency)),
                 .longest = times(least),
                 .handled = handled});
  state.violating = qos.isViolated();
}

bool GovernedWindow::displayIsLate(TimePoint now) const {
  const auto lately = meter.within(state.terms.window, now);
  return 2 * lately.untaken > lately.misses;
}

void GovernedWindow::act(const periodic::QosEvents::Wanted& wanted) {
  qos.act(wanted.action);
  handler = wanted.handler;
  if (wanted.action.leastFrequency) state.terms.leastFrequency = wanted.action.leastFrequency;
  if (wanted.action.weight) state.terms.weight = wanted.action.weight;
}

bool GovernedWindow::isRival(const GovernedWindow& each, const GovernedWindow* than) const {
  const auto rank = [](const GovernedWindow& window) {
    return std::pair(window.state.terms.numbers().weight, window.meter.used());
  };
  if (rank(each).first < state.terms.numbers().weight) return false;
  return than == nullptr || rank(each) > rank(*than);
}

void GovernedWindow::explain(TimePoint now, const GovernedWindow* rival, bool machineIsFull,
                             bool othersFillIt) {
  if (isLimitedAlone(state)) {
    auto [cause, sentence] = media::explain(state.terms.name, state.limit);
    state.cause = cause;
    state.sentence = std::move(sentence);
    return;
  }
  if (state.thinning == Thinning{} && !state.violating) {
    state.cause = QosCause::None;
    state.sentence.clear();
    return;
  }
  WindowFare fare;
  fare.name = state.terms.name;
  fare.thinning = state.thinning;
  fare.lastRung = state.lastRung;
  fare.nominalRate = state.nominalRate;
  fare.waitsForSource = meter.figures().buffering;
  fare.displayIsLate = displayIsLate(now);
  fare.stretched = qos.isStretched();
  const bool limited = state.thinning.size < 1 || state.thinning.frequency >= qos.handlersFrequency();
  if (limited && (qos.handlersFrequency() < 1 || state.thinning.size < 1)) fare.limitedBy = handler;
  fare.machineIsFull = machineIsFull;
  fare.othersFillIt = othersFillIt;
  std::optional<WindowRival> other;
  if (rival != nullptr) other = {rival->state.terms.name, rival->state.terms.priority};
  auto [cause, sentence] = media::explain(fare, other);
  state.cause = cause;
  state.sentence = std::move(sentence);
}

std::vector<QosEvent::Kind> GovernedWindow::tell(TimePoint now) {
  const bool lastRung = state.stage == WindowStage::LastRung;
  std::vector<QosEvent::Kind> news = qos.tell(now, state.thinning.frequency, lastRung);
  // That it is whole again is told once neither plan nor limit leave out anything.
  std::erase(news, QosEvent::Kind::Whole);
  for (const QosEvent::Kind kind : news)
    if (kind == QosEvent::Kind::Thinned || kind == QosEvent::Kind::LastRung) {
      told.givesWay = true;
      told.at = now;
    }
  if (now - told.at < kQuiet) return news;
  const bool givesWay = state.thinning != Thinning{}, limited = isLimited(state.limit);
  const bool limitIsNews = (limited || !givesWay) && !isSame(state.limit, told.limit);
  if (state.thinning.smaller && !told.smaller) {
    news.push_back(QosEvent::Kind::Smaller);
    told.givesWay = true;
  } else if (limitIsNews || (told.givesWay && !givesWay)) {
    news.push_back(limited ? QosEvent::Kind::Limited : QosEvent::Kind::Whole);
    told.limit = state.limit;
    told.givesWay = givesWay;
  } else if (state.thinning.smaller == told.smaller) {
    return news;
  }
  told.smaller = state.thinning.smaller;
  told.at = now;
  return news;
}

QosEvent GovernedWindow::event(QosEvent::Kind kind, TimePoint now) const {
  QosEvent event;
  event.kind = kind;
  event.stream = state.id;
  event.name = state.terms.name;
  event.cause = state.cause;
  event.frequency = state.thinning.frequency;
  event.misses = meter.within(state.terms.window, now).misses;
  event.at = now;
  event.sentence = state.sentence;
  if (kind == QosEvent::Kind::Limited) {
    auto [cause, sentence] = media::explain(state.terms.name, state.limit);
    event.cause = cause;
    event.sentence = std::move(sentence);
  }
  if (kind == QosEvent::Kind::Whole) event.sentence = "'" + state.terms.name + "' shows every picture again.";
  if (kind == QosEvent::Kind::Refused) event.sentence = state.refusal->sentence;
  if (kind == QosEvent::Kind::Admitted) event.sentence = "There is room for '" + state.terms.name + "' now.";
  if (kind == QosEvent::Kind::Recovered) event.sentence = "'" + state.terms.name + "' is in time again.";
  return event;
}

}  // namespace tactus::media
