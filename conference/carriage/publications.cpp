// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/publications.h"

#include <utility>

namespace tactus::conference {

/// Hears of an ingest on its thread, and tells ours of the end.
class Publications::Listener final : public media::IngestListener {
 public:
  Listener(Publications& owner, std::string session)
      : m_owner(owner), m_alive(owner.m_alive), m_thread(owner.m_thread), m_session(std::move(session)) {}
  void onIngest(const media::IngestReport& report) override {
    if (report.state != media::IngestState::Ended) return;
    m_thread.post([&owner = m_owner, alive = m_alive, session = m_session] {
      if (*alive) owner.ended(session);
    });
  }

 private:
  Publications& m_owner;
  const std::shared_ptr<bool> m_alive;  // as the owner's
  media::EventThread& m_thread;
  const std::string m_session;
};

Publications::Publications(media::EventThread& thread, std::vector<std::string> addresses, Hooks hooks)
    : m_thread(thread),
      m_options{.addresses = std::move(addresses)},
      m_hooks(std::move(hooks)),
      m_camera("whip/" + std::string(nameOf(StreamName::Camera)), endpointHooks(StreamName::Camera)),
      m_screen("whip/" + std::string(nameOf(StreamName::Screen)), endpointHooks(StreamName::Screen)) {}

Publications::~Publications() {
  *m_alive = false;
  while (!m_sessions.empty()) unpublish(m_sessions.begin()->first);
}

media::WhipEndpoint::Hooks Publications::endpointHooks(StreamName name) {
  media::WhipEndpoint::Hooks hooks;
  // Who asks was found by the bearer's session before.
  hooks.publisherOf = [this](std::string_view) {
    return m_asking ? std::optional(m_asking->text()) : std::nullopt;
  };
  hooks.publish = [this, name](const std::string&, const std::string& session,
                               const media::PublishOffer& offer) {
    return publish({*m_asking, name}, session, offer);
  };
  hooks.unpublish = [this](const std::string& session) { unpublish(session); };
  hooks.newSession = [] { return media::randomSessionName(); };
  return hooks;
}

media::WhipResponse Publications::handle(const ParticipantSid& publisher, StreamName name,
                                         const media::WhipRequest& request) {
  m_asking = publisher;
  auto response = (name == StreamName::Camera ? m_camera : m_screen).handle(request);
  m_asking.reset();
  return response;
}

Result<std::string> Publications::publish(const StreamKey& key, const std::string& session,
                                          const media::PublishOffer& offer) {
  auto listener = std::make_unique<Listener>(*this, session);
  auto ingest = media::WhipIngest::create(offer, m_options, listener.get());
  if (!ingest.ok()) return ingest.error();
  std::string answer = ingest.value()->answer();
  m_sessions.emplace(session, Publication{key, std::move(listener), std::move(ingest).value()});
  m_current[key] = session;
  m_hooks.begun(key, feedsOf(key));
  return answer;
}

void Publications::unpublish(std::string session) {
  const auto found = m_sessions.find(session);
  if (found == m_sessions.end()) return;
  Publication publication = std::move(found->second);
  m_sessions.erase(found);
  if (const auto current = m_current.find(publication.key);
      current != m_current.end() && current->second == session)
    m_current.erase(current);
  m_hooks.ending(publication.ingest->feeds());
  publication.ingest.reset();  // stops; its listener hears no more afterwards
}

/// By itself: the publisher has left, or its network.
void Publications::ended(const std::string& session) {
  m_camera.forget(session);
  m_screen.forget(session);
  unpublish(session);
}

Publications::Feeds Publications::feedsOf(const StreamKey& key) const {
  const auto current = m_current.find(key);
  return current == m_current.end() ? Feeds() : m_sessions.at(current->second).ingest->feeds();
}

void Publications::forget(const ParticipantSid& publisher) {
  for (const StreamName name : {StreamName::Camera, StreamName::Screen}) {
    const auto current = m_current.find({publisher, name});
    if (current != m_current.end()) ended(std::string(current->second));
  }
}

}  // namespace tactus::conference
