// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nice/agent.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/room/egress/dtls_handshake.h"
#include "media/room/egress/egress_channel.h"
#include "media/room/egress/subscriber_figures.h"
#include "media/room/egress/track_fanout.h"
#include "media/room/egress/whep_answer.h"
#include "media/room/egress/whep_egress.h"
#include "media/room/egress/whep_offer.h"
#include "media/room/event_thread.h"

namespace tactus::media {

/// One subscriber: its ICE agent, its encryption and its legs. Everything happens on the egress's thread, but
/// what the legs do. Thread-safe: no (that thread). Real-time-safe: no.
class WhepSubscriber {
 public:
  /// A track as it was agreed, with what carries it.
  struct Leg {
    AgreedTrack track;
    TrackFormat format;
    std::unique_ptr<EgressFlow> flow;
    std::shared_ptr<TrackFanout> source;  // shared with other subscribers' legs
  };
  /// What the egress gives; all of it outlives the subscriber.
  struct Surroundings {
    GMainContext* context = nullptr;
    const WhepEgress::Options* options = nullptr;
    const NtpClock* ntp = nullptr;
  };
  /// Told at most once why the subscriber is to be removed; not from within the constructor. The subscriber
  /// must stay until the call has returned.
  using Over = std::function<void(const std::string& reason)>;

  /// Errors: System; Unavailable, without a network.
  [[nodiscard]] static Result<std::unique_ptr<WhepSubscriber>> create(const Surroundings& surroundings,
                                                                      const WhepOffer& offer,
                                                                      std::vector<Leg> legs, Over over);
  ~WhepSubscriber();
  WhepSubscriber(const WhepSubscriber&) = delete;
  WhepSubscriber& operator=(const WhepSubscriber&) = delete;

  /// With the candidates of all addresses.
  [[nodiscard]] std::string answer(const WhepOffer& offer, const std::string& name) const;
  [[nodiscard]] std::size_t tracks() const noexcept { return m_legs.size(); }
  [[nodiscard]] const TrackFormat& format(std::size_t track) const { return m_legs[track].format; }
  /// nullptr: nothing is sent until the next. Pictures go on as they are until the source begins one that
  /// needs no other.
  void switchTo(std::size_t track, std::shared_ptr<TrackFanout> source);
  /// Its legs leave the feed.
  void forget(const TrackFeed& feed);
  void tryRate(net::BitRate rate) { m_channel.tryRate(rate, periodic::MonotonicClock::now()); }
  /// Finds out whether the line carries this rate (LineProbe); the result is one of the figures.
  void probe(net::BitRate rate);
  [[nodiscard]] SubscriberFigures figures() const;

 private:
  struct Track {
    AgreedTrack agreed;
    TrackFormat format;
    std::unique_ptr<EgressLeg> leg;
    std::shared_ptr<TrackFanout> source;     // as Leg::source
    std::shared_ptr<TrackFanout> next = {};  // that takes over from it; null: none
    SubscriberFigures::Track figures = {};
  };
  struct FreeAgent {
    void operator()(NiceAgent* agent) const noexcept { g_object_unref(agent); }
  };
  using Bytes = std::span<const std::byte>;

  WhepSubscriber(const Surroundings& surroundings, std::vector<Leg> legs, Over over);
  [[nodiscard]] Result<void> prepare(const WhepOffer& offer);
  [[nodiscard]] Result<void> gather();
  void take(const WhepOffer& offer);
  static void received(NiceAgent*, guint, guint, guint bytes, gchar* data, gpointer self);
  static void pairSelected(NiceAgent*, guint, guint, NiceCandidate*, NiceCandidate*, gpointer self);
  void sendHandshake(Bytes datagram);
  void lookAtHandshake();
  void openMedia();
  void choosePath();
  void receiveRtcp(std::span<std::byte> packet);
  void act(const RtcpFeedback& feedback);
  void requestKeyframe(Track& track);
  /// Where the next source has taken over, the one before is left.
  static void settle(Track& track);
  static void dropNext(Track& track);
  [[nodiscard]] Track* trackOf(std::uint32_t ssrc);
  void lookAtPictures();
  void repeatForProbe();
  void sendReports();
  void finish(const std::string& reason);

  const Surroundings m_surroundings;
  Over m_over;
  EgressChannel m_channel;
  std::vector<Track> m_legs;
  std::unique_ptr<NiceAgent, FreeAgent> m_agent;
  guint m_stream = 0;
  bool m_active = false;  // we begin the handshake
  std::unique_ptr<DtlsHandshake> m_handshake;
  std::vector<std::vector<std::byte>> m_held;  // of the handshake: no pair is selected yet
  std::optional<SrtpSession> m_receiving;
  periodic::TimePoint m_heard{};  // of authenticated RTCP
  SubscriberFigures m_figures;    // without those of legs and channel
  RepeatedEvent m_handshakeTimer, m_connectTimer, m_reportTimer, m_probeTimer;
};

}  // namespace tactus::media
