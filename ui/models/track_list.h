// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QVariantList>
#include <optional>
#include <vector>

#include "media/playback/player.h"

namespace tactus::ui {

// What menus and keys make of a film's tracks and chapters. Pure, and thread-safe.

/// Maps of `index`, `name` and `selected`.
[[nodiscard]] QVariantList describe(const std::vector<media::Track>& tracks);
/// The same tracks; those shown as second subtitles, above the others, are the selected ones.
[[nodiscard]] std::vector<media::Track> shownAbove(std::vector<media::Track> tracks);
/// The index after that of the second subtitles, round and round, those that are selected passed over; -1,
/// none, is one of them.
[[nodiscard]] int secondAfter(const std::vector<media::Track>& subtitles);
/// Maps of `title` and `start` (s).
[[nodiscard]] QVariantList describe(const std::vector<media::Chapter>& chapters);
/// The index after (or before) the selected track, round and round; `withNone`: -1, no track, is one of them.
[[nodiscard]] int trackAfter(const std::vector<media::Track>& tracks, int step, bool withNone);
/// The chapter before or after `position`; nothing behind the last. Back within the first second of a chapter
/// means the one before it.
[[nodiscard]] std::optional<std::size_t> chapterFrom(const std::vector<media::Chapter>& chapters,
                                                     double position, int step);

}  // namespace tactus::ui
