// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: films on a machine of so many processors, in virtual time and as fluids.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "media/sharing/governed_stream.h"
#include "media/sharing/processor_times.h"

namespace tactus::media {

/// A film of 30 pictures a second, of whose work 70 % is decoding; half of its pictures need not be decoded.
/// It decodes up to seven pictures ahead; a packet's turn comes two pictures ahead. With a `reach` it is
/// live: its packets come so many seconds before they are shown. In two sizes, the smaller one takes a
/// quarter, and comes 0.6 s after it is asked for.
class VirtualFilm final : public GovernedStream {
 public:
  explicit VirtualFilm(double load, std::optional<double> reach = std::nullopt)
      : m_load(load), m_store(reach.value_or(kStore)) {
    figures.nominalRate = kRate;
    figures.disposable = 0.5;
    figures.film = 1;
    figures.playing = true;
    figures.turn = periodic::fromSeconds(2 / kRate);
    figures.ahead = periodic::fromSeconds(m_ahead);
    if (reach) figures.reach = figures.ahead;
    if (reach) figures.lastRung = LastRung::SoundAlone;
  }
  LoadFigures load() const override { return figures; }
  void comeInTwoSizes() { figures.sizes = LoadFigures::Sizes{.share = kSmaller}; }
  void setThinning(Thinning next) override {
    thinning = next;
    ++changes;
  }
  void setService(StreamService next) override { service = std::move(next); }
  void setHeld(bool next) override {
    held = next;
    figures.playing = !next;
  }

  /// Processors that it takes when nothing is missing.
  double wants() const {
    if (held) return 0;
    const double load = m_load * (figures.sizes && figures.sizes->smallerComes ? kSmaller : 1);
    if (thinning.lastRung) return sound + load * 0.1;
    const double f = thinning.frequency;
    return sound + load * (0.7 * decodedAt(f) + 0.3 * f);
  }
  /// Processors that it can use now: what is not done ahead yet is done as fast as one thread can.
  double demands(double seconds) const {
    const double most = std::ceil(m_load) + sound;  // processors, by its threads
    return held ? 0 : std::min(most, wants() * (1 + std::max(0.0, m_store - m_ahead) / seconds));
  }
  /// Of these, what is due: it plays on, and what is behind its turn is made up for.
  double isDue(double seconds) const {
    const double behind = std::max(0.0, std::min(m_store, periodic::inSeconds(figures.turn)) - m_ahead);
    return std::min(demands(seconds), wants() * (1 + behind / seconds));
  }
  /// `seconds` go by, in which it gets `granted` processors.
  void live(double seconds, double granted) {
    if (held) return;
    if (figures.sizes && figures.sizes->smallerComes != thinning.smaller && (m_asked += seconds) >= 0.6) {
      figures.sizes->smallerComes = thinning.smaller;
      m_asked = 0;
      ++sizeChanges;
    }
    const double demanded = demands(seconds);
    silent += seconds * std::max(0.0, sound - granted);  // sound comes before pictures
    figures.otherTime += periodic::fromSeconds(std::min(sound, granted) * seconds);
    granted = std::max(0.0, granted - sound);
    const double picturesTake = wants() - sound;
    const double done = picturesTake > 0 ? granted / picturesTake : 1;  // of the pictures that are due
    m_ahead = std::min(m_store, m_ahead + seconds * done - seconds);
    const double f = thinning.lastRung ? 0.1 : thinning.frequency;
    m_due += kRate * seconds * f;
    const double pictures = std::floor(m_due);
    m_due -= pictures;
    const double turn = leastTurn + lateTurns * static_cast<double>(m_turns++ % 5) / 4;
    const bool late = m_ahead - turn < 0;
    if (m_ahead > m_store - 1e-9) ++figures.caughtUp;
    m_ahead = std::max(m_ahead, -0.5);  // further behind it skips to a keyframe
    const auto count = static_cast<std::uint64_t>(pictures);
    m_decoded += kRate * seconds * done * (thinning.lastRung ? 0.1 : decodedAt(f));
    figures.decode.completed = static_cast<std::uint64_t>(m_decoded);
    figures.decode.cpuTime += periodic::fromSeconds(granted * 0.7 * seconds);
    figures.display.cpuTime += periodic::fromSeconds(granted * 0.3 * seconds);
    figures.display.completed += count;
    m_shown += kRate * seconds * f * done;
    figures.display.packets = static_cast<std::uint64_t>(m_shown);
    figures.display.misses += late ? count : 0;
    figures.waited +=
        periodic::fromSeconds((std::max(0.0, demanded - sound - granted) + kRate * turn) * seconds);
    figures.ahead = periodic::fromSeconds(m_ahead - turn);
  }

  static constexpr double kRate = 30, kStore = 7 / kRate, kSmaller = 0.25;
  LoadFigures figures;
  Thinning thinning;
  StreamService service;
  int changes = 0, sizeChanges = 0;
  bool held = false;
  double sound = 0;      ///< processors that its sound takes
  double silent = 0;     ///< processor time that its sound lacked, s
  double lateTurns = 0;  ///< s that its decoder waits for a processor at most, each time
  double leastTurn = 0;  ///< s that it waits beside that, each time

 private:
  /// Share of the pictures that is decoded.
  double decodedAt(double f) const { return 1 - figures.disposable * (1 - f); }

  const double m_load, m_store;
  double m_due = 0, m_decoded = 0, m_shown = 0, m_ahead = m_store;
  int m_turns = 0;
  double m_asked = 0;  // s since another size was
};

/// Films of a real-time class come before ordinary programs, preferred ones before the others.
class VirtualMachine {
 public:
  VirtualFilm& add(double load, std::optional<double> reach = std::nullopt) {
    films.push_back(std::make_unique<VirtualFilm>(load, reach));
    return *films.back();
  }
  void pass(double seconds) {
    std::vector<double> granted(films.size());
    double left = std::max(0.0, processors - realtime);
    double ours = 0;
    if (!classGranted && hogs > 0) {
      const auto count = static_cast<double>(films.size());
      left *= count / (count + hogs);
    }
    // What fills a store waits for what is due, of films of the same rank.
    for (const bool preferred : {true, false})
      for (const bool due : {true, false}) {
        std::vector<double> demands(films.size());
        double demanded = 0;
        for (std::size_t i = 0; i < films.size(); ++i) {
          if (films[i]->service.preferred != preferred) continue;
          const double first = films[i]->isDue(seconds);
          demanded += demands[i] = due ? first : films[i]->demands(seconds) - first;
        }
        const double share = demanded > left ? left / demanded : 1;
        for (std::size_t i = 0; i < films.size(); ++i) granted[i] += demands[i] * share;
        left = std::max(0.0, left - demanded * share);
        ours += demanded * share;
      }
    for (std::size_t i = 0; i < films.size(); ++i) films[i]->live(seconds, granted[i]);
    const double used = hogs > 0 ? processors : std::min(processors, ours + realtime + server.used);
    use = {used / processors, used / processors};
    own += periodic::fromSeconds(ours * seconds);
  }
  double wanted() const {
    double sum = 0;
    for (const auto& film : films) sum += film->wants();
    return sum;
  }

  std::vector<std::unique_ptr<VirtualFilm>> films;
  double processors = 2;
  double realtime = 0;  ///< processors that other real-time programs take
  double hogs = 0;      ///< ordinary programs that never rest
  bool classGranted = true;
  struct {
    double used = 0, waited = 0, turns = 30;
  } server;  ///< the display's, in processors
  ProcessorUse use;
  Duration own{0};
};

}  // namespace tactus::media
