// SPDX-License-Identifier: Apache-2.0
#include "conference/incoming_streams.h"

#include <utility>

namespace tactus::conference {

void IncomingStreams::follow(const SessionKey& session, const RoomView& view) {
  auto wanted = streamsOf(view);
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
  for (const auto& [key, stream] : wanted) subscribe(session, key, stream);
}

void IncomingStreams::subscribe(const SessionKey& session, const StreamKey& key,
                                const PublishedStream& stream) {
  const std::string& name = stream.participant;
  Received received{key, stream.kinds, name, true, std::make_shared<media::HeadlessPictures>(), {}, {}};
  std::shared_ptr<plugins::VideoTarget> target = received.pictures;
  if (m_with.target) target = m_with.target(key);
  received.connection.listener = std::make_unique<CallEnd>([this, name](const std::string& why) {
    m_with.note("What comes from " + name + " has ended: " + why);
    m_with.again();
  });
  const std::string label = key.name == StreamName::Screen ? name + " (screen)" : name;
  media::IncomingCall::Options options{
      .sound = stream.kinds.sound, .addresses = m_with.addresses, .label = label, .target = target};
  options.soundDevice = m_with.soundDevice;
  if (!stream.kinds.pictures) options.encodings.clear();
  auto made = media::IncomingCall::create(options, m_scheduler, received.connection.listener.get());
  if (!made.ok()) return m_with.note(made.error().message);
  received.connection.call = std::move(made).value();
  if (!connectCall(received.connection, m_resources, "whep/" + key.path(), session, m_with.note))
    return m_with.again();
  m_windows.add(key, *received.connection.call, label);
  m_with.changed();
  m_received.push_back(std::move(received));
}

/// It is not received any more; its figures stay.
void IncomingStreams::letGo(Received& received) {
  if (received.connection.call) received.last = reportOf(received);
  received.last.present = received.present = false;
  m_windows.remove(received.key);
  received.connection.end();
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
