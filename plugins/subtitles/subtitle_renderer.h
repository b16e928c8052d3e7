// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <ass/ass.h>
}

#include <memory>

#include "plugins/picture_overlay.h"
#include "plugins/subtitles/subtitle_look.h"
#include "plugins/subtitles/subtitle_track.h"

namespace tactus::plugins::subtitles {

/// Draws the lines of one track: text and its styles by libass, pictures placed as their stream says.
/// Thread-safe: no. Real-time-safe: no.
class SubtitleRenderer {
 public:
  /// The library must outlive the renderer. Loads the machine's fonts, which may take a while.
  explicit SubtitleRenderer(ASS_Library* library);

  /// What is shown at this instant; null for nothing. The same object as long as nothing changes.
  [[nodiscard]] std::shared_ptr<const Overlay> draw(SubtitleTrack& track, periodic::Duration instant,
                                                    const OverlayFrame& frame, const SubtitleLook& look);
  /// The track drawn last is gone.
  void forget() noexcept { m_track = nullptr; }

 private:
  struct FreeRenderer {
    void operator()(ASS_Renderer* renderer) const noexcept { ass_renderer_done(renderer); }
  };
  void configure(const OverlayFrame& frame, const SubtitleLook& look);
  void drawText(SubtitleTrack& track, periodic::Duration instant);
  void drawBitmap(const BitmapLine* line);

  std::unique_ptr<ASS_Renderer, FreeRenderer> m_renderer;
  OverlayFrame m_frame;
  SubtitleLook m_look;
  bool m_configured = false;
  const SubtitleTrack* m_track = nullptr;  // borrowed, to compare only
  const BitmapLine* m_line = nullptr;      // borrowed, to compare only
  std::shared_ptr<const Overlay> m_drawn;  // shared with the sink
};

}  // namespace tactus::plugins::subtitles
