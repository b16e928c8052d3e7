// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conference/carriage/publications.h"
#include "conference/carriage/stream_key.h"
#include "conference/carriage/subscriptions.h"
#include "conference/door/routes.h"
#include "conference/room/hosted_room.h"
#include "core/net/link/link_task.h"
#include "core/periodic/result.h"
#include "media/room/egress/whep_egress.h"
#include "media/room/event_thread.h"

namespace tactus::conference {

/// The media of a room that a program hosts: what its participants publish by WHIP and receive by WHEP.
/// Packets are forwarded as they come; nothing is decoded. Under the token of the link
///
///     POST whip/camera, whip/screen                 publishes (camera and microphone; screen and its sound)
///     POST whep/PARTICIPANT/camera, .../screen      receives another participant's
///     DELETE of what these named as Location        ends it
///
/// each with the session of the room as bearer token, which says who asks; and without a session
///
///     POST whip                                     publishes as a participant of its own: an ingress
///
/// which is in the room until what Location names is deleted, or its connection ends.
///
/// Threads: "tactus-room" (one; ordinary) does all of this but the packets themselves (media/DESIGN.md). The
/// routes' handlers, on the door's thread, only leave work to it.
class RoomMedia {
 public:
  struct Options {
    /// What is sent takes its turn there; nullptr: it is sent at once. Outlives the media.
    net::LinkTask* link = nullptr;
    /// Own addresses, as text; empty: those of all interfaces but the loopback one.
    std::vector<std::string> addresses = {};
  };
  /// What the media ask of the room. Called on the door's thread.
  struct Room {
    /// Whose session a bearer token is.
    std::function<std::optional<ParticipantSid>(std::string_view bearer)> whoOf = {};
    /// As HostedRoom::beginIngress(), now; the room's news of it are taken before this returns.
    std::function<std::variant<ParticipantSid, server::Refused>(
        std::string_view token, const std::string& name, const std::vector<TrackSource>& sources)>
        beginIngress = {};
  };
  struct EndedIngress {
    ParticipantSid sid = {};
    LeaveReason reason = LeaveReason::Left;
  };

  /// Errors: System. Blocking, up to a second: the first of a process loads plugins.
  [[nodiscard]] static Result<std::unique_ptr<RoomMedia>> start(const Options& options);
  /// Ends all connections. Blocking. The door has closed before.
  ~RoomMedia();
  RoomMedia(const RoomMedia&) = delete;
  RoomMedia& operator=(const RoomMedia&) = delete;

  /// The resources of above. Thread-safe: yes. Real-time-safe: no.
  void addTo(Routes& routes, const Room& room);
  /// What changed in the room. Thread-safe: yes. Real-time-safe: no.
  void take(const RoomNews& news);
  /// How pictures reach each receiver now, for HostedRoom::deliver(). Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] std::vector<PictureDelivery> deliveries();
  /// The ingresses that ended since the last call; the room is to end them as well. Thread-safe: yes.
  /// Real-time-safe: no.
  [[nodiscard]] std::vector<EndedIngress> takeEndedIngresses();

 private:
  struct Published {
    StreamKey key = {};
    TrackKind kind = TrackKind::Video;
  };
  using Handler = DoorAnswer (RoomMedia::*)(const ParticipantSid& who, const DoorRequest& request);

  RoomMedia() = default;
  Result<void> open(const Options& options);
  [[nodiscard]] RouteHandler answeredBy(Handler handler, const Room& room);
  void answerIngress(const DoorRequest& request, const Reply& reply);
  void beginIngress(const Room& room, const DoorRequest& request, const Reply& reply);
  void noteEnd(const ParticipantSid& ingress, LeaveReason reason);
  [[nodiscard]] DoorAnswer publish(const ParticipantSid& who, const DoorRequest& request);
  [[nodiscard]] DoorAnswer subscribe(const ParticipantSid& who, const DoorRequest& request);
  [[nodiscard]] DoorAnswer unsubscribe(const ParticipantSid& who, const DoorRequest& request);
  void on(const server::ParticipantLeft& left);
  void on(const server::TrackPublished& published);
  void on(const server::TrackMuted& muted);
  void on(const SettingChanged& changed);
  void on(const SendingChanged& changed);
  void divideLines();

  std::mutex m_mutex;
  std::vector<EndedIngress> m_endedIngresses;  // guarded by m_mutex, as is the next
  std::vector<PictureDelivery> m_deliveries;   // as the last look found them

  // The rest belongs to the thread "tactus-room", which is declared last: it ends first.
  std::unique_ptr<media::WhepEgress> m_egress;
  std::unique_ptr<Subscriptions> m_subscriptions;
  std::unique_ptr<Publications> m_publications;
  std::map<TrackSid, Published> m_published;
  FeedRates m_rates;
  media::RepeatedEvent m_look;
  media::EventThread m_thread{"tactus-room"};
};

}  // namespace tactus::conference
