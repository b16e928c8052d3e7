// SPDX-License-Identifier: Apache-2.0
#include "media/stage/sink_stage.h"

#include <string>
#include <utility>

#include "plugins/clock_time.h"
#include "plugins/due_instant.h"
#include "plugins/video_sink.h"

namespace tactus::media {
namespace {

using periodic::Duration;

constexpr Duration kShortestSound = std::chrono::milliseconds(5);
constexpr std::uint32_t kWorkahead = 8;
constexpr std::int64_t kNoDeadline = -1;

std::optional<periodic::Rate> rateOf(double perSecond) {
  if (perSecond <= 0) return std::nullopt;
  const auto rate = periodic::Rate::fromPeriod(periodic::fromSeconds(1 / perSecond));
  return rate.ok() ? std::optional(rate.value()) : std::nullopt;
}

}  // namespace

SinkStage::SinkStage(GstElement* sink, periodic::Stage stage, StageAdopter& adopter, Hooks hooks)
    : m_sink(plugins::share<plugins::ElementPtr>(sink)),
      m_stage(stage),
      m_hooks(std::move(hooks)),
      m_pad(gst_element_get_static_pad(sink, "sink")),
      m_time(adopter.time()),
      m_task(adopter) {
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
  constexpr auto kTypes =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  m_probe = gst_pad_add_probe(m_pad.get(), kTypes, onData, this, nullptr);
  if (!ofSound()) plugins::setStreamCallback(m_sink.get(), m_hooks.onStream);
}

SinkStage::~SinkStage() {
  gst_pad_remove_probe(m_pad.get(), m_probe);
  if (ofSound()) return;
  plugins::setStreamCallback(m_sink.get(), {});
  plugins::setVideoSinkTask(m_sink.get(), nullptr);
}

GstPadProbeReturn SinkStage::onData(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<SinkStage*>(data);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    self.onPacket(GST_PAD_PROBE_INFO_BUFFER(info));
  } else {
    self.onEvent(GST_PAD_PROBE_INFO_EVENT(info));
  }
  return GST_PAD_PROBE_OK;
}

void SinkStage::onEvent(GstEvent* event) {
  guint group = 0;
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment(event, &m_segment);
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    m_formatUntold = true;
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START && ofSound() && m_hooks.onStream &&
             gst_event_parse_group_id(event, &group) != FALSE) {
    m_hooks.onStream(group);
  }
}

void SinkStage::bindThread(GstBuffer* buffer) {
  periodic::TaskContract terms = periodic::contractOf(m_stage);
  periodic::Rate rate = terms.lbap.rate;
  if (const auto length = plugins::durationOf(GST_BUFFER_DURATION(buffer));
      length && *length > Duration::zero()) {
    const auto measured = periodic::Rate::fromPeriod(*length);
    // The first buffer of sound after a seek is cut short and says nothing.
    if (measured.ok() && (!ofSound() || *length >= kShortestSound)) rate = measured.value();
  }
  const Pace pace = this->pace();
  terms.lbap = {rateOf(pace.rate).value_or(rate), kWorkahead};
  terms.early = periodic::EarlyPackets::Clocked;  // the pipeline's clock has its say
  terms.frequency = pace.frequency;
  if (m_task.bind(std::move(terms)) && !ofSound()) plugins::setVideoSinkTask(m_sink.get(), m_task.get());
}

void SinkStage::onPacket(GstBuffer* buffer) {
  if (std::exchange(m_formatUntold, false) && m_hooks.onFormat) m_hooks.onFormat();
  if (!m_task.isHere()) bindThread(buffer);
  periodic::Task* task = m_task.here();
  if (!ofSound() || task == nullptr) return;
  task->pass();
  const auto running = plugins::runningTimeOf(m_segment, buffer);
  const bool plays = GST_STATE(m_sink.get()) == GST_STATE_PLAYING;
  const auto due = plays && running ? plugins::dueInstant(m_sink.get(), *running, m_time) : std::nullopt;
  if (due) {
    task->complete(*due + plugins::durationOf(GST_BUFFER_DURATION(buffer)).value_or(Duration{0}));
  } else {
    task->abandon(kNoDeadline);  // without a clock nothing is late
  }
}

void SinkStage::followPace() {
  const auto task = m_task.get();
  if (!task) return;
  const Pace pace = this->pace();
  periodic::ContractPatch patch{.frequency = pace.frequency};
  if (const auto rate = rateOf(pace.rate)) patch.lbap = periodic::LbapContract{*rate, kWorkahead};
  (void)task->amend(patch);  // refused: the old reservation stays
}

}  // namespace tactus::media
