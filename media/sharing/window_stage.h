// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::media {

/// What a window is given, least first.
enum class WindowStage {
  Asks,           ///< plays until it is known what it takes; then it is admitted or refused
  Held,           ///< was refused: waits, paused
  KeyframesOnly,  ///< the last stage of giving way
  Thinned,        ///< a share f of its pictures, f_min at least
  Whole,          ///< every picture
};

/// Whether it counts among the windows whose promises are kept.
[[nodiscard]] constexpr bool isAdmitted(WindowStage stage) noexcept {
  return stage >= WindowStage::KeyframesOnly;
}

}  // namespace tactus::media
