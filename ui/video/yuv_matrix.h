// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMatrix4x4>

namespace tactus::ui {

enum class ColorMatrix { Bt601, Bt709, Bt2020 };

/// RGB = M * (Y, Cb, Cr, 1) with all parts in [0, 1] as sampled from 8-bit planes (ITU-R BT.601, BT.709,
/// BT.2020 non-constant luminance). Thread-safe: yes (pure).
[[nodiscard]] QMatrix4x4 yuvToRgb(ColorMatrix matrix, bool fullRange);

}  // namespace tactus::ui
