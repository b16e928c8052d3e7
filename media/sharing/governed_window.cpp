// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/governed_window.h"

#include <algorithm>
#include <utility>

#include "media/sharing/qos_sentence.h"

namespace tactus::media {

using periodic::TimePoint;

void GovernedWindow::measure(const LoadFigures& figures, Duration passed, TimePoint now) {
  if (figures.film != meter.figures().film) {
    state.stage = asks ? WindowStage::Asks : WindowStage::Whole;
    state.refusal.reset();
  }
  meter.look(figures, {now, passed, state.thinning, !isAdmitted(state.stage), state.terms.window});
  state.nominalRate = figures.nominalRate;
  state.shownRate = meter.shownRate();
  state.load = meter.load();
}

Ladder GovernedWindow::ladder() const {
  const PriorityNumbers numbers = state.terms.numbers();
  return {.weight = numbers.weight,
          .leastFrequency = numbers.leastFrequency,
          .mayFall = numbers.mayFall,
          .keepsPictures = numbers.keepsPictures,
          .fixed = meter.fixed(),
          .elastic = meter.elastic(),
          .keyframes = meter.keyframes(),
          .fallen = fallen,
          .frequency = state.thinning.frequency};
}

WindowClaim GovernedWindow::claim() const {
  return {state.id, state.terms.name, ladder(), std::min(meter.elastic(), meter.display())};
}

bool GovernedWindow::stand(Rung rung) {
  rung.frequency = std::min(rung.frequency, judge.stretched());
  if (rung.stage == WindowStage::Whole && rung.frequency < 1) rung.stage = WindowStage::Thinned;
  fallen = rung.fallen;
  if (state.stage != WindowStage::Asks) state.stage = rung.stage;
  const Thinning next{rung.frequency, rung.stage == WindowStage::KeyframesOnly};
  if (std::exchange(state.thinning, next) == next) return false;
  meter.forgetMisses();  // misses under the plan before say nothing of this one
  return true;
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
  if (state.thinning == Thinning{} && !state.violating) {
    state.cause = QosCause::None;
    state.sentence.clear();
    return;
  }
  const auto lately = meter.within(state.terms.window, now);
  WindowFare fare;
  fare.name = state.terms.name;
  fare.thinning = state.thinning;
  fare.nominalRate = state.nominalRate;
  fare.waitsForSource = meter.figures().buffering;
  fare.displayIsLate = 2 * lately.untaken > lately.misses;
  fare.stretched = judge.stretched() < 1;
  fare.machineIsFull = machineIsFull;
  fare.othersFillIt = othersFillIt;
  std::optional<WindowRival> other;
  if (rival != nullptr) other = {rival->state.terms.name, rival->state.terms.priority};
  auto [cause, sentence] = media::explain(fare, other);
  state.cause = cause;
  state.sentence = std::move(sentence);
}

QosEvent GovernedWindow::event(QosEvent::Kind kind, TimePoint now) const {
  QosEvent event;
  event.kind = kind;
  event.window = state.id;
  event.name = state.terms.name;
  event.cause = state.cause;
  event.frequency = state.thinning.frequency;
  event.misses = meter.within(state.terms.window, now).misses;
  event.at = now;
  event.sentence = state.sentence;
  if (kind == QosEvent::Kind::Whole) event.sentence = "'" + state.terms.name + "' shows every picture again.";
  if (kind == QosEvent::Kind::Refused) event.sentence = state.refusal->sentence;
  if (kind == QosEvent::Kind::Admitted) event.sentence = "There is room for '" + state.terms.name + "' now.";
  if (kind == QosEvent::Kind::Recovered) event.sentence = "'" + state.terms.name + "' is in time again.";
  return event;
}

}  // namespace tactus::media
