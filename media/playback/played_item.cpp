// SPDX-License-Identifier: Apache-2.0
#include "media/playback/played_item.h"

#include <algorithm>
#include <utility>

#include "media/playback/media_path.h"
#include "plugins/av/stream_bytes.h"

namespace tactus::media {

void PlayedItem::begin(const std::string& uri, std::uint64_t shown) {
  const std::lock_guard lock(m_mutex);
  State next;
  next.number = m_state.number + 1;
  next.info.uri = uri;
  next.info.title = titleOf(uri);
  next.counts.shownBefore = shown;
  next.decoder = m_state.decoder;  // the same, where the item follows in its pipeline
  m_state = std::move(next);
}

void PlayedItem::startPipeline(periodic::TimePoint now) {
  const std::lock_guard lock(m_mutex);
  m_state.tracks = {};
  m_state.missing.clear();
  m_state.broken.clear();
  m_state.decoder = {};
  m_state.lastProgress = now;
}

MediaInfo PlayedItem::info() const {
  const std::lock_guard lock(m_mutex);
  return m_state.info;
}

MediaInfo PlayedItem::change(const std::function<void(MediaInfo&)>& patch) {
  const std::lock_guard lock(m_mutex);
  patch(m_state.info);
  return m_state.info;
}

MediaInfo PlayedItem::changeTracks(const std::function<void(TrackList&)>& patch) {
  const std::lock_guard lock(m_mutex);
  TrackList& tracks = m_state.tracks;
  patch(tracks);
  MediaInfo& info = m_state.info;
  info.video = tracks.tracks(TrackKind::Video);
  info.audio = tracks.tracks(TrackKind::Audio);
  info.subtitles = tracks.tracks(TrackKind::Subtitle);
  return info;
}

std::uint64_t PlayedItem::number() const {
  const std::lock_guard lock(m_mutex);
  return m_state.number;
}

bool PlayedItem::mayFallBack() {
  const std::lock_guard lock(m_mutex);
  return !std::exchange(m_state.fellBack, true);
}

void PlayedItem::setMissing(const std::string& description) {
  const std::lock_guard lock(m_mutex);
  m_state.missing = description;
}

std::string PlayedItem::missing() const {
  const std::lock_guard lock(m_mutex);
  return m_state.missing;
}

void PlayedItem::setBroken(const std::string& why) {
  const std::lock_guard lock(m_mutex);
  m_state.broken = why;
}

void PlayedItem::setDecoder(const std::string& device, const std::string& whyNone) {
  const std::lock_guard lock(m_mutex);
  m_state.decoder = {device, whyNone};
}

PlayedItem::Decoder PlayedItem::decoder() const {
  const std::lock_guard lock(m_mutex);
  return m_state.decoder;
}

std::string PlayedItem::broken() const {
  const std::lock_guard lock(m_mutex);
  return m_state.broken;
}

void PlayedItem::noteProgress(periodic::TimePoint now) {
  const std::lock_guard lock(m_mutex);
  m_state.lastProgress = now;
}

Duration PlayedItem::silence(periodic::TimePoint now) const {
  const std::lock_guard lock(m_mutex);
  return now - m_state.lastProgress;
}

PlayedItem::Counts PlayedItem::counts() const {
  const std::lock_guard lock(m_mutex);
  return m_state.counts;
}

void PlayedItem::countDecodeError() {
  const std::lock_guard lock(m_mutex);
  ++m_state.counts.decodeErrors;
}

void PlayedItem::setLateAtDecoder(std::uint64_t count) {
  const std::lock_guard lock(m_mutex);
  m_state.counts.lateAtDecoder = std::max(m_state.counts.lateAtDecoder, count);
}

std::string nameOf(const MediaInfo& info) {
  const bool named = info.uri.starts_with("file:") || plugins::av::isStream(info.uri);
  return named ? titleOf(info.uri) : info.uri;
}

bool isRemote(const std::string& uri) {
  return !uri.starts_with("file:") && !uri.starts_with("fd:") && !plugins::av::isStream(uri);
}

}  // namespace tactus::media
