// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conference/carriage/stream_key.h"
#include "core/periodic/result.h"
#include "media/room/egress/whep_egress.h"
#include "media/room/track_feed.h"

namespace tactus::conference {

/// Who receives which stream of a room by WHEP, and what of it: a track that its receiver has switched off,
/// or that is not published at the moment, has no feed. Thread-safe: no (one thread). Real-time-safe: no.
class Subscriptions {
 public:
  using Feeds = std::vector<media::TrackFeed*>;
  /// `egress` outlives it.
  explicit Subscriptions(media::WhepEgress& egress) : m_egress(egress) {}

  /// Errors: NotFound: the stream has no feed now; those of WhepEgress::subscribe().
  [[nodiscard]] Result<media::WhepEgress::Answer> subscribe(const ParticipantSid& receiver,
                                                            const StreamKey& key, const Feeds& feeds,
                                                            std::string_view offer);
  /// Errors: NotFound: the receiver has no subscription of this name.
  [[nodiscard]] Result<void> unsubscribe(const ParticipantSid& receiver, const std::string& id);
  /// The stream has these feeds from now on: whoever receives it goes on with them.
  void follow(const StreamKey& key, const Feeds& feeds);
  /// Before these feeds end.
  void letGo(const Feeds& feeds);
  /// Whether `receiver` wants the tracks of this kind of a stream, now and when it subscribes later.
  void setEnabled(const ParticipantSid& receiver, const StreamKey& key, media::MediaKind kind, bool enabled);
  /// Whether nobody is sent the tracks of this kind of a stream: those of a publisher that cannot be told to
  /// be silent.
  void setMuted(const StreamKey& key, media::MediaKind kind, bool muted);
  /// The subscription has ended by itself.
  void ended(const std::string& id) { m_subscriptions.erase(id); }
  /// The participant has gone: nothing of it is sent, and nothing to it.
  void forget(const ParticipantSid& participant);

 private:
  struct Track {
    media::MediaKind kind = media::MediaKind::Video;
    media::TrackFeed* feed = nullptr;  // nullptr: not published
  };
  struct Subscription {
    ParticipantSid receiver = {};
    StreamKey key = {};
    std::vector<Track> tracks = {};
  };
  struct Disabled {
    ParticipantSid receiver = {};
    StreamKey key = {};
    media::MediaKind kind = media::MediaKind::Video;
    friend auto operator<=>(const Disabled&, const Disabled&) = default;
  };
  struct Muted {
    StreamKey key = {};
    media::MediaKind kind = media::MediaKind::Video;
    friend auto operator<=>(const Muted&, const Muted&) = default;
  };
  [[nodiscard]] bool isSent(const Subscription& subscription, media::MediaKind kind) const;
  void apply(const std::string& id, const Subscription& subscription, std::size_t track);

  media::WhepEgress& m_egress;
  std::map<std::string, Subscription> m_subscriptions;  // by the egress's names
  std::set<Disabled> m_disabled;
  std::set<Muted> m_muted;
};

}  // namespace tactus::conference
