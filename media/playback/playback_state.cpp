// SPDX-License-Identifier: Apache-2.0
#include "media/playback/playback_state.h"

namespace tactus::media {

using Drive = PlaybackState::Drive;

Drive PlaybackState::begin(bool seekFirst) noexcept {
  m_supply = Supply::Enough;
  return {seekFirst ? Wish::Pause : m_wish};
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
  if (wish == Wish::Pause) {
    m_shown = PlayState::Paused;
    return {Wish::Pause};
  }
  if (m_supply == Supply::Filling) return {};
  return {Wish::Play, m_shown == PlayState::Ended};
}

Drive PlaybackState::prerolled(bool seekFollows) noexcept {
  if (m_wish == Wish::Play && m_supply == Supply::Enough) return {Wish::Play};
  if (!seekFollows) m_shown = PlayState::Paused;
  return {};
}

Drive PlaybackState::filled(int percent) noexcept {
  const Supply before = m_supply;
  m_supply = percent < 100 ? Supply::Filling : Supply::Enough;
  if (m_supply == before) return {};
  if (m_supply == Supply::Filling) {
    m_shown = PlayState::Buffering;
    return {Wish::Pause};
  }
  return m_wish == Wish::Play ? Drive{Wish::Play} : Drive{};
}

void PlaybackState::seekBegins() noexcept {
  if (m_shown == PlayState::Ended) m_shown = m_wish == Wish::Play ? PlayState::Playing : PlayState::Paused;
}

bool PlaybackState::reachedPlaying() noexcept {
  if (m_shown == PlayState::Idle || m_shown == PlayState::Failed) return false;
  if (m_wish == Wish::Pause || m_supply == Supply::Filling) return false;
  m_shown = PlayState::Playing;
  return true;
}

}  // namespace tactus::media
