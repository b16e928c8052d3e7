// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conference/carriage/delivery.h"
#include "conference/carriage/feed_rates.h"
#include "conference/carriage/line_share.h"
#include "conference/carriage/receiver_line.h"
#include "conference/carriage/stream_key.h"
#include "conference/room/picture_delivery.h"
#include "core/periodic/result.h"
#include "media/room/egress/whep_egress.h"
#include "media/room/picture_size.h"
#include "media/room/track_feed.h"

namespace tactus::conference {

/// Who receives which stream of a room by WHEP, and what of it: a track that its receiver has switched off,
/// or that is not published at the moment, has no feed. Of pictures in two sizes each receiver is sent the
/// one that its place and its line allow (ReceiverLine). Thread-safe: no (one thread). Real-time-safe: no.
class Subscriptions {
 public:
  using Feeds = std::vector<media::TrackFeed*>;
  /// How a receiver wants the tracks of one kind of a stream.
  struct Wish {
    bool enabled = true;
    media::PictureSize place = {};  ///< in which pictures are shown; 0 x 0: as they are
    TrackPriority priority = TrackPriority::Normal;
  };
  /// `egress` outlives it.
  explicit Subscriptions(media::WhepEgress& egress) : m_egress(egress) {}

  /// Errors: NotFound: the stream has no feed now; those of WhepEgress::subscribe().
  [[nodiscard]] Result<media::WhepEgress::Answer> subscribe(const ParticipantSid& receiver,
                                                            const StreamKey& key, const Feeds& feeds,
                                                            std::string_view offer);
  /// Errors: NotFound: the receiver has no subscription of this name.
  [[nodiscard]] Result<void> unsubscribe(const ParticipantSid& receiver, const std::string& id);
  /// The stream has these feeds from now on, of pictures the largest first: whoever receives it goes on with
  /// them.
  void follow(const StreamKey& key, const Feeds& feeds);
  /// Before these feeds end.
  void letGo(const Feeds& feeds);
  /// How `receiver` wants the tracks of this kind of a stream, now and when it subscribes later.
  void setWish(const ParticipantSid& receiver, const StreamKey& key, media::MediaKind kind, const Wish& wish);
  /// Whether nobody is sent the tracks of this kind of a stream: those of a publisher that cannot be told to
  /// be silent.
  void setMuted(const StreamKey& key, media::MediaKind kind, bool muted);
  /// Whether the publisher has muted its tracks of this kind, so that nothing comes of them.
  void setSilent(const StreamKey& key, media::MediaKind kind, bool silent);
  /// What a stream's publisher says of the pictures that it sends, until these feeds of it go.
  void setSending(const StreamKey& key, const TrackDelivery& sending) { m_sending[key] = sending; }
  /// How large a stream's pictures are.
  void setSize(const StreamKey& key, media::PictureSize size) { m_sizes[key] = size; }
  /// Divides what the line to each receiver carries, and judges each delivery; each half second.
  void look(periodic::TimePoint now, const FeedRates& rates);
  /// How pictures reach each receiver, as the last looks found it.
  [[nodiscard]] std::vector<PictureDelivery> deliveries() const;
  /// The subscription has ended by itself.
  void ended(const std::string& id) { m_subscriptions.erase(id); }
  /// The participant has gone: nothing of it is sent, and nothing to it.
  void forget(const ParticipantSid& participant);

 private:
  struct Track {
    media::MediaKind kind = media::MediaKind::Video;
    Feeds layers = {};                 // empty: not published
    media::TrackFeed* sent = nullptr;  // of these
  };
  struct Subscription {
    ParticipantSid receiver = {};
    StreamKey key = {};
    std::vector<Track> tracks = {};
    std::size_t allowed =
        0;  // the largest layer of pictures for which its line has room; none beyond the last
    std::uint64_t number = 0;      // of all subscriptions
    SteadyDelivery delivery = {};  // of its pictures, if it has any
  };
  struct Wished {
    ParticipantSid receiver = {};
    StreamKey key = {};
    media::MediaKind kind = media::MediaKind::Video;
    friend auto operator<=>(const Wished&, const Wished&) = default;
  };
  struct Muted {
    StreamKey key = {};
    media::MediaKind kind = media::MediaKind::Video;
    friend auto operator<=>(const Muted&, const Muted&) = default;
  };
  using Ids = std::vector<std::string>;

  [[nodiscard]] Wish wishOf(const Subscription& subscription, media::MediaKind kind) const;
  [[nodiscard]] bool isSent(const Subscription& subscription, media::MediaKind kind) const;
  [[nodiscard]] std::size_t wantedLayer(const Subscription& subscription, const Track& track) const;
  [[nodiscard]] media::TrackFeed* feedFor(const Subscription& subscription, const Track& track) const;
  [[nodiscard]] PictureDemand demandOf(const Subscription& subscription, const Track& track,
                                       const FeedRates& rates) const;
  [[nodiscard]] ReceiverLine::Connection connectionOf(const std::string& id, const Subscription& subscription,
                                                      const FeedRates& rates) const;
  void divide(periodic::TimePoint now, ReceiverLine& line, const Ids& ids, const FeedRates& rates);
  void judge(periodic::TimePoint now, const Ids& ids, const FeedRates& rates);
  [[nodiscard]] DeliverySigns signsOf(const Subscription& subscription, std::size_t index,
                                      const FeedRates& rates, const media::SubscriberFigures& figures) const;
  void applyAll(const StreamKey& key, media::MediaKind kind, const ParticipantSid* receiver);
  void apply(const std::string& id, Subscription& subscription, std::size_t track);

  media::WhepEgress& m_egress;
  std::map<std::string, Subscription> m_subscriptions;  // by the egress's names
  std::map<Wished, Wish> m_wishes;
  std::set<Muted> m_muted, m_silent;
  std::map<StreamKey, TrackDelivery> m_sending;
  std::map<StreamKey, media::PictureSize> m_sizes;
  std::set<const media::TrackFeed*> m_resting;     // as the last look saw it
  std::map<ParticipantSid, ReceiverLine> m_lines;  // by receiver
  std::uint64_t m_made = 0;                        // subscriptions
};

}  // namespace tactus::conference
