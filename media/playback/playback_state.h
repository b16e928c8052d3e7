// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "media/playback/player.h"

namespace tactus::media {

/// The life of what is played, between the user's wishes and what the pipeline reports. Three quantities: the
/// state that is shown, what the user wants, and whether enough of the stream is there. Each input answers
/// what the pipeline is to do. Knows neither GStreamer nor threads. Thread-safe: no.
class PlaybackState {
 public:
  enum class Wish { Pause, Play };
  /// What the pipeline is to do; nothing where it goes on as before.
  struct Drive {
    std::optional<Wish> to = std::nullopt;
    bool rewind = false;  ///< to the beginning, before that
    friend bool operator==(const Drive&, const Drive&) = default;
  };

  [[nodiscard]] PlayState shown() const noexcept { return m_shown; }
  [[nodiscard]] Wish wish() const noexcept { return m_wish; }

  /// The user opens an item; its pipeline starts next.
  void open(Wish wish) noexcept { m_wish = wish; }
  /// A pipeline starts: of a new item, or anew of the same. `seekFirst`: a start position waits for preroll.
  [[nodiscard]] Drive start(bool seekFirst) noexcept;
  /// The next item's pipeline takes over at the end of this one.
  [[nodiscard]] Drive follow(bool seekFirst) noexcept;
  /// The user wants it to play or pause.
  [[nodiscard]] Drive want(Wish wish, bool seekFirst) noexcept;
  /// The pipeline has a first picture (or sound) ready, after a start or a seek. `seekFollows`: it will not
  /// be the one that is wanted.
  [[nodiscard]] Drive prerolled(bool seekFollows) noexcept;
  /// So much of the stream's buffer is full, in percent.
  [[nodiscard]] Drive filled(int percent) noexcept;
  /// A seek goes to the pipeline.
  void seekBegins() noexcept;
  /// The pipeline plays; false where that is old news: the user has paused, or the buffer ran empty.
  [[nodiscard]] bool reachedPlaying() noexcept;
  void end() noexcept { m_shown = PlayState::Ended; }
  void fail() noexcept { m_shown = PlayState::Failed; }
  void stop() noexcept { m_shown = PlayState::Idle; }

 private:
  enum class Supply { Enough, Filling };
  [[nodiscard]] Drive begin(bool seekFirst) noexcept;

  PlayState m_shown = PlayState::Idle;
  Wish m_wish = Wish::Play;
  Supply m_supply = Supply::Enough;
};

}  // namespace tactus::media
