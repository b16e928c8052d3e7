// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conference/carriage/feed_rates.h"
#include "conference/carriage/stream_key.h"
#include "conference/room/room_facts.h"
#include "core/periodic/result.h"
#include "media/room/event_thread.h"
#include "media/room/ingest/whip_endpoint.h"
#include "media/room/ingest/whip_ingest.h"
#include "media/room/track_feed.h"

namespace tactus::conference {

/// What the participants of a room publish by WHIP (RFC 9725): one ingest for each stream. An ingress is a
/// participant that does nothing else, and is in the room as long as its session is there.
/// Thread-safe: no: one thread (`thread`) calls it and hears of it. Real-time-safe: no.
class Publications {
 public:
  using Feeds = std::vector<media::TrackFeed*>;
  struct Hooks {
    /// A stream has these feeds from now on, until the next call for it.
    std::function<void(const StreamKey&, const Feeds&)> begun;
    /// The feeds are to be let go before it returns: they are about to end.
    std::function<void(const Feeds&)> ending;
    /// The session of an ingress has ended: by itself (Left), or because nothing came any more (Lost).
    std::function<void(const ParticipantSid&, LeaveReason)> ingressEnded;
  };

  Publications(media::EventThread& thread, std::vector<std::string> addresses, Hooks hooks);
  ~Publications();
  Publications(const Publications&) = delete;
  Publications& operator=(const Publications&) = delete;

  /// Answers a request of a participant for the path "whip/camera" or "whip/screen", or below these.
  /// Blocking, up to a second.
  [[nodiscard]] media::WhipResponse handle(const ParticipantSid& publisher, StreamName name,
                                           const media::WhipRequest& request);
  /// Answers a request for the path "whip", or below it, of an ingress: POST begins the session of
  /// `publisher`; to others, who it is says the secret name of its session. Blocking, up to a second.
  [[nodiscard]] media::WhipResponse handleIngress(const std::optional<ParticipantSid>& publisher,
                                                  const media::WhipRequest& request);
  [[nodiscard]] bool isIngress(const StreamKey& key) const;
  /// Empty: the stream is not published.
  [[nodiscard]] Feeds feedsOf(const StreamKey& key) const;
  /// Writes down what came of each feed so far.
  void measure(periodic::TimePoint now, FeedRates& rates) const;
  /// The publisher has gone.
  void forget(const ParticipantSid& publisher);

 private:
  class Listener;
  /// Of a session, by whose name it is kept.
  struct Publication {
    StreamKey key = {};
    media::WhipEndpoint* endpoint = nullptr;  // where it was published
    std::unique_ptr<Listener> listener;       // outlives the ingest
    std::unique_ptr<media::WhipIngest> ingest;
  };

  [[nodiscard]] media::WhipEndpoint::Hooks endpointHooks(media::WhipEndpoint& endpoint, StreamName name);
  [[nodiscard]] Result<std::string> publish(media::WhipEndpoint& endpoint, const StreamKey& key,
                                            const std::string& session, const media::PublishOffer& offer);
  void unpublish(std::string session, LeaveReason reason);  // a copy: it may be the key of what is erased
  void ended(const std::string& session, LeaveReason reason);

  media::EventThread& m_thread;
  const media::WhipIngest::Options m_options;
  const Hooks m_hooks;
  media::WhipEndpoint m_camera, m_screen, m_ingress;
  std::map<std::string, Publication> m_sessions;
  std::map<StreamKey, std::string> m_current;  // the session that a stream has
  // Tells work that was posted whether this still exists. shared: posted work outlives it.
  const std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
};

}  // namespace tactus::conference
