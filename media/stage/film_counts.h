// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "core/periodic/kernel/priority_inheritance_mutex.h"

namespace tactus::media {

/// What of counters that only grow belongs to which of the films that follow each other. `Counts` has += and
/// -=. Thread-safe: yes. Real-time-safe: no, once a film.
template <typename Counts>
class FilmCounts {
 public:
  /// From now on it is this film's; it may have been before.
  void begin(unsigned film, const Counts& now) {
    const std::lock_guard lock(m_mutex);
    addTo(m_films[m_film], now);
    m_film = film;
    m_begin = now;
  }
  [[nodiscard]] Counts of(unsigned film, const Counts& now) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_films.find(film);
    Counts counts = found != m_films.end() ? found->second : Counts{};
    if (film == m_film) addTo(counts, now);
    return counts;
  }

 private:
  void addTo(Counts& counts, const Counts& now) const {
    counts += now;
    counts -= m_begin;
  }

  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  std::map<unsigned, Counts> m_films;                  // until m_begin
  unsigned m_film = 1;
  Counts m_begin{};
};

}  // namespace tactus::media
