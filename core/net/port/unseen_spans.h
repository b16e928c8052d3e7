// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::net {

/// For how long nobody had looked for data when some was taken: a handler ran, or the port was halted. Of the
/// last instants at which something was taken. Thread-safe: no. Real-time-safe: yes, all but the constructor.
class UnseenSpans {
 public:
  /// Remembers so many, at least 1.
  explicit UnseenSpans(std::size_t count) : m_spans(count) {}

  /// What was taken at `taken`, later than all before, may have come at any instant of the time `unseen`
  /// before it. Forgets the oldest.
  void note(periodic::TimePoint taken, periodic::Duration unseen) TACTUS_REALTIME {
    m_spans[m_next] = {taken, unseen};
    m_next = (m_next + 1) % m_spans.size();
  }
  /// 0 for an instant that was not noted, or is forgotten.
  [[nodiscard]] periodic::Duration of(periodic::TimePoint taken) const TACTUS_REALTIME {
    for (const Span& each : m_spans)
      if (each.taken == taken) return each.unseen;
    return periodic::Duration::zero();
  }

 private:
  struct Span {
    periodic::TimePoint taken = {};
    periodic::Duration unseen{0};
  };
  std::vector<Span> m_spans;  // a ring
  std::size_t m_next = 0;
};

}  // namespace tactus::net
