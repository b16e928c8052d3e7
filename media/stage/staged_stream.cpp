// SPDX-License-Identifier: Apache-2.0
#include "media/stage/staged_stream.h"

#include <algorithm>
#include <utility>

#include "plugins/audio_sink.h"

namespace tactus::media {
namespace {

using periodic::Shedding;
using periodic::Stage;

constexpr double kLeastReserved = 0.05;  // a reservation of nothing is none

plugins::ElementPtr make(const char* factory) {
  GstElement* element = gst_element_factory_make(factory, nullptr);
  if (element != nullptr) gst_object_ref_sink(element);
  return plugins::ElementPtr(element);
}

}  // namespace

StagedStream::StagedStream(Config config, Listener& listener, periodic::Scheduler& scheduler)
    : m_config(std::move(config)), m_listener(listener), m_adopter(scheduler, m_config.label) {}

Result<std::unique_ptr<StagedStream>> StagedStream::create(Config config, Listener& listener,
                                                           periodic::Scheduler& scheduler) {
  std::unique_ptr<StagedStream> stream(new StagedStream(std::move(config), listener, scheduler));
  if (auto built = stream->build(); !built.ok()) return built.error();
  return stream;
}

StagedStream::~StagedStream() {
  if (m_videoSink) {
    plugins::setFrameShownCallback(m_videoSink.get(), {});
    plugins::setVideoTarget(m_videoSink.get(), nullptr);
  }
  m_gates.detachAll();
}

Result<void> StagedStream::build() {
  plugins::registerElements();
  m_videoSink = make("tactusvideosink");
  m_audioSink = make("tactusaudiosink");
  if (!m_videoSink || !m_audioSink)
    return Error{ErrorCode::Unsupported, "GStreamer does not know Tactus's sinks."};
  plugins::setVideoTarget(m_videoSink.get(), m_config.target);
  plugins::setPictureFilter(m_videoSink.get(), m_filter);
  if (m_config.tap)
    m_tapped = std::make_unique<FilmTap::Source>(m_config.tap, m_videoSink.get(), m_audioSink.get(),
                                                 m_adopter.time());
  plugins::setFrameShownCallback(m_videoSink.get(), [this](plugins::FrameSpan span) {
    m_listener.onShown(span);
    if (m_tapped) m_tapped->shown();
  });
  m_videoStage = makeStage(m_videoSink.get(), Stage::VideoDisplay);
  m_audioStage = makeStage(m_audioSink.get(), Stage::Audio);
  if (!m_config.audioTarget.empty())
    g_object_set(m_audioSink.get(), "target-object", m_config.audioTarget.c_str(), nullptr);
  return {};
}

std::unique_ptr<SinkStage> StagedStream::makeStage(GstElement* sink, Stage stage) {
  SinkStage::Hooks hooks;
  if (periodic::rowOf(stage).shedding != Shedding::Nothing) hooks.pace = [this] { return displayPace(); };
  if (m_config.tellsGroups)
    hooks.onStream = [this, stage](guint group) { m_listener.onGroupAtSink(stage, group); };
  hooks.onFormat = [this] { m_listener.onFormat(); };
  return std::make_unique<SinkStage>(sink, stage, m_adopter, std::move(hooks));
}

void StagedStream::addDecoder(GstElement* decoder, Stage stage, std::string film) {
  const bool sound = periodic::rowOf(stage).sound;
  DecoderGate::Config config;
  config.maxThreads = m_config.maxDecoderThreads;
  config.filter = m_filter;
  config.sink = plugins::share<plugins::ElementPtr>(sound ? m_audioSink.get() : m_videoSink.get());
  config.onFirstDecoded = [this](DecoderGate& gate) { m_listener.onFirstDecoded(gate); };
  config.onRateMeasured = [this] { m_listener.onRateMeasured(); };
  if (!sound && m_config.tellsGroups)
    config.onStream = [this](guint group) { m_listener.onGroupAtDecoder(group); };
  config.film = std::move(film);
  config.onRefused = [this](const std::string& why) { m_listener.onRefused(why); };
  m_gates.add(DecoderGate::create(decoder, stage, m_adopter, std::move(config)));
}

void StagedStream::adoptWorkers() {
  m_gates.adoptWorkers();
  m_gates.forEachOfPictures([this](const DecoderGate& gate) {
    if (const auto task = gate.report()) m_queue.fit(*task, gate.pictureBytes());
  });
}

/// As often as decoding: a longer period would put the hand-over, which takes little and is due at once,
/// below everybody's decoding.
SinkStage::Pace StagedStream::displayPace() const {
  return {nominalRate(), std::max(kLeastReserved, m_gates.reservedFrequency(m_filter->frequency()))};
}

void StagedStream::setThinning(Thinning thinning) {
  m_filter->setFrequency(thinning.frequency);
  m_filter->setSize(thinning.size);
  m_gates.setKeyframesOnly(thinning.lastRung);
  m_videoStage->followPace();
}

LoadFigures StagedStream::load() const {
  LoadFigures figures;
  for (const periodic::StageRow& row : periodic::kStages) {
    const auto counters = m_adopter.counters(row.stage);
    switch (row.shedding) {
      case Shedding::Nothing:
        figures.otherTime += counters.cpuTime;
        break;
      case Shedding::BeforeDecoding:
        figures.decode += counters;
        break;
      case Shedding::BeforeDisplay:
        figures.display += counters;
        break;
    }
    if (row.governed) figures.waited += m_adopter.waited(row.stage);
  }
  const auto sink = plugins::videoSinkStatistics(m_videoSink.get());
  using plugins::DropReason;
  figures.late = sink.dropped[static_cast<std::size_t>(DropReason::LateAtSink)];
  figures.untaken = sink.dropped[static_cast<std::size_t>(DropReason::Replaced)];
  figures.nominalRate = nominalRate();
  m_gates.forEachOfPictures([&](const DecoderGate& gate) {
    figures.disposable = gate.shedder().disposable();
    figures.ahead = gate.ahead();
    figures.turn = gate.lead();
    figures.waited += gate.workersWaited();
    figures.segments = gate.segments();
  });
  return figures;
}

}  // namespace tactus::media
