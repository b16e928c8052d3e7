// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QVariantList>
#include <cstdint>
#include <deque>
#include <optional>

#include "media/playback/player.h"
#include "media/sharing/load_governor.h"

namespace tactus::ui {

/// How good or bad a figure is, by the thresholds of OBS Studio.
enum class Health { Good, Strained, Bad };
/// Frame rate shown, as part of what the plan wants shown: below 95 % strained, below 80 % bad.
[[nodiscard]] Health rateHealth(double part) noexcept;
/// Pictures late or lost, as part of all: above 1 % strained, above 5 % bad.
[[nodiscard]] Health lossHealth(double part) noexcept;

/// What a film does now. The load window is fed with one for each film.
struct FilmLoad {
  const void* film = nullptr;  ///< tells films apart; is compared and never followed
  QString name, priority;
  bool playing = false;
  std::optional<int> buffering;  ///< percent, while it waits for its source
  media::PlayerStatistics statistics;
  std::optional<media::WindowState> window;  ///< none without a governor
};

/// The last minute of one film: counters that only grow become figures of one second each. A plain value
/// without a clock.
class FilmHistory {
 public:
  explicit FilmHistory(QString colour) : m_colour(std::move(colour)) {}
  /// One row of the table: what happened in the `seconds` since the last look. The first look after the start
  /// or after forgetLook() has nothing to compare with, and shows no figures.
  [[nodiscard]] QVariantMap look(const FilmLoad& now, double seconds);
  /// What happens until the next look is no figure of one second.
  void forgetLook() { m_last.reset(); }

  // For the plots: maps of `name`, `colour` and `values`, one for each second, NaN = not known.
  [[nodiscard]] QVariantMap rates() const { return series(m_rates); }        ///< pictures a second
  [[nodiscard]] QVariantMap laxities() const { return series(m_laxities); }  ///< mean, ms
  [[nodiscard]] QVariantMap loads() const { return series(m_loads); }        ///< percent of a processor

 private:
  struct Counts {
    std::uint64_t shown = 0, late = 0, lost = 0;  // lost: before the display
    std::uint64_t laxities = 0;
    double laxitySum = 0;  // ms
    double cpu = 0;        // s
  };
  [[nodiscard]] static Counts countsOf(const media::PlayerStatistics& statistics);
  [[nodiscard]] static Counts between(const Counts& before, const Counts& now);
  void keep(const Counts& passed, bool known, bool playing, double seconds);
  [[nodiscard]] QVariantMap row(const FilmLoad& now, const Counts& passed, bool known) const;
  [[nodiscard]] QVariantMap series(const std::deque<double>& values) const;

  QString m_name, m_colour;
  std::optional<Counts> m_last;
  std::deque<double> m_rates, m_laxities, m_loads;
};

}  // namespace tactus::ui
