// SPDX-License-Identifier: Apache-2.0
#include "conference/attendance.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "conference/context_timer.h"
#include "conference/door/room_link.h"
#include "conference/embedded_room.h"
#include "conference/media_resources.h"
#include "conference/outgoing_stream.h"
#include "media/room/event_thread.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;

/// Between two tries to make a connection that failed, or is not there yet.
constexpr periodic::Duration kAgain = 300ms;
/// As often as the room takes it.
constexpr periodic::Duration kLevels = 200ms;
/// How often what is sent is looked at.
constexpr periodic::Duration kSendingLook = 1s;
/// In which a window that changes its size comes to rest.
constexpr periodic::Duration kSettled = 300ms;

}  // namespace

class Attendance::Inside final : private RoomListener {
 public:
  Inside(Options options, periodic::Scheduler& scheduler)
      : m_options(std::move(options)), m_scheduler(scheduler) {}
  ~Inside() override {
    m_thread.call([this] {
      m_closing = true;
      m_again.reset();
      m_levels.reset();
      m_settling.reset();
      m_sending.reset();
      if (m_incoming) m_incoming->end();
      m_camera.reset();
      m_screen.reset();
      m_resources.reset();
    });
    m_room.reset();  // leaves; the listener is not called any more
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  Result<void> join(std::string_view link) {
    auto parsed = RoomLink::parse(link);
    if (!parsed.ok()) return parsed.error();
    auto room = EmbeddedRoom::create(link, *this);
    if (!room.ok()) return room.error();
    m_room = std::move(room).value();
    m_thread.call([&] {
      m_resources = std::make_unique<MediaResources>(std::move(parsed).value());
      m_again = std::make_unique<ContextTimer>(m_thread.context());
      m_levels = std::make_unique<ContextTimer>(m_thread.context());
      m_settling = std::make_unique<ContextTimer>(m_thread.context());
      m_sending = std::make_unique<ContextTimer>(m_thread.context());
      m_incoming = newIncoming();
      m_camera = newStream(StreamName::Camera);
      m_screen = newStream(StreamName::Screen);
      m_camera->setTracks(heardHere(m_options.tracks));
    });
    m_thread.post([] { media::IncomingCall::prepare(); });  // while the room lets us in
    m_room->join(m_options.name);
    return {};
  }
  Room& room() { return *m_room; }
  void setMuted(media::MediaKind kind, bool muted) {
    if (mutedOf(kind).exchange(muted) == muted) return;
    m_thread.post([this, kind, muted] {
      if (m_closing) return;
      m_camera->followMutes();
      // Not only where the view differs: it may not know yet what was said last.
      for (const TrackInfo& track : m_room->view().you.tracks)
        if (isMutedWith(track, kind)) m_room->mute(track.sid, muted);
    });
    tellChange();
  }
  std::optional<std::uint64_t> windowOf(const StreamKey& key) const { return m_incoming->windowOf(key); }
  void publish(StreamName name, std::vector<media::OutgoingTrack> tracks) {
    m_thread.post([this, name, tracks = std::move(tracks)]() mutable {
      if (m_closing) return;
      streamNamed(name).setTracks(heardHere(std::move(tracks)));
      look();
    });
  }
  void show(TrackSettings::Shown shown) {
    m_thread.post([this, shown = std::move(shown)]() mutable {
      if (m_closing) return;
      m_settings.show(std::move(shown));
      m_settling->start(kSettled, [this] { tellSettings(); });
    });
  }
  bool muted(media::MediaKind kind) { return mutedOf(kind).load(); }
  double loudness() const { return m_loudness.load(std::memory_order_relaxed); }
  AttendanceReport report() {
    AttendanceReport report;
    m_thread.call([&] { report = reportHere(); });
    return report;
  }

 private:
  // RoomListener, on the room's thread.
  void joined(const RoomView& view) override {
    note("In the room '" + view.room.name + "' as " + view.you.name + ".");
    m_thread.post([this] {
      if (m_closing) return;
      m_camera->announceAgain();
      m_screen->announceAgain();
      m_settings.forget();
      m_incoming->forgetDeliveries();
      for (OutgoingStream* each : {m_camera.get(), m_screen.get()}) each->setWanted(media::PictureSize());
      look();
    });
    tellChange();
  }
  void ended(const RoomEnd& end) override {
    if (end.reason == RoomEndReason::Left) return;
    note(end.sentence);
    m_thread.post([this, end] {
      m_end = end;
      m_incoming->end();
      if (m_closing) return;
      m_camera->end();
      m_screen->end();
    });
    if (m_options.over) m_options.over(end);
    tellChange();
  }
  void failed(const RoomFault& fault) override { note(fault.sentence); }
  void phaseChanged(RoomPhase phase) override {
    if (phase == RoomPhase::Waiting) note("A host is asked to let you in.");
    if (phase == RoomPhase::Reconnecting) note("The connection to the host broke; it is made anew.");
    tellChange();
  }
  void roomChanged(const RoomInfo&) override { tellChange(); }
  void participantJoined(const ParticipantInfo&) override { tellChange(); }
  void participantChanged(const ParticipantInfo&) override { tellChange(); }
  void speakersChanged(const std::vector<Speaker>&) override { tellChange(); }
  void waitingChanged(const std::vector<WaitingInfo>&) override { tellChange(); }
  void invited(const InvitationInfo& invitation) override {
    if (m_options.invited) m_options.invited(invitation);
  }
  void participantLeft(const ParticipantInfo&, LeaveReason) override { lookSoon(); }
  void trackChanged(const ParticipantInfo& of, const TrackInfo& track, bool byHost) override {
    if (byHost && of.sid == m_room->view().you.sid &&
        streamOf(track.description.source) == StreamName::Screen) {
      note("A host has ended your screen.");
      publish(StreamName::Screen, {});
    } else if (byHost && of.sid == m_room->view().you.sid) {
      const bool sound = kindOf(track.description.source) == TrackKind::Audio;
      note(sound ? "A host muted your microphone." : "A host switched your camera off.");
      setMuted(sound ? media::MediaKind::Audio : media::MediaKind::Video, track.muted);
    }
    m_thread.post([this] {
      if (!m_closing) m_incoming->expect(m_room->view(), m_settings);
    });
    tellChange();
  }
  void trackPublished(const ParticipantInfo&, const TrackInfo& track,
                      const std::optional<std::string>& cid) override {
    // What was muted, or not any more, while the room did not know the track.
    for (const auto kind : {media::MediaKind::Audio, media::MediaKind::Video})
      if (cid && isMutedWith(track, kind) && track.muted != muted(kind)) m_room->mute(track.sid, muted(kind));
    lookSoon();
  }
  void trackUnpublished(const ParticipantInfo&, const TrackInfo&) override { lookSoon(); }
  void trackWanted(const TrackSid& sid, const TrackWanted& wanted) override {
    m_thread.post([this, sid, wanted] {
      if (m_closing) return;
      const media::PictureSize place{static_cast<int>(wanted.width), static_cast<int>(wanted.height)};
      for (const TrackInfo& track : m_room->view().you.tracks)
        if (track.sid == sid)
          streamNamed(streamOf(track.description.source))
              .setWanted(wanted.enabled ? std::optional(place) : std::nullopt);
    });
  }
  void trackDelivered(const TrackSid& sid, const TrackDelivery& delivery) override {
    m_thread.post([this, sid, delivery] {
      if (!m_closing && !m_end) m_incoming->tell(m_room->view(), sid, delivery);
    });
  }
  void chat(const ChatLine&) override {
    m_thread.post([this] { ++m_chatLines; });
    tellChange();
  }

  void note(const std::string& sentence) const {
    if (m_options.note) m_options.note(sentence);
  }
  void lookSoon() {
    m_thread.post([this] { look(); });
    tellChange();
  }
  void tellChange() const {
    if (m_options.changed) m_options.changed();
  }
  std::atomic<bool>& mutedOf(media::MediaKind kind) {
    return kind == media::MediaKind::Audio ? m_microphoneMuted : m_cameraMuted;
  }
  static bool isMutedWith(const TrackInfo& track, media::MediaKind kind) {
    return track.description.source ==
           (kind == media::MediaKind::Audio ? TrackSource::Microphone : TrackSource::Camera);
  }
  std::unique_ptr<OutgoingStream> newStream(StreamName name) {
    OutgoingStream::Surroundings with;
    with.name = name;
    with.label = name == StreamName::Camera ? m_options.name : m_options.name + " (screen)";
    with.addresses = m_options.addresses;
    with.note = [this](const std::string& sentence) { note(sentence); };
    with.again = [this] { m_thread.post([this] { tryAgain(kAgain); }); };
    if (name == StreamName::Camera) {
      with.preview = m_options.preview;
      with.muted = [this](media::MediaKind kind) { return mutedOf(kind).load(); };
    }
    return std::make_unique<OutgoingStream>(std::move(with), *m_room, *m_resources, m_scheduler);
  }

  std::unique_ptr<IncomingStreams> newIncoming() {
    IncomingStreams::Surroundings with;
    with.addresses = m_options.addresses;
    with.soundDevice = m_options.soundDevice;
    with.governor = m_options.governor;
    with.target = m_options.target;
    with.note = [this](const std::string& sentence) { note(sentence); };
    with.again = [this](periodic::Duration wait) { m_thread.post([this, wait] { tryAgain(wait); }); };
    with.smaller = [this](const StreamKey& key, bool smaller) {
      m_thread.post([this, key, smaller] {
        if (m_closing) return;
        m_settings.setSmaller(key, smaller);
        tellSettings();
      });
    };
    with.changed = [this] { tellChange(); };
    return std::make_unique<IncomingStreams>(std::move(with), *m_resources, m_scheduler);
  }

  // The rest is done on the thread.
  OutgoingStream& streamNamed(StreamName name) { return name == StreamName::Camera ? *m_camera : *m_screen; }
  void tellSettings() {
    if (m_room->phase() != RoomPhase::Joined) return;
    const RoomView view = m_room->view();
    for (const auto& [sid, setting] : m_settings.takeNews(view)) m_room->set(sid, setting);
    m_incoming->expect(view, m_settings);
  }

  /// There is echo only of what is played here.
  std::vector<media::OutgoingTrack> heardHere(std::vector<media::OutgoingTrack> tracks) const {
    for (media::OutgoingTrack& track : tracks) {
      track.voice.echo = track.voice.echo && m_options.soundDevice.has_value();
      track.voice.monitorOf = m_options.soundDevice.value_or("");
    }
    return tracks;
  }

  /// The soonest of the times that are asked for counts.
  void tryAgain(periodic::Duration wait) {
    if (m_closing) return;
    const auto due = periodic::MonotonicClock::now() + wait;
    if (m_again->isRunning() && m_againAt <= due) return;
    m_againAt = due;
    m_again->start(wait, [this] { look(); });
  }

  /// Makes what is there as the room's view says it should be.
  void look() {
    if (m_closing) return;
    const auto session = m_room->session();
    if (!session || m_end || m_room->phase() != RoomPhase::Joined) return;
    const RoomView view = m_room->view();
    m_camera->follow(*session, view);
    m_screen->follow(*session, view);
    if (!m_levels->isRunning()) tellLevel();
    if (!m_sending->isRunning()) tellSending();
    tellSettings();
    m_incoming->follow(*session, view);
    m_incoming->expect(view, m_settings);
  }

  /// And again, as long as anything is sent.
  void tellSending() {
    if (!m_camera->isLive() && !m_screen->isLive()) return;
    if (m_room->phase() == RoomPhase::Joined)
      for (OutgoingStream* each : {m_camera.get(), m_screen.get()})
        each->tellSending(periodic::MonotonicClock::now(), m_room->view());
    m_sending->start(kSendingLook, [this] { tellSending(); });
  }

  /// And again, as long as anything is sent.
  void tellLevel() {
    if (!m_camera->isLive()) return;
    const double loudness = m_camera->loudness();
    if (m_loudness.exchange(loudness, std::memory_order_relaxed) != loudness) tellChange();
    if (m_room->phase() == RoomPhase::Joined) m_room->reportLevel(loudness);
    m_levels->start(kLevels, [this] { tellLevel(); });
  }

  AttendanceReport reportHere() {
    AttendanceReport report;
    report.began = m_began;
    report.phase = m_room->phase();
    const RoomView view = m_room->view();
    report.name = view.you.name;
    report.others = view.others.size();
    report.end = m_end;
    report.chatLines = m_chatLines;
    report.sent = m_camera->report();
    report.stages = m_camera->stages();
    report.screen = m_screen->report();
    report.received = m_incoming->report();
    return report;
  }

  const Options m_options;
  periodic::Scheduler& m_scheduler;
  const periodic::TimePoint m_began = periodic::MonotonicClock::now();
  std::unique_ptr<EmbeddedRoom> m_room;  // made before anything is posted
  std::atomic<bool> m_microphoneMuted{false}, m_cameraMuted{false};
  std::atomic<double> m_loudness{0};
  // Of the thread, which is declared last: it ends first.
  std::unique_ptr<MediaResources> m_resources;
  std::unique_ptr<ContextTimer> m_again, m_levels, m_settling, m_sending;
  periodic::TimePoint m_againAt{};  // if m_again runs
  TrackSettings m_settings;
  std::unique_ptr<OutgoingStream> m_camera, m_screen;
  std::unique_ptr<IncomingStreams>
      m_incoming;  // made before anything is posted; windowOf() is for any thread
  std::size_t m_chatLines = 0;
  bool m_closing = false;
  std::optional<RoomEnd> m_end;
  media::EventThread m_thread{"tactus-attend"};
};

Attendance::Attendance(std::unique_ptr<Inside> inside) : m_inside(std::move(inside)) {}
Attendance::~Attendance() = default;

Result<std::unique_ptr<Attendance>> Attendance::start(std::string_view link, Options options,
                                                      periodic::Scheduler& scheduler) {
  if (options.originalSound) media::setOriginalSound(options.tracks, *options.originalSound);
  auto inside = std::make_unique<Inside>(std::move(options), scheduler);
  if (const auto begun = inside->join(link); !begun.ok()) return begun.error();
  return std::unique_ptr<Attendance>(new Attendance(std::move(inside)));
}

AttendanceReport Attendance::report() {
  return m_inside->report();
}

Room& Attendance::room() {
  return m_inside->room();
}

void Attendance::publish(StreamName name, std::vector<media::OutgoingTrack> tracks) {
  m_inside->publish(name, std::move(tracks));
}

void Attendance::setMuted(media::MediaKind kind, bool muted) {
  m_inside->setMuted(kind, muted);
}

void Attendance::show(TrackSettings::Shown shown) {
  m_inside->show(std::move(shown));
}

bool Attendance::muted(media::MediaKind kind) const {
  return m_inside->muted(kind);
}

std::optional<std::uint64_t> Attendance::windowOf(const StreamKey& key) const {
  return m_inside->windowOf(key);
}

double Attendance::loudness() const {
  return m_inside->loudness();
}

}  // namespace tactus::conference
