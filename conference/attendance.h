// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conference/carriage/stream_key.h"
#include "conference/incoming_streams.h"
#include "conference/room/room.h"
#include "conference/track_settings.h"
#include "core/periodic/result.h"
#include "core/periodic/task/scheduler.h"
#include "media/room/participant/outgoing_call.h"
#include "media/sharing/load_governor.h"

namespace tactus::conference {

/// What an attendance has come to.
struct AttendanceReport {
  periodic::TimePoint began = {};  ///< to join
  RoomPhase phase = RoomPhase::Idle;
  std::string name = {};                          ///< that the room gave
  std::optional<RoomEnd> end = {};                ///< if the room, not the participant, has ended the stay
  std::size_t others = 0;                         ///< in the room now, or at last
  std::size_t chatLines = 0;                      ///< that came
  media::OutgoingReport sent = {};                ///< nothing, if nothing is published
  media::OutgoingReport screen = {};              ///< likewise, of the screen
  std::vector<periodic::TaskReport> stages = {};  ///< of what is sent
  std::vector<ReceivedStream> received = {};      ///< one for each connection, the oldest first
};

/// A participant: it joins a room by its link, publishes what it is told to, and receives whatever the others
/// publish. Connections that end are made anew as long as what they carry is there. Who shows it gives the
/// pictures a place, and looks at room().view() when that has changed.
///
/// Thread "tactus-attend" (one; ordinary) does all of this; what is captured, encoded, received and decoded
/// is done by tasks of `scheduler`. Thread-safe: yes. Real-time-safe: no.
class Attendance {
 public:
  struct Options {
    std::string name = "Tactus";
    std::vector<media::OutgoingTrack> tracks = {};  ///< one of pictures, one of sound, both or none
    std::vector<std::string> addresses = {};        ///< as of OutgoingCall::Options
    std::optional<std::string> soundDevice = {};    ///< as of IncomingCall::Options
    /// Whether the sound of a microphone in `tracks` is sent as it is; absent: as its source says.
    std::optional<bool> originalSound = {};
    /// A sentence for people, on any thread; may be null.
    std::function<void(const std::string&)> note = {};
    /// The room has ended the stay; on any thread; may be null.
    std::function<void(const RoomEnd&)> over = {};
    /// The room's view or its phase, or what muted() and loudness() say, may have changed; on any thread; may
    /// be null.
    std::function<void()> changed = {};
    /// An invitation that room().invite() asked for; on any thread; may be null.
    std::function<void(const InvitationInfo&)> invited = {};
    /// Where the pictures of a stream go, the same each time that it is received anew; on any thread; may be
    /// null: nobody sees them.
    std::function<std::shared_ptr<plugins::VideoTarget>(const StreamKey&)> target = {};
    /// As of OutgoingCall::Options.
    std::shared_ptr<plugins::VideoTarget> preview = {};
    /// By which streams that are received give way, each a window; null: none does. Outlives it.
    media::LoadGovernor* governor = nullptr;
  };
  /// Begins to join. `scheduler` outlives it. InvalidArgument: the link is none.
  [[nodiscard]] static Result<std::unique_ptr<Attendance>> start(std::string_view link, Options options,
                                                                 periodic::Scheduler& scheduler);
  /// Leaves. Blocking, for a moment.
  ~Attendance();
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

  /// Waits for the thread.
  [[nodiscard]] AttendanceReport report();
  /// The stay itself, for what the attendance does not do: chat, hand, the acts of hosts. Its end, and tracks
  /// of its own, are the attendance's.
  [[nodiscard]] Room& room();
  /// Publishes these tracks instead of those that the stream had: other devices, a screen, or nothing. A
  /// device that does not work is told, and given up.
  void publish(StreamName name, std::vector<media::OutgoingTrack> tracks);
  /// Whether the own track of this kind is to send nothing, from its first packet on. A host may mute it too.
  void setMuted(media::MediaKind kind, bool muted);
  [[nodiscard]] bool muted(media::MediaKind kind) const;
  /// How the pictures of the others are shown here, so that no larger ones are sent than that. Told to the
  /// room once it stays so for a moment. A stream that is left out is wanted as it is.
  void show(TrackSettings::Shown shown);
  /// The governor's window that a stream is now; absent: it is not received, or there is no governor. The
  /// terms that it was given hold for the stream that comes after it, too.
  [[nodiscard]] std::optional<std::uint64_t> windowOf(const StreamKey& key) const;
  /// How loud the microphone is (loudnessOf()). Tells the room, too, five times a second.
  [[nodiscard]] double loudness() const;

 private:
  class Inside;
  explicit Attendance(std::unique_ptr<Inside> inside);
  const std::unique_ptr<Inside> m_inside;
};

}  // namespace tactus::conference
