// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/whip_ingest.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "media/room/ingest/keyframe_limit.h"
#include "media/room/ingest/receiving_peer.h"
#include "plugins/event_descriptor.h"

namespace tactus::media {
namespace {

using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr periodic::Duration kLook = std::chrono::milliseconds(250);
constexpr periodic::Duration kReportInterval = std::chrono::seconds(1);

/// Of nobody: its candidates are none.
constexpr std::string_view kPrewarmingOffer =
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
    "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=sendonly\r\na=rtcp-mux\r\n"
    "a=ice-ufrag:none\r\na=ice-pwd:nobodynobodynobodynobody\r\na=setup:actpass\r\n"
    "a=fingerprint:sha-256 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:"
    "00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00\r\n"
    "a=rtpmap:96 VP8/90000\r\n";

}  // namespace

/// One connection and the thread that looks after it.
class WhipIngest::Connection {
 public:
  static Result<std::unique_ptr<Connection>> create(const PublishOffer& offer, const Options& options,
                                                    IngestListener* listener);
  Connection(const Options& options, IngestListener* listener)
      : m_listener(listener), m_life(MonotonicClock::now(), options.limits) {}
  ~Connection() {
    stop();
    if (m_thread.joinable()) m_thread.join();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void stop() noexcept {
    m_stop.store(true);
    m_wake.signal();
  }
  [[nodiscard]] IngestReport query() const {
    const std::lock_guard lock(m_mutex);
    return m_report;
  }
  [[nodiscard]] const std::string& answer() const noexcept { return m_peer->answer(); }
  [[nodiscard]] const std::vector<TrackFeed*>& feeds() const noexcept { return m_feeds; }

 private:
  void run();
  /// Looks at what has come and what is to be done; the state afterwards.
  IngestState look(TimePoint now);
  void passKeyframeRequests(TimePoint now);
  [[nodiscard]] IngestReport makeReport() const;
  [[nodiscard]] periodic::Duration untilNextLook(TimePoint now) const;
  /// Keeps the report for query(), and tells the listener where something is new.
  void publish(TimePoint now);

  plugins::EventDescriptor m_wake;  // outlives the peer
  IngestListener* const m_listener;
  std::atomic<bool> m_stop{false};
  std::unique_ptr<ReceivingPeer> m_peer;
  std::vector<TrackFeed*> m_feeds;               // of m_peer
  std::vector<KeyframeLimit> m_limits;           // as m_feeds; own thread
  IngestLife m_life;                             // own thread
  IngestState m_told = IngestState::Connecting;  // own thread
  TimePoint m_toldAt = TimePoint::min();         // own thread
  mutable std::mutex m_mutex;
  IngestReport m_report;  // guarded by m_mutex
  std::thread m_thread;   // last: uses all the others
};

Result<std::unique_ptr<WhipIngest::Connection>> WhipIngest::Connection::create(const PublishOffer& offer,
                                                                               const Options& options,
                                                                               IngestListener* listener) {
  auto connection = std::make_unique<Connection>(options, listener);
  auto peer = ReceivingPeer::create(offer, options.addresses, connection->m_wake);
  if (!peer.ok()) return peer.error();
  connection->m_peer = std::move(peer).value();
  for (const auto& feed : connection->m_peer->feeds()) connection->m_feeds.push_back(feed.get());
  connection->m_limits.resize(connection->m_feeds.size());
  connection->m_report = connection->makeReport();
  try {
    connection->m_thread = std::thread([self = connection.get()] { self->run(); });
  } catch (const std::system_error&) {
    return Error{ErrorCode::System, "There can be no more threads, and a publisher's connection needs one."};
  }
  return connection;
}

void WhipIngest::Connection::run() {
  pthread_setname_np(pthread_self(), "tactus-ingest");
  for (;;) {
    const TimePoint now = MonotonicClock::now();
    const bool ended = look(now) == IngestState::Ended;
    if (ended) m_peer->stop();
    publish(now);
    if (ended) return;
    m_wake.wait(untilNextLook(now));
  }
}

IngestState WhipIngest::Connection::look(TimePoint now) {
  std::uint64_t packets = 0;
  for (const auto& feed : m_peer->feeds()) packets += feed->counts().packets;
  m_life.update(now, m_peer->connection(), packets, m_peer->datagrams());
  if (m_stop.load()) m_life.end(IngestEnd::Stopped);
  if (!m_peer->fault().empty()) m_life.end(IngestEnd::Failed);
  passKeyframeRequests(now);
  return m_life.state();
}

void WhipIngest::Connection::passKeyframeRequests(TimePoint now) {
  for (std::size_t i = 0; i < m_limits.size(); ++i) {
    IngestFeed& feed = *m_peer->feeds()[i];
    for (auto requests = feed.takeKeyframeRequests(); requests > 0; --requests) m_limits[i].want();
    if (feed.attached() && m_limits[i].pass(now)) feed.sendKeyframeRequest();
  }
}

periodic::Duration WhipIngest::Connection::untilNextLook(TimePoint now) const {
  TimePoint next = now + kLook;
  // What waits for the publisher to connect is due when it has; its pad wakes us.
  for (std::size_t i = 0; i < m_limits.size(); ++i)
    if (m_peer->feeds()[i]->attached()) next = std::min(next, m_limits[i].due());
  return std::max(next - now, periodic::Duration::zero());
}

IngestReport WhipIngest::Connection::makeReport() const {
  IngestReport report{m_life.state(), m_life.why(), "", {}};
  if (report.end == IngestEnd::Failed) report.fault = m_peer->fault();
  for (std::size_t i = 0; i < m_limits.size(); ++i) {
    const IngestFeed& feed = *m_peer->feeds()[i];
    const auto counts = feed.counts();
    const auto buffered = m_peer->figuresOf(feed);
    report.tracks.push_back({.kind = feed.format().kind,
                             .packets = counts.packets,
                             .bytes = counts.bytes,
                             .pictures = counts.pictures,
                             .lost = buffered.lost,
                             .dropped = buffered.dropped + counts.strays,
                             .keyframesAsked = m_limits[i].asked(),
                             .keyframesPassed = m_limits[i].passed(),
                             .jitter = buffered.jitter,
                             .roundTrip = buffered.retransmissionTime});
  }
  return report;
}

void WhipIngest::Connection::publish(TimePoint now) {
  IngestReport report = makeReport();
  {
    const std::lock_guard lock(m_mutex);
    m_report = report;
  }
  if (report.state == m_told && now < m_toldAt + kReportInterval) return;
  m_told = report.state;
  m_toldAt = now;
  if (m_listener != nullptr) m_listener->onIngest(report);
}

Result<std::unique_ptr<WhipIngest>> WhipIngest::create(const PublishOffer& offer, const Options& options,
                                                       IngestListener* listener) {
  auto connection = Connection::create(offer, options, listener);
  if (!connection.ok()) return connection.error();
  return std::unique_ptr<WhipIngest>(new WhipIngest(std::move(connection).value()));
}

void WhipIngest::prewarm() {
  const auto offer = readPublishOffer(kPrewarmingOffer);
  // Whether it can be answered is told when somebody publishes.
  if (offer.ok()) (void)create(offer.value(), {}, nullptr);
}

WhipIngest::WhipIngest(std::unique_ptr<Connection> connection) : m_connection(std::move(connection)) {}

WhipIngest::~WhipIngest() = default;

const std::string& WhipIngest::answer() const noexcept {
  return m_connection->answer();
}

const std::vector<TrackFeed*>& WhipIngest::feeds() const noexcept {
  return m_connection->feeds();
}

IngestReport WhipIngest::query() const {
  return m_connection->query();
}

void WhipIngest::stop() noexcept {
  m_connection->stop();
}

}  // namespace tactus::media
