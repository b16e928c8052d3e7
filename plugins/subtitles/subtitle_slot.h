// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <ass/ass.h>
}

#include <array>
#include <memory>
#include <optional>

#include "plugins/av/subtitle_feed.h"
#include "plugins/subtitles/subtitle_renderer.h"
#include "plugins/subtitles/subtitle_track.h"

namespace tactus::plugins::subtitles {

/// One of the two streams that may be shown at a time: follows the choice, keeps what is read of it, and
/// draws it. Thread-safe: no.
class SubtitleSlot {
 public:
  SubtitleSlot(ASS_Library* library, av::SubtitleFeed& feed, av::SubtitleFeed::Place place)
      : m_library(library), m_feed(feed), m_place(place) {}

  /// What lies over the picture of this instant of the film when lines come so much later than they say; null
  /// for nothing. May read the film.
  [[nodiscard]] std::shared_ptr<const Overlay> draw(periodic::Duration picture, periodic::Duration delay,
                                                    const OverlayFrame& frame, const SubtitleLook& look);

 private:
  /// All lines that are shown from one instant to the other are known.
  struct Known {
    periodic::Duration from, to;
    [[nodiscard]] bool has(periodic::Duration instant) const { return from <= instant && instant <= to; }
  };
  void followChoice();
  void followFilm(periodic::Duration instant, periodic::Duration picture);
  void begin(periodic::Duration instant, periodic::Duration picture, std::uint64_t seeks);
  void followFile(periodic::Duration instant);

  ASS_Library* const m_library;
  av::SubtitleFeed& m_feed;
  const av::SubtitleFeed::Place m_place;
  av::SubtitleFeed::StreamPtr m_stream;
  std::unique_ptr<SubtitleTrack> m_track;
  std::unique_ptr<SubtitleRenderer> m_renderer;
  std::optional<Known> m_known;
  std::uint64_t m_seeks = 0;  // the feed's, when it was followed last
  std::size_t m_next = 0;     // packet of a file
};

/// What draws both, with the fonts of the film. Thread-safe: no.
class SubtitleDrawing {
 public:
  explicit SubtitleDrawing(av::SubtitleFeed& feed);
  /// Made for these fonts; others need another drawing.
  [[nodiscard]] bool isFor(const av::SubtitleFeed::Fonts& fonts) const noexcept { return m_fonts == fonts; }
  [[nodiscard]] SubtitleSlot& slot(av::SubtitleFeed::Place place) {
    return place == av::SubtitleFeed::Place::Main ? m_main : m_second;
  }

 private:
  struct FreeLibrary {
    void operator()(ASS_Library* library) const noexcept { ass_library_done(library); }
  };
  using LibraryPtr = std::unique_ptr<ASS_Library, FreeLibrary>;
  static LibraryPtr libraryWith(const av::SubtitleFeed::Fonts& fonts);

  const av::SubtitleFeed::Fonts m_fonts;
  const LibraryPtr m_library;
  SubtitleSlot m_main, m_second;
};

}  // namespace tactus::plugins::subtitles
