// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/publications.h"

#include <utility>

namespace tactus::conference {
namespace {

constexpr const char* kWhip = "whip";

std::string pathOf(StreamName name) {
  return std::string(kWhip) + "/" + std::string(nameOf(name));
}

LeaveReason reasonOf(media::IngestEnd end) {
  return end == media::IngestEnd::PeerLeft || end == media::IngestEnd::Stopped ? LeaveReason::Left
                                                                               : LeaveReason::Lost;
}

}  // namespace

/// Hears of an ingest on its thread, and tells ours of the end.
class Publications::Listener final : public media::IngestListener {
 public:
  Listener(Publications& owner, std::string session)
      : m_owner(owner), m_alive(owner.m_alive), m_thread(owner.m_thread), m_session(std::move(session)) {}
  void onIngest(const media::IngestReport& report) override {
    if (report.state != media::IngestState::Ended) return;
    m_thread.post([&owner = m_owner, alive = m_alive, session = m_session, reason = reasonOf(report.end)] {
      if (*alive) owner.ended(session, reason);
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
      m_camera(pathOf(StreamName::Camera), endpointHooks(m_camera, StreamName::Camera)),
      m_screen(pathOf(StreamName::Screen), endpointHooks(m_screen, StreamName::Screen)),
      m_ingress(kWhip, endpointHooks(m_ingress, StreamName::Camera)) {}

Publications::~Publications() {
  *m_alive = false;
  while (!m_sessions.empty()) unpublish(m_sessions.begin()->first, LeaveReason::Left);
}

media::WhipEndpoint::Hooks Publications::endpointHooks(media::WhipEndpoint& endpoint, StreamName name) {
  media::WhipEndpoint::Hooks hooks;
  hooks.publish = [this, &endpoint, name](const std::string& publisher, const std::string& session,
                                          const media::PublishOffer& offer) {
    return publish(endpoint, {*ParticipantSid::parse(publisher), name}, session, offer);
  };
  hooks.unpublish = [this](const std::string& session) { unpublish(session, LeaveReason::Left); };
  hooks.newSession = [] { return media::randomSessionName(); };
  return hooks;
}

media::WhipResponse Publications::handle(const ParticipantSid& publisher, StreamName name,
                                         const media::WhipRequest& request) {
  return (name == StreamName::Camera ? m_camera : m_screen).handle(request, publisher.text());
}

media::WhipResponse Publications::handleIngress(const std::optional<ParticipantSid>& publisher,
                                                const media::WhipRequest& request) {
  if (publisher) return m_ingress.handle(request, publisher->text());
  const auto slash = request.path.find('/');
  const auto found =
      m_sessions.find(slash == std::string::npos ? std::string() : request.path.substr(slash + 1));
  return m_ingress.handle(request,
                          found == m_sessions.end() ? std::string() : found->second.key.publisher.text());
}

bool Publications::isIngress(const StreamKey& key) const {
  const auto current = m_current.find(key);
  return current != m_current.end() && m_sessions.at(current->second).endpoint == &m_ingress;
}

Result<std::string> Publications::publish(media::WhipEndpoint& endpoint, const StreamKey& key,
                                          const std::string& session, const media::PublishOffer& offer) {
  auto listener = std::make_unique<Listener>(*this, session);
  auto ingest = media::WhipIngest::create(offer, m_options, listener.get());
  if (!ingest.ok()) return ingest.error();
  std::string answer = ingest.value()->answer();
  m_sessions.emplace(session, Publication{key, &endpoint, std::move(listener), std::move(ingest).value()});
  m_current[key] = session;
  m_hooks.begun(key, feedsOf(key));
  return answer;
}

void Publications::unpublish(std::string session, LeaveReason reason) {
  const auto found = m_sessions.find(session);
  if (found == m_sessions.end()) return;
  Publication publication = std::move(found->second);
  m_sessions.erase(found);
  if (const auto current = m_current.find(publication.key);
      current != m_current.end() && current->second == session)
    m_current.erase(current);
  m_hooks.ending(publication.ingest->feeds());
  publication.ingest.reset();  // stops; its listener hears no more afterwards
  if (publication.endpoint == &m_ingress) m_hooks.ingressEnded(publication.key.publisher, reason);
}

/// By itself: the publisher has left, or its network.
void Publications::ended(const std::string& session, LeaveReason reason) {
  const auto found = m_sessions.find(session);
  if (found == m_sessions.end()) return;
  found->second.endpoint->forget(session);
  unpublish(session, reason);
}

Publications::Feeds Publications::feedsOf(const StreamKey& key) const {
  const auto current = m_current.find(key);
  return current == m_current.end() ? Feeds() : m_sessions.at(current->second).ingest->feeds();
}

void Publications::measure(periodic::TimePoint now, FeedRates& rates) const {
  for (const auto& [session, publication] : m_sessions) {
    const auto report = publication.ingest->query();
    const auto& feeds = publication.ingest->feeds();
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const auto& came = report.tracks[i];
      rates.update(now, *feeds[i], {came.bytes, came.packets, came.lost});
    }
  }
}

void Publications::forget(const ParticipantSid& publisher) {
  for (const StreamName name : {StreamName::Camera, StreamName::Screen}) {
    const auto current = m_current.find({publisher, name});
    if (current != m_current.end()) ended(std::string(current->second), LeaveReason::Left);
  }
}

}  // namespace tactus::conference
