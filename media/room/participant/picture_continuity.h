// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// How evenly pictures of a call are shown: gaps in the stream's own time are pictures missed, but for those
/// given up on purpose; gaps on the screen are freezes. Thread-safe: no. Real-time-safe: yes.
class PictureContinuity {
 public:
  struct Figures {
    std::uint64_t shown = 0, missed = 0, freezes = 0;
    periodic::Duration frozen{0};   ///< sum of the freezes
    periodic::Duration longest{0};  ///< gap between two pictures on the screen
  };
  /// A gap is a freeze if it is longer than this and than three periods.
  static constexpr periodic::Duration kFreeze = std::chrono::milliseconds(200);

  /// A picture of this time in the stream is shown now; `period` from one picture to the next (zero:
  /// unknown). `shed`: pictures given up on purpose so far, of later ones too: they are left out of a gap
  /// that is still to come.
  void onShown(periodic::TimePoint now, std::optional<periodic::Duration> stream, periodic::Duration period,
               std::uint64_t shed = 0) noexcept {
    m_leftOut += shed - std::exchange(m_shed, shed);
    if (m_figures.shown++ > 0) {
      const periodic::Duration gap = now - m_last;
      m_figures.longest = std::max(m_figures.longest, gap);
      if (gap > std::max(kFreeze, 3 * period)) {
        ++m_figures.freezes;
        m_figures.frozen += gap;
      }
      if (stream && m_stream && period > periodic::Duration::zero() && *stream > *m_stream) {
        const auto steps = (*stream - *m_stream + period / 2) / period;  // to the nearest
        const auto gone = static_cast<std::uint64_t>(std::max<std::int64_t>(0, steps - 1));
        const std::uint64_t onPurpose = std::min(gone, m_leftOut);
        m_leftOut -= onPurpose;
        m_figures.missed += gone - onPurpose;
      } else {
        m_leftOut = 0;  // how many a gap had is not known
      }
    }
    m_last = now;
    m_stream = stream;
  }
  [[nodiscard]] const Figures& figures() const noexcept { return m_figures; }

 private:
  Figures m_figures;
  periodic::TimePoint m_last{};
  std::optional<periodic::Duration> m_stream;
  std::uint64_t m_shed = 0;     // when a picture was shown last
  std::uint64_t m_leftOut = 0;  // given up on purpose, and in no gap yet
};

}  // namespace tactus::media
