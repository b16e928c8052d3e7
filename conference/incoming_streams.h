// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conference/call_connection.h"
#include "conference/carriage/stream_key.h"
#include "conference/media_resources.h"
#include "conference/published_streams.h"
#include "conference/retry_pause.h"
#include "conference/stream_windows.h"
#include "conference/told_deliveries.h"
#include "conference/track_settings.h"
#include "core/periodic/task/scheduler.h"
#include "media/room/participant/headless_pictures.h"
#include "media/room/participant/incoming_call.h"
#include "media/sharing/load_governor.h"

namespace tactus::conference {

/// A stream of another, as it was received.
struct ReceivedStream {
  std::string participant;
  StreamName name = StreamName::Camera;
  bool present = false;  ///< it is still received
  media::IncomingReport call = {};
  media::HeadlessPictures::Figures pictures = {};  ///< as they were shown
  std::vector<periodic::TaskReport> stages = {};
  std::optional<media::WindowState> window = {};  ///< how it fares beside others; absent without a governor
};

/// The streams that a participant receives, each by WHEP over a connection that is made anew when it ends.
/// For one thread, but for windowOf().
class IncomingStreams {
 public:
  struct Surroundings {
    std::vector<std::string> addresses = {};      ///< as of IncomingCall::Options
    std::optional<std::string> soundDevice = {};  ///< likewise
    media::LoadGovernor* governor = nullptr;      ///< null: no stream is a window
    /// Where the pictures of a stream go; null: nobody sees them.
    std::function<std::shared_ptr<plugins::VideoTarget>(const StreamKey&)> target = {};
    /// A sentence for people; on any thread.
    std::function<void(const std::string&)> note = {};
    /// follow() is to be called after this time; on any thread.
    std::function<void(periodic::Duration)> again = {};
    /// The machine wants no more than the smaller size of a stream's pictures, or it wants any; on any
    /// thread.
    std::function<void(const StreamKey&, bool smaller)> smaller = {};
    /// What windowOf() says has changed.
    std::function<void()> changed = {};
  };
  /// All of it outlives the streams.
  IncomingStreams(Surroundings surroundings, MediaResources& resources, periodic::Scheduler& scheduler)
      : m_with(std::move(surroundings)),
        m_resources(resources),
        m_scheduler(scheduler),
        m_windows(m_with.governor) {}
  ~IncomingStreams() { end(); }
  IncomingStreams(const IncomingStreams&) = delete;
  IncomingStreams& operator=(const IncomingStreams&) = delete;

  /// Receives what the others publish. Blocking, for up to seconds.
  void follow(const SessionKey& session, const RoomView& view);
  /// Which pictures are to come, and in which size: neither their senders nor these settings have switched
  /// them off.
  void expect(const RoomView& view, const TrackSettings& settings);
  /// The room tells how a track reaches us. It holds as long as the track does, for each connection.
  void tell(const RoomView& view, const TrackSid& sid, const TrackDelivery& delivery);
  /// What the room told may not hold any more.
  void forgetDeliveries();
  /// Nothing is received any more; the figures stay.
  void end();
  /// One for each connection, the oldest first.
  [[nodiscard]] std::vector<ReceivedStream> report() const;
  /// As of Attendance. Thread-safe: yes.
  [[nodiscard]] std::optional<std::uint64_t> windowOf(const StreamKey& key) const {
    return m_windows.windowOf(key);
  }

 private:
  struct Received {
    StreamKey key;
    StreamKinds wanted;
    std::string participant;
    bool present = true;
    std::shared_ptr<media::HeadlessPictures> pictures;  // shared with the call
    CallConnection<media::IncomingCall> connection;
    ReceivedStream last;  // once it is not received any more
  };

  /// A stream that the host does not give yet.
  struct Refused {
    std::vector<TrackSid> tracks;  // of which the stream was, then
    RetryPause pause;
    bool told = false;
  };

  /// Whether its time to be asked for has come; else follow() is asked for.
  [[nodiscard]] bool mayAsk(const StreamKey& key, const PublishedStream& stream);
  void subscribe(const SessionKey& session, const StreamKey& key, const PublishedStream& stream);
  /// `toldWhy`: people know.
  void refuse(const StreamKey& key, const PublishedStream& stream, bool toldWhy);
  void applyDeliveries();
  void letGo(Received& received);
  [[nodiscard]] ReceivedStream reportOf(const Received& received) const;

  const Surroundings m_with;
  MediaResources& m_resources;
  periodic::Scheduler& m_scheduler;
  StreamWindows m_windows;
  std::vector<Received> m_received;
  std::map<StreamKey, Refused> m_refused;
  ToldDeliveries m_told;
};

}  // namespace tactus::conference
