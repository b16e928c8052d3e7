// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/link/link_task.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "media/room/egress/dtls_certificate.h"
#include "media/room/egress/sender_report.h"
#include "media/room/egress/subscriber_figures.h"
#include "media/room/event_thread.h"
#include "media/room/track_feed.h"

namespace tactus::media {

class TrackFanout;
class WhepSubscriber;

/// A track for a subscriber, and what it may take of the link.
struct EgressTrack {
  TrackFeed* feed = nullptr;
  /// Absent: 128 kbit/s for sound, 2.5 Mbit/s for pictures, of which a keyframe may come at once.
  std::optional<net::ByteContract> contract = {};
  double weight = 1;  ///< among the pictures of all subscribers
};

/// Sends the tracks of a room to subscribers that ask by WHEP (draft-ietf-wish-whep): ICE by libnice, DTLS
/// and SRTP without an element or a thread for each. One thread does ICE, DTLS and RTCP of all; media is sent
/// by the thread of its feed, or by the link's. No subscriber disturbs another.
///
/// Thread-safe: yes; feeds must not call it from within their calls of consumers. Real-time-safe: no.
class WhepEgress {
 public:
  /// Why a subscriber is gone that nobody removed.
  using Gone = std::function<void(const std::string& id, const std::string& reason)>;
  struct Options {
    DtlsCertificate certificate;
    /// What is sent takes its turn there; nullptr: it is sent at once. Outlives the egress.
    net::LinkTask* link = nullptr;
    /// Own addresses, as text; empty: those of all interfaces but the loopback one.
    std::vector<std::string> addresses = {};
    /// Who is not connected by then is removed.
    periodic::Duration connectTimeout = std::chrono::seconds(10);
    /// Of whom no RTCP came for so long is removed; it comes each 5 s (RFC 3550, 6.2).
    periodic::Duration silence = std::chrono::seconds(15);
    /// Told on the egress's thread; it may call the egress.
    Gone gone = {};
  };
  /// Errors: System.
  [[nodiscard]] static Result<std::unique_ptr<WhepEgress>> start(Options options);
  /// Closes all subscribers.
  ~WhepEgress();
  WhepEgress(const WhepEgress&) = delete;
  WhepEgress& operator=(const WhepEgress&) = delete;

  struct Answer {
    std::string id;           ///< of the subscriber, unguessable: for the resource of WHEP
    std::string description;  ///< SDP with all candidates
  };
  /// Errors: those of readWhepOffer() and agree(); InvalidArgument without a track; Refused, by the link;
  /// Unavailable, there is no network.
  [[nodiscard]] Result<Answer> subscribe(const std::vector<EgressTrack>& tracks, std::string_view offer);
  /// The subscriber's track number `track` is to be of another feed of the same kind, of pictures from where
  /// it begins one that needs no other; nullptr: of none from now on. Errors: NotFound; Unsupported, the feed
  /// has another encoding.
  [[nodiscard]] Result<void> switchTo(const std::string& id, std::size_t track, TrackFeed* feed);
  /// Errors: NotFound.
  [[nodiscard]] Result<void> remove(const std::string& id);
  /// The feed is used no more when it returns: to be called before the feed goes.
  void forget(TrackFeed& feed);
  /// The line to the subscriber is believed to carry this much, until its reports say otherwise. Errors:
  /// NotFound.
  [[nodiscard]] Result<void> tryRate(const std::string& id, net::BitRate rate);
  /// Finds out whether the line to the subscriber carries this rate: for 150 ms packets are repeated so that
  /// all that is sent to it has that rate. The result is one of its figures, a few tenths of a second later.
  /// Errors: NotFound.
  [[nodiscard]] Result<void> probe(const std::string& id, net::BitRate rate);
  /// Errors: NotFound.
  [[nodiscard]] Result<SubscriberFigures> figures(const std::string& id);
  [[nodiscard]] std::size_t subscribers();

 private:
  explicit WhepEgress(Options options);
  [[nodiscard]] Result<Answer> subscribeHere(const std::vector<EgressTrack>& tracks, std::string_view offer);
  [[nodiscard]] std::shared_ptr<TrackFanout> fanoutOf(TrackFeed& feed);
  /// Runs `work` with the subscriber on the egress's thread. Errors: NotFound.
  [[nodiscard]] Result<void> withSubscriber(const std::string& id,
                                            const std::function<void(WhepSubscriber&)>& work);
  void over(const std::string& id, const std::string& reason);

  const Options m_options;
  const NtpClock m_ntp;
  // The rest belongs to the egress's thread.
  std::uint64_t m_serial = 0;  // of subscribers, for their names on the link
  // Shared by the legs of a feed: the last of them ends it.
  std::map<TrackFeed*, std::weak_ptr<TrackFanout>> m_fanouts;
  std::map<std::string, std::unique_ptr<WhepSubscriber>> m_subscribers;
  EventThread m_thread;  // declared last: it goes first
};

}  // namespace tactus::media
