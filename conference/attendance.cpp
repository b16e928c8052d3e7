// SPDX-License-Identifier: Apache-2.0
#include "conference/attendance.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <utility>

#include "conference/context_timer.h"
#include "conference/door/room_link.h"
#include "conference/embedded_room.h"
#include "conference/media_resources.h"
#include "media/room/event_thread.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;

/// Between two tries to make a connection that failed, or is not there yet.
constexpr periodic::Duration kAgain = 300ms;

TrackDescription descriptionOf(const media::OutgoingTrack& track) {
  if (track.kind == media::MediaKind::Audio) return {.source = TrackSource::Microphone};
  return {.source = TrackSource::Camera,
          .width = static_cast<std::uint32_t>(track.width),
          .height = static_cast<std::uint32_t>(track.height),
          .rate = periodic::Rate::perSecond(track.picturesPerSecond)};
}

}  // namespace

class Attendance::Inside final : private RoomListener {
 public:
  Inside(Options options, periodic::Scheduler& scheduler)
      : m_options(std::move(options)), m_scheduler(scheduler) {}
  ~Inside() override {
    m_thread.call([this] {
      m_closing = true;
      m_again.reset();
      m_received.clear();
      m_sent.end();
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
    });
    m_thread.post([] { media::IncomingCall::prepare(); });  // while the room lets us in
    m_room->join(m_options.name);
    return {};
  }
  void say(const std::string& text) { m_room->say(text); }
  AttendanceReport report() {
    AttendanceReport report;
    m_thread.call([&] { report = reportHere(); });
    return report;
  }

 private:
  /// Ends of calls come on their threads. One that was meant to end is not told.
  class Ended final : public media::CallListener {
   public:
    Ended(Inside& owner, std::string what) : m_owner(owner), m_what(std::move(what)) {}
    void expect() { m_expected.store(true); }
    void onCallState(media::CallState state, const std::string& why) override {
      if (state != media::CallState::Ended || m_expected.load()) return;
      m_owner.note(m_what + " has ended: " + why);
      m_owner.m_thread.post([&owner = m_owner] { owner.tryAgain(); });
    }

   private:
    Inside& m_owner;
    const std::string m_what;
    std::atomic<bool> m_expected{false};
  };
  template <typename Call>
  struct Connection {
    std::unique_ptr<Ended> listener;  // outlives the call
    std::unique_ptr<Call> call;
    std::string path;  // at the host; empty: it has none
    Connection() = default;
    Connection(Connection&&) noexcept = default;
    ~Connection() { end(); }
    void end() {
      if (listener) listener->expect();
      call.reset();
      listener.reset();
      path.clear();
    }
  };
  /// A stream's place among those of the governor.
  class Governed {
   public:
    Governed(media::LoadGovernor& governor, media::GovernedStream& stream, std::string name)
        : m_governor(governor), m_window(governor.add(stream, {.name = std::move(name)}).value()) {}
    ~Governed() { m_governor.remove(m_window); }
    Governed(const Governed&) = delete;
    Governed& operator=(const Governed&) = delete;
    [[nodiscard]] std::optional<media::WindowState> state() const { return m_governor.window(m_window); }

   private:
    media::LoadGovernor& m_governor;
    const std::uint64_t m_window;
  };
  struct Wanted {
    bool pictures = false, sound = false;
    friend bool operator==(const Wanted&, const Wanted&) = default;
  };
  struct Received {
    StreamKey key;
    Wanted wanted;
    std::string participant;
    bool present = true;
    std::shared_ptr<media::HeadlessPictures> pictures;  // shared with the call
    Connection<media::IncomingCall> connection;
    std::unique_ptr<Governed> governed;  // null without a governor; ends before the call
    ReceivedStream last;                 // once it is not received any more
  };

  // RoomListener, on the room's thread.
  void joined(const RoomView& view) override {
    note("In the room '" + view.room.name + "' as " + view.you.name + ".");
    m_thread.post([this] {
      m_announced = false;  // what was said before may not have been heard
      look();
    });
  }
  void ended(const RoomEnd& end) override {
    if (end.reason == RoomEndReason::Left) return;
    note(end.sentence);
    m_thread.post([this, end] {
      m_end = end;
      for (Received& each : m_received) letGo(each);
      endSent();
    });
    if (m_options.over) m_options.over();
  }
  void failed(const RoomFault& fault) override { note(fault.sentence); }
  void phaseChanged(RoomPhase phase) override {
    if (phase == RoomPhase::Waiting) note("A host is asked to let you in.");
    if (phase == RoomPhase::Reconnecting) note("The connection to the host broke; it is made anew.");
  }
  void participantLeft(const ParticipantInfo&, LeaveReason) override { lookSoon(); }
  void trackPublished(const ParticipantInfo&, const TrackInfo&, const std::optional<std::string>&) override {
    lookSoon();
  }
  void trackUnpublished(const ParticipantInfo&, const TrackInfo&) override { lookSoon(); }
  void chat(const ChatLine&) override {
    m_thread.post([this] { ++m_chatLines; });
  }

  void note(const std::string& sentence) const {
    if (m_options.note) m_options.note(sentence);
  }
  void lookSoon() {
    m_thread.post([this] { look(); });
  }

  // The rest is done on the thread.
  void tryAgain() {
    if (!m_closing && !m_again->isRunning()) m_again->start(kAgain, [this] { look(); });
  }

  /// Makes what is there as the room's view says it should be.
  void look() {
    if (m_closing) return;
    const auto session = m_room->session();
    if (!session || m_end || m_room->phase() != RoomPhase::Joined) return;
    const RoomView view = m_room->view();
    if (!m_options.tracks.empty()) publish(*session, view);
    receive(*session, view);
  }

  void publish(const SessionKey& session, const RoomView& view) {
    if (m_sent.call && m_sent.call->query().state != media::CallState::Ended) return;
    endSent();
    m_sent.listener = std::make_unique<Ended>(*this, "What is sent");
    auto made = media::OutgoingCall::create(
        {.tracks = m_options.tracks, .addresses = m_options.addresses, .label = m_options.name}, m_scheduler,
        m_sent.listener.get());
    if (!made.ok()) return give(made.error());
    m_sent.call = std::move(made).value();
    if (!m_announced) announce(view);
    if (!connect(m_sent, "whip/camera", session)) m_sent.end();
  }

  /// Its figures stay.
  void endSent() {
    if (m_sent.call) m_past = m_sent.call->query();
    m_sent.end();
  }

  void announce(const RoomView& view) {
    m_announced = true;
    for (const media::OutgoingTrack& track : m_options.tracks) {
      const TrackDescription description = descriptionOf(track);
      const auto& mine = view.you.tracks;
      if (std::none_of(mine.begin(), mine.end(),
                       [&](const TrackInfo& each) { return each.description.source == description.source; }))
        m_room->publish(track.cid, description, false);
    }
  }

  /// Nothing comes of it: what is captured is not there, and will not be.
  void give(const Error& error) {
    note(error.message);
    m_sent.end();
  }

  void receive(const SessionKey& session, const RoomView& view) {
    std::map<StreamKey, Wanted> wanted;
    std::map<ParticipantSid, std::string> names;
    for (const ParticipantInfo& other : view.others) {
      names[other.sid] = other.name;
      for (const TrackInfo& track : other.tracks) {
        const TrackSource source = track.description.source;
        Wanted& each = wanted[{other.sid, streamOf(source)}];
        (kindOf(source) == TrackKind::Video ? each.pictures : each.sound) = true;
      }
    }
    for (Received& each : m_received) {
      if (!each.present) continue;
      const auto found = wanted.find(each.key);
      const bool same = found != wanted.end() && found->second == each.wanted;
      const bool dead =
          each.connection.call && each.connection.call->query().state == media::CallState::Ended;
      if (same && !dead && each.connection.call) {
        wanted.erase(found);
      } else {
        if (each.connection.call && !dead) m_resources->end(each.connection.path, session);
        letGo(each);
      }
    }
    for (const auto& [key, kinds] : wanted) subscribe(session, key, kinds, names[key.publisher]);
  }

  void subscribe(const SessionKey& session, const StreamKey& key, Wanted wanted, const std::string& name) {
    Received received{key, wanted, name, true, std::make_shared<media::HeadlessPictures>(), {}, {}, {}};
    received.connection.listener = std::make_unique<Ended>(*this, "What comes from " + name);
    media::IncomingCall::Options options{
        .sound = wanted.sound, .addresses = m_options.addresses, .label = name, .target = received.pictures};
    if (!wanted.pictures) options.encodings.clear();
    auto made = media::IncomingCall::create(options, m_scheduler, received.connection.listener.get());
    if (!made.ok()) return note(made.error().message);
    received.connection.call = std::move(made).value();
    if (!connect(received.connection, "whep/" + key.path(), session)) return;
    if (m_options.governor != nullptr) {
      const std::string window = key.name == StreamName::Screen ? name + " (screen)" : name;
      received.governed = std::make_unique<Governed>(*m_options.governor, *received.connection.call, window);
    }
    m_received.push_back(std::move(received));
  }

  /// False: it did not come about. It is tried again, if that may help.
  template <typename Call>
  bool connect(Connection<Call>& connection, const std::string& path, const SessionKey& session) {
    const auto offer = connection.call->offer();
    if (!offer.ok()) {
      note(offer.error().message);
      tryAgain();
      return false;
    }
    auto made = m_resources->offer(path, session, offer.value());
    if (!made.ok()) {
      if (made.error().code != ErrorCode::Unavailable) note(made.error().message);
      tryAgain();
      return false;
    }
    connection.path = std::move(made.value().path);
    const auto accepted = connection.call->accept(made.value().answer);
    if (accepted.ok()) return true;
    note(accepted.error().message);
    tryAgain();
    return false;
  }

  /// It is not received any more; its figures stay.
  static void letGo(Received& received) {
    if (received.connection.call) received.last = reportOf(received);
    received.last.present = received.present = false;
    received.governed.reset();
    received.connection.end();
  }

  static ReceivedStream reportOf(const Received& received) {
    if (!received.connection.call) return received.last;
    return {received.participant,
            received.key.name,
            received.present,
            received.connection.call->query(),
            received.pictures->figures(),
            received.connection.call->stages(),
            received.governed ? received.governed->state() : std::nullopt};
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
    if (m_sent.call) {
      report.sent = m_sent.call->query();
      report.stages = m_sent.call->stages();
    } else {
      report.sent = m_past;
    }
    for (const Received& each : m_received) report.received.push_back(reportOf(each));
    return report;
  }

  const Options m_options;
  periodic::Scheduler& m_scheduler;
  const periodic::TimePoint m_began = periodic::MonotonicClock::now();
  std::unique_ptr<EmbeddedRoom> m_room;  // made before anything is posted
  // Of the thread, which is declared last: it ends first.
  std::unique_ptr<MediaResources> m_resources;
  std::unique_ptr<ContextTimer> m_again;
  Connection<media::OutgoingCall> m_sent;
  media::OutgoingReport m_past;  // of the call before
  std::vector<Received> m_received;
  std::size_t m_chatLines = 0;
  bool m_announced = false;  // the tracks, since the room was joined
  bool m_closing = false;
  std::optional<RoomEnd> m_end;
  media::EventThread m_thread{"tactus-attend"};
};

Attendance::Attendance(std::unique_ptr<Inside> inside) : m_inside(std::move(inside)) {}
Attendance::~Attendance() = default;

Result<std::unique_ptr<Attendance>> Attendance::start(std::string_view link, Options options,
                                                      periodic::Scheduler& scheduler) {
  auto inside = std::make_unique<Inside>(std::move(options), scheduler);
  if (const auto begun = inside->join(link); !begun.ok()) return begun.error();
  return std::unique_ptr<Attendance>(new Attendance(std::move(inside)));
}

AttendanceReport Attendance::report() {
  return m_inside->report();
}

void Attendance::say(const std::string& text) {
  m_inside->say(text);
}

}  // namespace tactus::conference
