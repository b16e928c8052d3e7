// SPDX-License-Identifier: Apache-2.0
#include "conference/outgoing_stream.h"

#include <algorithm>
#include <utility>

#include "media/room/participant/track_layer.h"

namespace tactus::conference {
namespace {

using media::CallState;
using media::MediaKind;
using media::OutgoingTrack;

TrackSource sourceOf(StreamName stream, MediaKind kind) {
  if (kind == MediaKind::Audio)
    return stream == StreamName::Camera ? TrackSource::Microphone : TrackSource::ScreenAudio;
  return stream == StreamName::Camera ? TrackSource::Camera : TrackSource::Screen;
}

TrackDescription descriptionOf(StreamName stream, const OutgoingTrack& track) {
  TrackDescription description{.source = sourceOf(stream, track.kind)};
  if (track.kind == MediaKind::Audio) return description;
  description.width = static_cast<std::uint32_t>(track.width);
  description.height = static_cast<std::uint32_t>(track.height);
  description.rate = periodic::Rate::perSecond(track.picturesPerSecond);
  description.sizes = static_cast<std::uint32_t>(media::layersOf(track).size());
  return description;
}

}  // namespace

OutgoingStream::OutgoingStream(Surroundings surroundings, Room& room, MediaResources& resources,
                               periodic::Scheduler& scheduler)
    : m_with(std::move(surroundings)), m_room(room), m_resources(resources), m_scheduler(scheduler) {}

void OutgoingStream::setTracks(std::vector<OutgoingTrack> tracks) {
  m_tracks = std::move(tracks);
  m_changed = true;
  m_announced = false;
}

void OutgoingStream::follow(const SessionKey& session, const RoomView& view) {
  withdraw(view);
  const bool lives = isLive() && m_connection.call->query().state != CallState::Ended;
  if (lives && !m_changed) return;
  if (lives) m_resources.end(m_connection.path, session);
  const media::OutgoingReport before = report();
  end();
  if (!m_changed && giveUpDevice(before)) withdraw(view);
  m_changed = false;
  if (m_tracks.empty() || !open()) return;
  if (!m_announced) announce(view);
  const std::string path = "whip/" + std::string(nameOf(m_with.name));
  if (connectCall(m_connection, m_resources, path, session, m_with.note)) return;
  const media::OutgoingReport failed = report();
  end();
  (void)giveUpDevice(failed);
  m_with.again();
}

/// What is not published any more is taken back.
void OutgoingStream::withdraw(const RoomView& view) {
  for (const TrackInfo& track : view.you.tracks) {
    const TrackSource source = track.description.source;
    if (streamOf(source) != m_with.name) continue;
    const auto published = [&](const OutgoingTrack& each) {
      return sourceOf(m_with.name, each.kind) == source;
    };
    if (std::none_of(m_tracks.begin(), m_tracks.end(), published)) m_room.unpublish(track.sid);
  }
}

void OutgoingStream::announce(const RoomView& view) {
  m_announced = true;
  const auto& mine = view.you.tracks;
  for (const OutgoingTrack& track : m_tracks) {
    const TrackDescription description = descriptionOf(m_with.name, track);
    if (std::any_of(mine.begin(), mine.end(),
                    [&](const TrackInfo& each) { return each.description.source == description.source; }))
      continue;
    m_room.publish(track.cid, description, muted(track.kind));
    if (track.kind == MediaKind::Video) setWanted(media::PictureSize());  // of a new track
  }
}

bool OutgoingStream::open() {
  m_connection.listener = std::make_unique<CallEnd>([this](const std::string& why) {
    m_with.note("What is sent has ended: " + why);
    m_with.again();
  });
  auto made =
      media::OutgoingCall::create({.tracks = m_tracks,
                                   .addresses = m_with.addresses,
                                   .label = m_with.label,
                                   .preview = m_with.preview,
                                   .note = [this](const std::string& sentence) { noteOnce(sentence); }},
                                  m_scheduler, m_connection.listener.get());
  if (!made.ok()) {
    // What is captured is not there, and will not be.
    m_with.note(made.error().message);
    m_connection.end();
    m_tracks.clear();
    return false;
  }
  m_connection.call = std::move(made).value();
  m_connection.call->setWanted(m_wanted);
  m_toldSending.reset();  // the host forgets with the connection
  followMutes();
  return true;
}

/// Connections that are made anew lack the same.
void OutgoingStream::noteOnce(const std::string& sentence) {
  {
    const std::lock_guard lock(m_notedMutex);
    if (!m_noted.insert(sentence).second) return;
  }
  m_with.note(sentence);
}

bool OutgoingStream::giveUpDevice(const media::OutgoingReport& report) {
  if (!report.brokenDevice) return false;
  std::erase_if(m_tracks, [&](const OutgoingTrack& track) {
    return track.kind == *report.brokenDevice || (track.source.film && track.source.film->hasEnded());
  });
  return true;
}

void OutgoingStream::followMutes() {
  if (!isLive()) return;
  for (const auto kind : {MediaKind::Audio, MediaKind::Video}) m_connection.call->setMuted(kind, muted(kind));
}

void OutgoingStream::setWanted(std::optional<media::PictureSize> wanted) {
  m_wanted = wanted;
  if (isLive()) m_connection.call->setWanted(wanted);
}

void OutgoingStream::tellSending(periodic::TimePoint now, const RoomView& view) {
  const TrackSource source = sourceOf(m_with.name, MediaKind::Video);
  const auto& mine = view.you.tracks;
  const auto track = std::find_if(mine.begin(), mine.end(),
                                  [&](const TrackInfo& each) { return each.description.source == source; });
  if (!isLive() || track == mine.end()) return;
  const TrackDelivery& sending = m_sending.look(now, m_connection.call->query());
  // Of a new track the room takes it that all is sent.
  if (!m_toldSending || m_toldSending->track != track->sid) m_toldSending = ToldSending{track->sid, {}};
  if (!isNews(m_toldSending->sending, sending)) return;
  m_toldSending->sending = sending;
  m_room.tellSending(track->sid, sending);
}

void OutgoingStream::end() {
  if (isLive()) m_past = m_connection.call->query();
  m_connection.end();
}

media::OutgoingReport OutgoingStream::report() const {
  return isLive() ? m_connection.call->query() : m_past;
}

std::vector<periodic::TaskReport> OutgoingStream::stages() const {
  return isLive() ? m_connection.call->stages() : std::vector<periodic::TaskReport>();
}

}  // namespace tactus::conference
