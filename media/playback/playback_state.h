// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "media/playback/player.h"

namespace tactus::media {

/// The life of what is played, between the user's wishes and what the pipeline reports. It plays where three
/// quantities agree: the user's wish, the supply (enough of the stream is there) and the permission of who
/// shares the machine; the state that is shown says which is missing. Each input answers what the pipeline is
/// to do. Knows neither GStreamer nor threads. Thread-safe: no.
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
  void open(Wish wish) noexcept {
    m_wish = wish;
    m_permission = Permission::Given;
  }
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
  /// Whether there is room for it beside the others. The wish stays; another item is permitted at first.
  [[nodiscard]] Drive permit(bool permitted) noexcept;
  /// A seek goes to the pipeline.
  void seekBegins() noexcept;
  /// The pipeline plays; false where that is old news: the user has paused, the buffer ran empty, or it is
  /// held.
  [[nodiscard]] bool reachedPlaying() noexcept;
  void end() noexcept { m_shown = PlayState::Ended; }
  void fail() noexcept { m_shown = PlayState::Failed; }
  void stop() noexcept { m_shown = PlayState::Idle; }

 private:
  enum class Supply { Enough, Filling };
  enum class Permission { Given, Held };
  [[nodiscard]] bool plays() const noexcept {
    return m_wish == Wish::Play && m_supply == Supply::Enough && m_permission == Permission::Given;
  }
  [[nodiscard]] PlayState standing() const noexcept;
  [[nodiscard]] Drive begin(bool seekFirst) noexcept;

  PlayState m_shown = PlayState::Idle;
  Wish m_wish = Wish::Play;
  Supply m_supply = Supply::Enough;
  Permission m_permission = Permission::Given;
};

}  // namespace tactus::media
