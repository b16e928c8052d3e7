// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/outgoing_call.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "media/room/participant/call_keeper.h"
#include "media/room/participant/offering_peer.h"
#include "media/room/participant/track_ids.h"
#include "media/stage/stage_adopter.h"

namespace tactus::media {
namespace {

using periodic::TimePoint;

constexpr std::int64_t kLeastRate = 60'000;  // bit/s of pictures
constexpr std::int64_t kFirstRate =
    1'000'000;  // bit/s, before anything is known of the path; or what is wanted
/// Without feedback of the transport's own, RTCP's reports say what was lost.
constexpr periodic::Duration kReportInterval = std::chrono::seconds(2);

Result<void> validate(const std::vector<OutgoingTrack>& tracks) {
  const auto count = [&](MediaKind kind) {
    return std::count_if(tracks.begin(), tracks.end(), [&](const auto& track) { return track.kind == kind; });
  };
  if (tracks.empty() || count(MediaKind::Video) > 1 || count(MediaKind::Audio) > 1)
    return Error{ErrorCode::InvalidArgument, "A call has one track of pictures, one of sound, or both; " +
                                                 std::to_string(tracks.size()) + " were to be sent."};
  return {};
}

}  // namespace

class OutgoingCall::Body {
 public:
  Body(const Options& options, periodic::Scheduler& scheduler, CallListener* listener)
      : m_note(options.note),
        m_adopter(scheduler, options.label),
        m_keeper(scheduler, m_adopter, options.label, periodic::Stage::Send, listener) {}
  ~Body() {
    m_keeper.end();
    for (const auto& track : m_tracks) track->stop();
    m_adopter.interruptAll();
    if (m_peer) m_peer->stop();
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  Result<void> build(const Options& options);
  Result<std::string> offer();
  Result<void> accept(std::string_view answer);
  [[nodiscard]] OutgoingReport query() const;
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const;
  void setMuted(MediaKind kind, bool muted) {
    for (const auto& track : m_tracks)
      if (track->track().kind == kind) track->setMuted(muted);
  }
  void setWanted(std::optional<PictureSize> wanted) {
    for (const auto& track : m_tracks)
      if (track->track().kind == MediaKind::Video) track->setWanted(wanted);
    m_keeper.wake().signal();
  }
  [[nodiscard]] double loudness() const {
    double loudest = 0;
    for (const auto& track : m_tracks) loudest = std::max(loudest, track->loudness());
    return loudest;
  }
  void stop() noexcept { m_keeper.stop(); }

 private:
  void look(TimePoint now);
  [[nodiscard]] std::string fault();
  void prepareEstimator(const std::vector<OutgoingTrack>& tracks);
  void onTransportWide(const GstStructure& feedback);
  void tellFaults(TimePoint now);
  void readReports(TimePoint now);

  const std::function<void(const std::string&)> m_note;
  StageAdopter m_adopter;
  CallKeeper m_keeper;
  std::unique_ptr<OfferingPeer> m_peer;
  std::vector<std::unique_ptr<SendingTrack>> m_tracks;  // fixed once built
  TimePoint m_reported{};                               // keeper's thread
  bool m_told = false;                                  // keeper's thread
  net::BitRate m_leastPictures, m_sound;                // fixed once built
  std::atomic<bool> m_transportWide{false};             // the peer tells of each packet
  mutable std::mutex m_pathMutex;
  std::optional<net::BandwidthEstimator> m_path;  // of pictures and sound; guarded by it
};

void OutgoingCall::Body::prepareEstimator(const std::vector<OutgoingTrack>& tracks) {
  std::int64_t pictures = 0, sound = 0;
  for (const OutgoingTrack& each : tracks)
    for (const TrackLayer& layer : layersOf(each))
      (each.kind == MediaKind::Video ? pictures : sound) += layer.rate.bits();
  if (pictures == 0) return;
  m_sound = net::BitRate::perSecond(sound);
  m_leastPictures = net::BitRate::perSecond(std::min(kLeastRate, pictures));
  m_path.emplace(
      net::BandwidthEstimator::Range{.least = net::BitRate::perSecond(m_leastPictures.bits() + sound),
                                     .most = net::BitRate::perSecond(pictures + sound),
                                     .start = net::BitRate::perSecond(kFirstRate)});
}

void OutgoingCall::Body::onTransportWide(const GstStructure& feedback) {
  const auto packets = readTransportWide(feedback);
  m_transportWide.store(true, std::memory_order_relaxed);  // a hint, nothing is published by it
  const std::lock_guard lock(m_pathMutex);
  if (!m_path) return;
  const auto& told = m_path->update(periodic::MonotonicClock::now(), packets);
  if (told.state == net::BandwidthEstimate::State::Decreasing) m_keeper.wake().signal();
}

Result<void> OutgoingCall::Body::build(const Options& options) {
  if (auto valid = validate(options.tracks); !valid.ok()) return valid.error();
  OfferingPeer::Hooks hooks;
  hooks.onStreamStatus = [this](GstMessage* message) { m_keeper.onStreamStatus(message); };
  hooks.onElement = [this](GstElement* element) { m_keeper.onElement(element); };
  hooks.onTransportWide = [this](const GstStructure& feedback) { onTransportWide(feedback); };
  prepareEstimator(options.tracks);
  auto peer = OfferingPeer::create({.addresses = options.addresses}, std::move(hooks), m_keeper.wake());
  if (!peer.ok()) return peer.error();
  m_peer = std::move(peer).value();
  for (const OutgoingTrack& each : options.tracks) {
    auto track = SendingTrack::create(each, *m_peer, m_adopter, m_keeper.wake(), options.preview);
    if (!track.ok()) return track.error();
    m_tracks.push_back(std::move(track).value());
  }
  // A device that does not work is the call's end, as one that is unplugged.
  if (auto started = m_peer->start(); !started.ok() && !m_peer->brokenDevice()) return started.error();
  for (const auto& track : m_tracks) track->start();
  return m_keeper.run(*m_peer, {.look = [this](TimePoint now) { look(now); },
                                .fault = [this] { return fault(); },
                                .stop =
                                    [this] {
                                      for (const auto& track : m_tracks) track->stop();
                                    }});
}

Result<std::string> OutgoingCall::Body::offer() {
  auto offered = m_peer->offer();
  if (!offered.ok()) return offered.error();
  std::vector<std::string> cids;
  for (const auto& track : m_tracks)
    for (std::size_t i = 0; i < layersOf(track->track()).size(); ++i) cids.push_back(track->track().cid);
  return withTrackIds(offered.value(), cids);
}

Result<void> OutgoingCall::Body::accept(std::string_view answer) {
  if (auto accepted = m_peer->accept(answer); !accepted.ok()) return accepted.error();
  m_keeper.answered();
  return {};
}

std::string OutgoingCall::Body::fault() {
  for (const auto& track : m_tracks) {
    std::string why = track->fault();
    if (why.empty()) continue;
    m_peer->fail(track->track().kind, why);  // who waits for an offer
    return why;
  }
  return "";
}

/// Where the peer does not tell of each packet.
void OutgoingCall::Body::readReports(TimePoint now) {
  if (m_transportWide.load(std::memory_order_relaxed) || now - m_reported < kReportInterval) return;
  m_reported = now;
  const double loss = readRtpFigures(m_peer->rtpStatistics().get()).lossThere;
  const std::lock_guard lock(m_pathMutex);
  if (m_path) m_path->update(now, loss);
}

/// One is enough: what lacks does not come back for being told again.
void OutgoingCall::Body::tellFaults(TimePoint now) {
  for (const auto& track : m_tracks) {
    if (m_told || !m_note) return;
    const std::string fault = track->voiceFault(now);
    m_told = !fault.empty();
    if (m_told) m_note(fault);
  }
}

void OutgoingCall::Body::look(TimePoint now) {
  for (const auto& track : m_tracks) track->look(now);
  tellFaults(now);
  if (m_keeper.life().state() != CallState::Live) return;
  readReports(now);
  std::int64_t target = 0;
  {
    const std::lock_guard lock(m_pathMutex);
    if (!m_path) return;
    target = m_path->estimate().target.bits();
  }
  const auto pictures = std::max(m_leastPictures.bits(), target - m_sound.bits());
  for (const auto& track : m_tracks)
    track->setRate(net::BitRate::perSecond(pictures));  // sound keeps its own
}

OutgoingReport OutgoingCall::Body::query() const {
  const CallLife life = m_keeper.life();
  OutgoingReport report{
      life.state(), life.why(), m_peer->brokenDevice(), {}, readRtpFigures(m_peer->rtpStatistics().get())};
  for (const auto& track : m_tracks)
    for (auto& layer : track->figures()) report.tracks.push_back(std::move(layer));
  const std::lock_guard lock(m_pathMutex);
  if (m_path) report.path = m_path->estimate();
  return report;
}

std::vector<periodic::TaskReport> OutgoingCall::Body::stages() const {
  auto reports = m_adopter.report();
  for (auto& named : m_keeper.namedThreads()) reports.push_back(std::move(named));
  return reports;
}

OutgoingCall::OutgoingCall(std::unique_ptr<Body> body) : m_body(std::move(body)) {}

OutgoingCall::~OutgoingCall() = default;

Result<std::unique_ptr<OutgoingCall>> OutgoingCall::create(const Options& options,
                                                           periodic::Scheduler& scheduler,
                                                           CallListener* listener) {
  auto body = std::make_unique<Body>(options, scheduler, listener);
  if (auto built = body->build(options); !built.ok()) return built.error();
  return std::unique_ptr<OutgoingCall>(new OutgoingCall(std::move(body)));
}

Result<std::string> OutgoingCall::offer() {
  return m_body->offer();
}

Result<void> OutgoingCall::accept(std::string_view answer) {
  return m_body->accept(answer);
}

OutgoingReport OutgoingCall::query() const {
  return m_body->query();
}

std::vector<periodic::TaskReport> OutgoingCall::stages() const {
  return m_body->stages();
}

void OutgoingCall::setMuted(MediaKind kind, bool muted) {
  m_body->setMuted(kind, muted);
}

void OutgoingCall::setWanted(std::optional<PictureSize> wanted) {
  m_body->setWanted(wanted);
}

double OutgoingCall::loudness() const {
  return m_body->loudness();
}

void OutgoingCall::stop() noexcept {
  m_body->stop();
}

}  // namespace tactus::media
