// SPDX-License-Identifier: Apache-2.0
#include "conference/incoming_streams.h"

#include <array>
#include <utility>

namespace tactus::conference {
namespace {

using periodic::MonotonicClock;

/// After it people are told that a stream was announced and has not begun.
constexpr periodic::Duration kPatience = std::chrono::seconds(5);

std::string labelOf(const StreamKey& key, const PublishedStream& stream) {
  return key.name == StreamName::Screen ? stream.participant + " (screen)" : stream.participant;
}

/// The larger of two sizes if a place needs it; 0 x 0: there is no choice.
media::PictureSize halvedFor(media::PictureSize place, media::PictureSize larger) {
  const std::array sizes{larger, media::halfOf(larger)};
  const bool needed = place == media::PictureSize() || media::layerFor(place, sizes) == 0;
  return needed ? larger : media::PictureSize();
}

}  // namespace

void IncomingStreams::follow(const SessionKey& session, const RoomView& view) {
  auto wanted = streamsOf(view);
  m_told.follow(view);
  std::erase_if(m_refused, [&](const auto& each) {
    const auto found = wanted.find(each.first);
    return found == wanted.end() || found->second.tracks != each.second.tracks;
  });
  for (Received& each : m_received) {
    if (!each.present) continue;
    const auto found = wanted.find(each.key);
    const bool same = found != wanted.end() && found->second.kinds == each.wanted;
    const bool dead = each.connection.call && each.connection.call->query().state == media::CallState::Ended;
    if (same && !dead && each.connection.call) {
      wanted.erase(found);
    } else {
      if (each.connection.call && !dead) m_resources.end(each.connection.path, session);
      letGo(each);
    }
  }
  for (const auto& [key, stream] : wanted)
    if (mayAsk(key, stream)) subscribe(session, key, stream);
  applyDeliveries();
}

bool IncomingStreams::mayAsk(const StreamKey& key, const PublishedStream& stream) {
  const auto refused = m_refused.find(key);
  if (refused == m_refused.end()) return true;
  const auto now = MonotonicClock::now();
  if (!refused->second.told && refused->second.pause.waited(now) >= kPatience) {
    refused->second.told = true;
    m_with.note(labelOf(key, stream) + " has not begun to send.");
  }
  if (const auto left = refused->second.pause.left(now); left > periodic::Duration{0}) {
    m_with.again(left);
    return false;
  }
  return true;
}

void IncomingStreams::subscribe(const SessionKey& session, const StreamKey& key,
                                const PublishedStream& stream) {
  const std::string& name = stream.participant;
  Received received{key, stream.kinds, name, true, std::make_shared<media::HeadlessPictures>(), {}, {}};
  std::shared_ptr<plugins::VideoTarget> target = received.pictures;
  if (m_with.target) target = m_with.target(key);
  received.connection.listener = std::make_unique<CallEnd>([this, name](const std::string& why) {
    m_with.note("What comes from " + name + " has ended: " + why);
    m_with.again(RetryPause::kFirst);
  });
  const std::string label = labelOf(key, stream);
  media::IncomingCall::Options options{
      .sound = stream.kinds.sound, .addresses = m_with.addresses, .label = label, .target = target};
  options.soundDevice = m_with.soundDevice;
  options.smaller = [this, key](bool smaller) { m_with.smaller(key, smaller); };
  if (!stream.kinds.pictures) options.encodings.clear();
  auto made = media::IncomingCall::create(options, m_scheduler, received.connection.listener.get());
  if (!made.ok()) return m_with.note(made.error().message);
  received.connection.call = std::move(made).value();
  bool toldWhy = false;
  const auto note = [&](const std::string& sentence) {
    toldWhy = true;
    m_with.note(sentence);
  };
  if (!connectCall(received.connection, m_resources, "whep/" + key.path(), session, note))
    return refuse(key, stream, toldWhy);
  m_refused.erase(key);
  m_windows.add(key, *received.connection.call, label);
  m_with.changed();
  m_received.push_back(std::move(received));
}

void IncomingStreams::refuse(const StreamKey& key, const PublishedStream& stream, bool toldWhy) {
  const auto now = MonotonicClock::now();
  Refused& refused = m_refused[key];
  refused.tracks = stream.tracks;
  refused.pause.refused(now);
  refused.told = refused.told || toldWhy;
  m_with.again(refused.pause.left(now));
}

void IncomingStreams::expect(const RoomView& view, const TrackSettings& settings) {
  const auto streams = streamsOf(view);
  for (const Received& each : m_received) {
    if (!each.present || !each.connection.call) continue;
    const auto found = streams.find(each.key);
    if (found == streams.end()) continue;
    each.connection.call->setPicturesExpected(!found->second.picturesMuted && settings.wants(each.key));
    each.connection.call->setHalved(halvedFor(settings.placeOf(each.key), found->second.halved));
  }
}

void IncomingStreams::tell(const RoomView& view, const TrackSid& sid, const TrackDelivery& delivery) {
  m_told.tell(view, sid, delivery);
  applyDeliveries();
}

void IncomingStreams::forgetDeliveries() {
  m_told.forget();
  applyDeliveries();
}

void IncomingStreams::applyDeliveries() {
  for (const Received& each : m_received)
    if (each.present && each.connection.call) each.connection.call->setDelivery(m_told.of(each.key));
}

/// It is not received any more; its figures stay.
void IncomingStreams::letGo(Received& received) {
  if (received.connection.call) received.last = reportOf(received);
  received.last.present = received.present = false;
  m_windows.remove(received.key);
  received.connection.end();
  m_with.smaller(received.key, false);
}

void IncomingStreams::end() {
  for (Received& each : m_received)
    if (each.present) letGo(each);
}

ReceivedStream IncomingStreams::reportOf(const Received& received) const {
  if (!received.connection.call) return received.last;
  return {received.participant,
          received.key.name,
          received.present,
          received.connection.call->query(),
          received.pictures->figures(),
          received.connection.call->stages(),
          m_windows.state(received.key)};
}

std::vector<ReceivedStream> IncomingStreams::report() const {
  std::vector<ReceivedStream> all;
  for (const Received& each : m_received) all.push_back(reportOf(each));
  return all;
}

}  // namespace tactus::conference
