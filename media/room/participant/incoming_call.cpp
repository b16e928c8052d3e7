// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/incoming_call.h"

#include <gst/base/gstbasesink.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "media/room/participant/arrival_watch.h"
#include "media/room/participant/call_keeper.h"
#include "media/room/participant/headless_pictures.h"
#include "media/room/participant/incoming_buffers.h"
#include "media/room/participant/incoming_pictures.h"
#include "media/room/participant/offering_peer.h"
#include "media/room/participant/receiving_formats.h"
#include "media/room/participant/size_choice.h"
#include "media/stage/staged_stream.h"
#include "plugins/clock_time.h"

namespace tactus::media {
namespace {

using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

}  // namespace

class IncomingCall::Body final : public StagedStream::Listener {
 public:
  ~Body() override {
    if (m_keeper) m_keeper->end();
    if (m_stream) m_stream->interrupt();
    if (m_peer) m_peer->stop();
  }
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  Result<void> build(const Options& options, periodic::Scheduler& scheduler, CallListener* listener);
  Result<std::string> offer() { return m_peer->offer(); }
  Result<void> accept(std::string_view answer);
  [[nodiscard]] IncomingReport query() const;
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const;
  void stop() noexcept { m_keeper->stop(); }
  [[nodiscard]] plugins::CallOutput* output() const noexcept { return m_output.get(); }
  [[nodiscard]] LoadFigures load() const;
  void setThinning(Thinning thinning);
  void setService(StreamService service) { m_stream->setService(std::move(service)); }
  void setHeld(bool held);
  void setDelivery(const SourceLimit& delivery);
  void setPicturesExpected(bool expected);
  void setHalved(PictureSize larger) { m_choice->setLarger(larger); }

 private:
  void applyThinningLocked();
  void look(TimePoint now);
  void watchArrivalLocked(TimePoint now, bool live);
  [[nodiscard]] std::string fault() const;
  void onPad(GstPad* pad);
  void onElement(GstElement* element);
  void fail(std::string why);
  [[nodiscard]] Duration period() const;
  [[nodiscard]] Duration latency() const;
  [[nodiscard]] std::uint64_t shedOnPurpose() const;

  // StagedStream::Listener
  void onShown(plugins::FrameSpan span) override;
  void onGroupAtSink(periodic::Stage, unsigned) override {}
  void onGroupAtDecoder(unsigned) override {}
  void onFormat() override { m_choice->follow(m_stream->videoSink()); }
  void onFirstDecoded(const DecoderGate&) override { m_decoderBegan.store(true); }
  void onRateMeasured() override { m_rateMeasured.store(true); }
  void onRefused(const std::string& why) override { fail(why); }

  IncomingSound::Heard m_heard;
  std::unique_ptr<plugins::CallOutput> m_output;  // null: the sound is played to nobody
  Duration m_latency{0};
  std::unique_ptr<StagedStream> m_stream;
  std::unique_ptr<CallKeeper> m_keeper;
  std::unique_ptr<OfferingPeer> m_peer;
  std::atomic<bool> m_decoderBegan{false}, m_rateMeasured{false};
  std::unique_ptr<SizeChoice> m_choice;

  mutable periodic::PriorityInheritanceMutex m_shownMutex;  // guards m_continuity, for moments
  PictureContinuity m_continuity;

  mutable std::mutex m_mutex;  // guards what follows; each is made once
  std::string m_fault;
  std::unique_ptr<IncomingPictures> m_pictures;
  std::unique_ptr<IncomingSound> m_sound;
  IncomingBuffers m_buffers;
  Thinning m_thinning;
  bool m_held = false;
  ArrivalWatch m_arrival;
  SourceLimit m_delivery;  // as the room says
  bool m_expected = true;
};

Result<void> IncomingCall::Body::build(const Options& options, periodic::Scheduler& scheduler,
                                       CallListener* listener) {
  if (options.encodings.empty() && !options.sound)
    return Error{ErrorCode::InvalidArgument, "Neither pictures nor sound were to be received."};
  gst_init(nullptr, nullptr);
  m_heard = options.heard;
  m_latency = options.latency;
  m_choice = std::make_unique<SizeChoice>(options.smaller);
  if (options.sound && options.soundDevice)
    m_output = std::make_unique<plugins::CallOutput>(plugins::CallOutput::Config{
        .target = *options.soundDevice, .name = options.label.empty() ? "Tactus" : options.label});
  StagedStream::Config config;
  config.label = options.label;
  config.target = options.target ? options.target : std::make_shared<HeadlessPictures>();
  auto stream = StagedStream::create(std::move(config), *this, scheduler);
  if (!stream.ok()) return stream.error();
  m_stream = std::move(stream).value();
  m_keeper = std::make_unique<CallKeeper>(scheduler, m_stream->adopter(), options.label,
                                          periodic::Stage::Receive, listener);
  OfferingPeer::Hooks hooks;
  hooks.onStreamStatus = [this](GstMessage* message) { m_keeper->onStreamStatus(message); };
  hooks.onElement = [this](GstElement* element) { onElement(element); };
  hooks.onPad = [this](GstPad* pad) { onPad(pad); };
  auto peer = OfferingPeer::create({.addresses = options.addresses, .latency = options.latency},
                                   std::move(hooks), m_keeper->wake());
  if (!peer.ok()) return peer.error();
  m_peer = std::move(peer).value();
  if (!options.encodings.empty()) m_peer->receive(*pictureFormats(options.encodings));
  if (options.sound) m_peer->receive(*soundFormats());
  if (auto started = m_peer->start(); !started.ok()) return started.error();
  m_stream->setPlaying(true);
  return m_keeper->run(*m_peer, {.look = [this](TimePoint now) { look(now); },
                                 .fault = [this] { return fault(); },
                                 .stop = [this] { m_stream->interrupt(); }});
}

Result<void> IncomingCall::Body::accept(std::string_view answer) {
  if (auto accepted = m_peer->accept(answer); !accepted.ok()) return accepted.error();
  m_keeper->answered();
  return {};
}

void IncomingCall::Body::onElement(GstElement* element) {
  m_keeper->onElement(element);
  const std::lock_guard lock(m_mutex);
  m_buffers.add(element);
}

void IncomingCall::Body::onPad(GstPad* pad) {
  const std::string encoding = encodingOf(pad);
  auto* pipeline = GST_BIN(m_peer->pipeline());
  const std::lock_guard lock(m_mutex);
  if (encoding == "OPUS") {
    if (m_sound) return;  // another source of the same track: the first is played
    auto sound = IncomingSound::create(pipeline, pad, *m_stream, {m_output.get(), m_heard});
    if (sound.ok())
      m_sound = std::move(sound).value();
    else if (m_fault.empty())
      m_fault = sound.error().message;
  } else if (!m_pictures) {
    auto pictures = IncomingPictures::create(pipeline, pad, encoding.c_str(), *m_stream, m_latency);
    if (pictures.ok()) {
      m_pictures = std::move(pictures).value();
      applyThinningLocked();
    } else if (m_fault.empty()) {
      m_fault = pictures.error().message;
    }
  }
}

void IncomingCall::Body::fail(std::string why) {
  const std::lock_guard lock(m_mutex);
  if (m_fault.empty()) m_fault = std::move(why);
}

std::string IncomingCall::Body::fault() const {
  const std::lock_guard lock(m_mutex);
  return m_fault;
}

/// From one picture to the next; zero: unknown.
Duration IncomingCall::Body::period() const {
  const double rate = m_stream->nominalRate();
  return rate > 0 ? periodic::fromSeconds(1 / rate) : Duration{0};
}

/// The most that the delay of the pictures becomes.
Duration IncomingCall::Body::latency() const {
  return Duration(static_cast<std::int64_t>(gst_base_sink_get_latency(GST_BASE_SINK(m_stream->videoSink()))));
}

/// Pictures that the plan leaves out, before decoding and after it.
std::uint64_t IncomingCall::Body::shedOnPurpose() const {
  const DecoderGates::Counts counts = m_stream->counts();
  const auto dropped = m_stream->shown().dropped;
  return counts.thinned + counts.byLastStage +
         dropped[static_cast<std::size_t>(plugins::DropReason::ShedBeforeConversion)];
}

void IncomingCall::Body::onShown(plugins::FrameSpan span) {
  const std::uint64_t shed = shedOnPurpose();
  const std::lock_guard lock(m_shownMutex);
  m_continuity.onShown(MonotonicClock::now(), Duration(span.begin), period(), shed);
}

void IncomingCall::Body::look(TimePoint now) {
  if (m_decoderBegan.exchange(false)) m_stream->adoptWorkers();
  if (m_rateMeasured.exchange(false)) m_stream->followRate();
  const bool live = m_keeper->life().state() == CallState::Live;
  const std::lock_guard lock(m_mutex);
  if (!m_pictures) return;
  m_pictures->look(now, m_stream->counts().decoded);
  watchArrivalLocked(now, live);
}

/// What comes counts, not what is decoded: pictures that are thinned out here come all the same.
void IncomingCall::Body::watchArrivalLocked(TimePoint now, bool live) {
  const ArrivalWatch::Counters counters{.expected = live && m_expected,
                                        .picturePackets = m_pictures->packets(),
                                        .soundPackets = m_sound ? m_sound->figures().packets : 0,
                                        .lost = m_buffers.figures().lostByLine,
                                        .pictures = m_pictures->received(),
                                        .heard = m_keeper->heard()};
  m_arrival.look(now, counters);
}

IncomingReport IncomingCall::Body::query() const {
  const CallLife life = m_keeper->life();
  IncomingReport report;
  report.state = life.state();
  report.why = life.why();
  report.rtp = readRtpFigures(m_peer->rtpStatistics().get());
  const DecoderGates::Counts counts = m_stream->counts();
  const auto dropped = m_stream->shown().dropped;
  const std::uint64_t thinned = dropped[static_cast<std::size_t>(plugins::DropReason::ShedBeforeConversion)];
  report.pictures.shed = counts.thinned + counts.toKeyframe + thinned;
  report.pictures.decoded = counts.decoded;
  report.pictures.late = std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0}) - thinned;
  report.delay = playoutDelayOf(m_stream->videoSink());
  report.latency = latency();
  {
    const std::lock_guard lock(m_shownMutex);
    report.pictures.shown = m_continuity.figures();
  }
  const std::lock_guard lock(m_mutex);
  const auto buffered = m_buffers.figures();
  report.lost = buffered.lost;
  report.jitter = buffered.jitter;
  report.retransmission = buffered.retransmission;
  if (m_pictures) {
    report.pictures.received = m_pictures->received();
    report.pictures.keyframesAsked = m_pictures->keyframesAsked();
  }
  if (m_sound) report.sound = m_sound->figures();
  if (m_output) report.sound.output = m_output->figures();
  return report;
}

LoadFigures IncomingCall::Body::load() const {
  LoadFigures figures = m_stream->load();
  const CallState state = m_keeper->life().state();
  figures.lastRung = LastRung::SoundAlone;
  figures.film = 1;  // from its beginning to its end
  figures.opening = state == CallState::Offered || state == CallState::Connecting;
  figures.playing = state == CallState::Live;
  figures.sizes = m_choice->sizes();
  const std::lock_guard lock(m_mutex);
  if (m_pictures) {
    figures.reach = m_pictures->reach(m_stream->adopter().time().now(), period());
    figures.caughtUp = m_pictures->caughtUp();
    figures.playout = playoutDelayOf(m_stream->videoSink());
    figures.longestPlayout = latency();
  }
  if (figures.playing && m_expected)
    figures.limit = m_delivery.place != SourceLimit::Place::None ? m_delivery : m_arrival.limit();
  return figures;
}

void IncomingCall::Body::setThinning(Thinning thinning) {
  m_choice->ask(thinning.smaller);
  const std::lock_guard lock(m_mutex);
  m_thinning = thinning;
  applyThinningLocked();
}

void IncomingCall::Body::setHeld(bool held) {
  const std::lock_guard lock(m_mutex);
  m_held = held;
  applyThinningLocked();
}

void IncomingCall::Body::setDelivery(const SourceLimit& delivery) {
  const std::lock_guard lock(m_mutex);
  m_delivery = delivery;
}

void IncomingCall::Body::setPicturesExpected(bool expected) {
  const std::lock_guard lock(m_mutex);
  m_expected = expected;
}

void IncomingCall::Body::applyThinningLocked() {
  Thinning thinning = m_thinning;
  thinning.lastRung = thinning.lastRung || m_held;
  m_stream->setThinning(thinning);
  if (m_pictures) m_pictures->setResting(thinning.lastRung);
}

std::vector<periodic::TaskReport> IncomingCall::Body::stages() const {
  auto reports = m_stream->stages();
  for (auto& named : m_keeper->namedThreads()) reports.push_back(std::move(named));
  return reports;
}

IncomingCall::IncomingCall(std::unique_ptr<Body> body) : m_body(std::move(body)) {}

IncomingCall::~IncomingCall() = default;

void IncomingCall::prepare() {
  OfferingPeer::prepare();
}

Result<std::unique_ptr<IncomingCall>> IncomingCall::create(const Options& options,
                                                           periodic::Scheduler& scheduler,
                                                           CallListener* listener) {
  auto body = std::make_unique<Body>();
  if (auto built = body->build(options, scheduler, listener); !built.ok()) return built.error();
  return std::unique_ptr<IncomingCall>(new IncomingCall(std::move(body)));
}

Result<std::string> IncomingCall::offer() {
  return m_body->offer();
}

Result<void> IncomingCall::accept(std::string_view answer) {
  return m_body->accept(answer);
}

IncomingReport IncomingCall::query() const {
  return m_body->query();
}

std::vector<periodic::TaskReport> IncomingCall::stages() const {
  return m_body->stages();
}

void IncomingCall::setVolume(double volume) noexcept {
  if (auto* output = m_body->output()) output->setVolume(volume);
}

void IncomingCall::setMuted(bool muted) noexcept {
  if (auto* output = m_body->output()) output->setMuted(muted);
}

LoadFigures IncomingCall::load() const {
  return m_body->load();
}

void IncomingCall::setThinning(Thinning thinning) {
  m_body->setThinning(thinning);
}

void IncomingCall::setService(StreamService service) {
  m_body->setService(std::move(service));
}

void IncomingCall::setHeld(bool held) {
  m_body->setHeld(held);
}

void IncomingCall::setDelivery(const SourceLimit& delivery) {
  m_body->setDelivery(delivery);
}

void IncomingCall::setPicturesExpected(bool expected) {
  m_body->setPicturesExpected(expected);
}

void IncomingCall::setHalved(PictureSize larger) {
  m_body->setHalved(larger);
}

void IncomingCall::stop() noexcept {
  m_body->stop();
}

}  // namespace tactus::media
