// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <ass/ass.h>
}

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/periodic/result.h"
#include "plugins/av/av_handle.h"
#include "plugins/picture_overlay.h"

namespace tactus::plugins::subtitles {

/// A line that does not say when it ends lasts until the next, and so long at most. What is shown at an
/// instant is therefore known once the packets of so long before it were read.
inline constexpr periodic::Duration kLongestLine = std::chrono::seconds(30);

/// Subtitles that are pictures: what is shown from one instant on. Without parts, nothing is.
struct BitmapLine {
  std::optional<periodic::Duration> end;  ///< absent: until the next
  int planeWidth = 0, planeHeight = 0;    ///< that the parts are placed in; 0 = the film's pictures
  std::vector<OverlayPart> parts;
};

/// The lines of one stream: what was decoded of it so far, by when it is shown. Times are the film's.
/// Thread-safe: no. Real-time-safe: no.
class SubtitleTrack {
 public:
  /// The library must outlive the track. Errors: Unsupported, System; one sentence.
  [[nodiscard]] static Result<std::unique_ptr<SubtitleTrack>> open(ASS_Library* library,
                                                                   const AVCodecParameters& parameters);

  /// Decodes the packet; one that was put before changes nothing.
  void put(const AVPacket& packet);
  /// What is put next does not follow what was put last.
  void jump();

  /// Null where the lines are pictures.
  [[nodiscard]] ASS_Track* text() const noexcept { return m_text.get(); }
  /// What is shown at the instant; null for nothing.
  [[nodiscard]] const BitmapLine* bitmapAt(periodic::Duration instant) const;
  /// There is more than should be kept: make another of what is needed now.
  [[nodiscard]] bool outgrown() const noexcept;

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::size_t>;  // of a packet: pts, duration, hash
  struct FreeText {
    void operator()(ASS_Track* track) const noexcept { ass_free_track(track); }
  };
  SubtitleTrack() = default;
  void beginText(ASS_Library* library, bool native);
  void addText(const AVSubtitle& subtitle, periodic::Duration begin, std::optional<periodic::Duration> end);
  void addBitmaps(const AVSubtitle& subtitle, periodic::Duration begin,
                  std::optional<periodic::Duration> end);

  av::CodecPtr m_codec;
  std::unique_ptr<ASS_Track, FreeText> m_text;
  std::map<periodic::Duration, BitmapLine> m_bitmaps;  // by begin
  std::set<Key> m_seen;
  std::size_t m_bytes = 0;  // of lines
};

}  // namespace tactus::plugins::subtitles
