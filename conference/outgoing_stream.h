// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conference/call_connection.h"
#include "conference/carriage/stream_key.h"
#include "conference/media_resources.h"
#include "conference/room/room.h"
#include "conference/sending_watch.h"
#include "core/periodic/task/scheduler.h"
#include "media/room/participant/outgoing_call.h"
#include "media/room/picture_size.h"

namespace tactus::conference {

/// A stream that a participant publishes: its tracks are told to the room, and sent by WHIP over a connection
/// that is made anew when it ends. A device that does not work is given up, and the rest goes on. For one
/// thread.
class OutgoingStream {
 public:
  struct Surroundings {
    StreamName name = StreamName::Camera;
    std::string label = {};                   ///< of its tasks
    std::vector<std::string> addresses = {};  ///< as of OutgoingCall::Options
    std::shared_ptr<plugins::VideoTarget> preview = {};
    /// Whether a track is to send nothing; null: never. On the stream's thread.
    std::function<bool(media::MediaKind)> muted = {};
    /// A sentence for people; on any thread.
    std::function<void(const std::string&)> note = {};
    /// follow() is to be called soon; on any thread.
    std::function<void()> again = {};
  };
  /// All of it outlives the stream.
  OutgoingStream(Surroundings surroundings, Room& room, MediaResources& resources,
                 periodic::Scheduler& scheduler);
  ~OutgoingStream() = default;
  OutgoingStream(const OutgoingStream&) = delete;
  OutgoingStream& operator=(const OutgoingStream&) = delete;

  /// What is published from the next follow() on; empty: nothing.
  void setTracks(std::vector<media::OutgoingTrack> tracks);
  /// Makes what is there as it should be; while the room is joined. Blocking, for up to seconds.
  void follow(const SessionKey& session, const RoomView& view);
  /// What was told to the room may not have been heard.
  void announceAgain() {
    m_announced = false;
    m_toldSending.reset();
  }
  /// What `muted` says has changed.
  void followMutes();
  /// As of OutgoingCall; holds for the connection that comes next, too.
  void setWanted(std::optional<media::PictureSize> wanted);
  /// Tells the room how its pictures are sent, if that is news. Once a second, while the room is joined.
  void tellSending(periodic::TimePoint now, const RoomView& view);
  /// Its connection ends; its figures stay.
  void end();

  [[nodiscard]] bool isLive() const { return m_connection.call != nullptr; }
  [[nodiscard]] double loudness() const { return isLive() ? m_connection.call->loudness() : 0; }
  [[nodiscard]] media::OutgoingReport report() const;
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const;

 private:
  struct ToldSending {
    TrackSid track;
    TrackDelivery sending;
  };

  void announce(const RoomView& view);
  void withdraw(const RoomView& view);
  [[nodiscard]] bool open();
  void noteOnce(const std::string& sentence);
  /// False: it is not that.
  bool giveUpDevice(const media::OutgoingReport& report);
  [[nodiscard]] bool muted(media::MediaKind kind) const { return m_with.muted && m_with.muted(kind); }

  const Surroundings m_with;
  Room& m_room;
  MediaResources& m_resources;
  periodic::Scheduler& m_scheduler;
  std::vector<media::OutgoingTrack> m_tracks;
  bool m_changed = false;    // the tracks, since the connection was made
  bool m_announced = false;  // they are, since the room was joined
  std::optional<media::PictureSize> m_wanted = media::PictureSize();
  SendingWatch m_sending;
  std::optional<ToldSending> m_toldSending;  // since the room was joined
  std::mutex m_notedMutex;
  std::set<std::string> m_noted;  // guarded by it
  CallConnection<media::OutgoingCall> m_connection;
  media::OutgoingReport m_past;  // of the connection before
};

}  // namespace tactus::conference
