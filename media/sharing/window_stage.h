// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::media {

/// What a window is given, least first.
enum class WindowStage {
  Asks,        ///< plays until it is known what it takes; then it is admitted or refused
  Held,        ///< was refused: waits
  LastRung,    ///< less than f_min: keyframes only, or what the stream has instead
  Unreserved,  ///< f_min, as it promised more than its last rung has, but without a reservation
  Thinned,     ///< a share f of its pictures, f_min at least
  Whole,       ///< every picture
};

/// Whether it counts among the windows whose promises are kept.
[[nodiscard]] constexpr bool isAdmitted(WindowStage stage) noexcept {
  return stage >= WindowStage::LastRung;
}

/// Whether the sum of all floors let it fall: it holds no reservation.
[[nodiscard]] constexpr bool isFallen(WindowStage stage) noexcept {
  return stage == WindowStage::LastRung || stage == WindowStage::Unreserved;
}

}  // namespace tactus::media
