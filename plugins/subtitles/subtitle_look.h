// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::plugins::subtitles {

/// How the user wants subtitles to be drawn.
struct SubtitleLook {
  double scale = 1;    ///< of the text's size
  double raised = 0;   ///< text at the bottom stands so much of the picture's height above its place; [0, 1]
  bool atTop = false;  ///< where a second stream stands
  friend bool operator==(const SubtitleLook&, const SubtitleLook&) = default;
};

}  // namespace tactus::plugins::subtitles
