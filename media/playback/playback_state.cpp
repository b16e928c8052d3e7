// SPDX-License-Identifier: Apache-2.0
#include "media/playback/playback_state.h"

namespace tactus::media {

using Drive = PlaybackState::Drive;

/// Why it stands still.
PlayState PlaybackState::standing() const noexcept {
  return m_wish == Wish::Play && m_permission == Permission::Held ? PlayState::Held : PlayState::Paused;
}

Drive PlaybackState::begin(bool seekFirst) noexcept {
  m_supply = Supply::Enough;
  return {seekFirst || !plays() ? Wish::Pause : Wish::Play};
}

Drive PlaybackState::start(bool seekFirst) noexcept {
  m_shown = PlayState::Opening;
  return begin(seekFirst);
}

Drive PlaybackState::follow(bool seekFirst) noexcept {
  return begin(seekFirst);
}

Drive PlaybackState::want(Wish wish, bool seekFirst) noexcept {
  m_wish = wish;
  if (m_shown == PlayState::Idle || m_shown == PlayState::Failed) return {};
  if (seekFirst) return {};
  const bool rewinds = wish == Wish::Play && m_shown == PlayState::Ended;
  if (wish == Wish::Pause || m_permission == Permission::Held) {
    m_shown = standing();
    return {Wish::Pause, rewinds};
  }
  if (!plays()) return {};
  return {Wish::Play, rewinds};
}

Drive PlaybackState::prerolled(bool seekFollows) noexcept {
  if (plays()) return {Wish::Play};
  if (!seekFollows) m_shown = standing();
  return {};
}

Drive PlaybackState::filled(int percent) noexcept {
  const Supply before = m_supply;
  m_supply = percent < 100 ? Supply::Filling : Supply::Enough;
  if (m_supply == before) return {};
  if (m_supply == Supply::Filling) {
    if (m_shown != PlayState::Held) m_shown = PlayState::Buffering;
    return {Wish::Pause};
  }
  return plays() ? Drive{Wish::Play} : Drive{};
}

Drive PlaybackState::permit(bool permitted) noexcept {
  const Permission before = m_permission;
  m_permission = permitted ? Permission::Given : Permission::Held;
  if (m_permission == before || m_wish == Wish::Pause) return {};
  if (m_shown == PlayState::Playing || m_shown == PlayState::Buffering || m_shown == PlayState::Opening) {
    if (permitted) return plays() ? Drive{Wish::Play} : Drive{};
    if (m_shown != PlayState::Opening) m_shown = PlayState::Held;
    return {Wish::Pause};
  }
  if (m_shown != PlayState::Held || !permitted) return {};
  if (m_supply == Supply::Filling) m_shown = PlayState::Buffering;
  return plays() ? Drive{Wish::Play} : Drive{};
}

void PlaybackState::seekBegins() noexcept {
  if (m_shown != PlayState::Ended) return;
  const bool goesOn = m_wish == Wish::Play && m_permission == Permission::Given;
  m_shown = goesOn ? PlayState::Playing : standing();
}

bool PlaybackState::reachedPlaying() noexcept {
  if (m_shown == PlayState::Idle || m_shown == PlayState::Failed || !plays()) return false;
  m_shown = PlayState::Playing;
  return true;
}

}  // namespace tactus::media
