// SPDX-License-Identifier: Apache-2.0
#include "media/stage/decoder_gate.h"

#include <gst/video/video-event.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/periodic/kernel/thread_clock.h"
#include "media/stage/film_memory.h"
#include "media/stage/picture_queue.h"
#include "plugins/clock_time.h"
#include "plugins/due_instant.h"
#include "plugins/video_target.h"

namespace tactus::media {
namespace {

using periodic::Duration;
using periodic::TimePoint;

constexpr Duration kGuessPerPixel{5};  // first guess of a picture's processing time, until it is measured
constexpr Duration kUnknownPeriod = std::chrono::milliseconds(40);
constexpr Duration kNoSpacing{1};
constexpr std::int64_t kNoDeadline = -1;  // what Task::abandon() gets for a packet that nobody waits for

std::string factoryName(GstElement* element) {
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr) return "decoder";
  std::string name = gst_plugin_feature_get_name(GST_PLUGIN_FEATURE(factory));
  constexpr std::string_view kPrefix = "avdec_";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

}  // namespace

DecoderGate::DecoderGate(GstElement* decoder, periodic::Stage stage, StageAdopter& adopter, Config config)
    : m_decoder(plugins::share<plugins::ElementPtr>(decoder)),
      m_stage(stage),
      m_adopter(adopter),
      m_config(std::move(config)),
      m_threads(ofPictures() ? "tvdec-" : "tadec-"),
      m_input(gst_element_get_static_pad(decoder, "sink")),
      m_output(gst_element_get_static_pad(decoder, "src")),
      m_task(adopter),
      m_shedder(m_config.filter) {
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
}

std::shared_ptr<DecoderGate> DecoderGate::create(GstElement* decoder, periodic::Stage stage,
                                                 StageAdopter& adopter, Config config) {
  std::shared_ptr<DecoderGate> gate(new DecoderGate(decoder, stage, adopter, std::move(config)));
  using Held = std::shared_ptr<DecoderGate>;
  const auto add = [&](GstPad* pad, int types, GstPadProbeCallback callback) -> gulong {
    if (pad == nullptr) return 0;
    return gst_pad_add_probe(pad, static_cast<GstPadProbeType>(types), callback, new Held(gate),
                             [](gpointer held) { delete static_cast<Held*>(held); });
  };
  const int downstream = int{GST_PAD_PROBE_TYPE_BUFFER} | int{GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM};
  gate->m_inputProbe = add(gate->m_input.get(), downstream | int{GST_PAD_PROBE_TYPE_EVENT_FLUSH}, onInput);
  gate->m_outputProbe = add(gate->m_output.get(), downstream, onOutput);
  if (g_signal_lookup("opens", G_OBJECT_TYPE(decoder)) != 0)  // tactusavdec's
    gate->m_opens = g_signal_connect_data(
        decoder, "opens", G_CALLBACK(onOpens), new Held(gate),
        [](gpointer held, GClosure*) { delete static_cast<Held*>(held); }, GConnectFlags{});
  return gate;
}

void DecoderGate::detach() {
  const auto self = shared_from_this();  // the probes may hold the last references
  if (const gulong probe = m_inputProbe.exchange(0)) gst_pad_remove_probe(m_input.get(), probe);
  if (const gulong probe = m_outputProbe.exchange(0)) gst_pad_remove_probe(m_output.get(), probe);
  if (const gulong opens = m_opens.exchange(0)) g_signal_handler_disconnect(m_decoder.get(), opens);
}

GstPadProbeReturn DecoderGate::onInput(GstPad*, GstPadProbeInfo* info, gpointer held) {
  auto& self = **static_cast<std::shared_ptr<DecoderGate>*>(held);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    return self.onPacket(GST_PAD_PROBE_INFO_BUFFER(info)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  return self.onEvent(GST_PAD_PROBE_INFO_EVENT(info)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn DecoderGate::onOutput(GstPad*, GstPadProbeInfo* info, gpointer held) {
  auto& self = **static_cast<std::shared_ptr<DecoderGate>*>(held);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    self.onDecoded();
    return GST_PAD_PROBE_OK;
  }
  if (guint group = 0; self.m_config.onStream &&
                       GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_STREAM_START &&
                       gst_event_parse_group_id(GST_PAD_PROBE_INFO_EVENT(info), &group) != FALSE)
    self.m_config.onStream(group);
  const bool ours =
      self.m_draining && GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CUSTOM_DOWNSTREAM;
  return ours ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/// The same stream costs a device's driver other processing times than a decoder: that is another task.
void DecoderGate::onOpens(GstElement*, const char* device, gpointer held) {
  auto& self = **static_cast<std::shared_ptr<DecoderGate>*>(held);
  self.m_threads.nameThisThread();
  self.m_announced = false;
  if (std::exchange(self.m_device, device) != device && self.m_task.isHere()) self.m_adopter.leave();
}

void DecoderGate::onDecoded() {
  m_decoded.fetch_add(1, std::memory_order_relaxed);
  // Here and not at the next packet: what follows is the wait for room in the queue behind the decoder.
  if (auto* task = m_task.here(); task != nullptr && m_task.isHere()) task->complete();
  if (std::exchange(m_announced, true)) return;
  if (m_config.onFirstDecoded) m_config.onFirstDecoded(*this);
}

bool DecoderGate::onEvent(GstEvent* event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START:
      onFlush(true);
      break;
    case GST_EVENT_FLUSH_STOP:
      onFlush(false);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment(event, &m_segment);
      m_clock.beginSegment(m_segment.rate);
      m_lbapChanged = true;
      m_ahead.forget();
      m_segments.fetch_add(1, std::memory_order_relaxed);
      break;
    case GST_EVENT_EOS:
      m_ahead.forget();
      break;
    case GST_EVENT_CAPS: {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event, &caps);
      return onCaps(caps);
    }
    default:
      break;
  }
  return true;
}

/// A flush begins in the seeking thread while the streaming thread may wait; it ends with the stream locked.
void DecoderGate::onFlush(bool begins) {
  const auto task = m_task.get();
  if (begins) {
    if (task) task->interrupt();
    return;
  }
  if (task) task->resume();
  m_clock.flush();
  m_shedder.flush();
}

/// Before the decoder allocates anything for the format. For how many threads there is memory, each of which
/// keeps pictures: the wanted number, else a half of it and so on; 0 = not for one.
int DecoderGate::holdMemory(int wantedThreads) {
  giveBackMemory();
  for (int threads = wantedThreads;; threads /= 2) {
    const std::uint64_t bytes = memoryOf(m_format, threads, kQueuedUntilKnown);
    auto held =
        periodic::HeldShares::hold({{m_adopter.memory(), {m_config.film, static_cast<double>(bytes)}}});
    m_refused = !held.ok();
    if (!m_refused) {
      m_held = std::move(held).value();
      m_memory.store(bytes, std::memory_order_relaxed);
      return threads;
    }
    if (threads > 1) continue;
    if (m_config.onRefused) m_config.onRefused(held.error().sentence);
    return 0;
  }
}

void DecoderGate::giveBackMemory() noexcept {
  m_held.giveBack();
  m_memory.store(0, std::memory_order_relaxed);
}

bool DecoderGate::onCaps(const GstCaps* caps) {
  m_format = EncodedFormat::of(caps, m_stage);
  m_nominalRate.store(m_format.rate ? m_format.rate->perSecond() : 0, std::memory_order_relaxed);
  m_pictureBytes.store(m_format.pictureBytes(), std::memory_order_relaxed);
  // The decoder opens right after this event, in this thread (the demuxer's at first, later the one that
  // decodes). adoptWorkers() gives the thread itself another name.
  m_threads.nameThisThread();
  int threads = 1;
  if (ofPictures()) {
    const periodic::Rate rate = m_format.rate.value_or(periodic::rowOf(m_stage).rate);
    const double pixelsPerSecond = rate.perSecond() * static_cast<double>(m_format.pixels());
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    const int wanted =
        m_config.maxThreads > 0 ? m_config.maxThreads : decoderThreadsFor(pixelsPerSecond, processors);
    const int fitting = holdMemory(limitDecoderThreads(m_decoder.get(), wanted));
    if (fitting == 0) return false;
    threads = limitDecoderThreads(m_decoder.get(), fitting);
  }
  m_clock.setStream({m_format.rate, m_format.inDecodingOrder, threads, ofPictures()});
  m_shedder.setStream(m_format.coding.codec == FrameCoding::Codec::Intra,
                      m_format.rate ? m_format.rate->period() : Duration{0});
  m_lbapChanged = true;
  m_announced = false;
  return true;
}

periodic::LbapContract DecoderGate::lbapOf(GstBuffer* buffer) const {
  if (ofPictures()) return m_clock.ofPictures();
  return m_clock.ofSound(plugins::durationOf(GST_BUFFER_DURATION(buffer)));
}

void DecoderGate::bindThread(GstBuffer* buffer) {
  periodic::TaskContract terms = periodic::contractOf(m_stage);
  std::string decoder = m_format.codec.empty() ? factoryName(m_decoder.get()) : m_format.codec;
  if (!m_device.empty()) decoder += " " + m_device;
  terms.name += " (" + decoder + ")";
  terms.lbap = lbapOf(buffer);
  terms.kind = m_format.name + " " + decoder;
  if (ofPictures()) terms.processing = kGuessPerPixel * m_format.pixels();
  // Ahead of its time it must not delay others, but must get ahead of the screen even beside processor hogs.
  terms.early = periodic::EarlyPackets::Demoted;
  if (m_task.bind(std::move(terms))) m_lbapChanged = false;
}

bool DecoderGate::decodeOnly(GstBuffer* buffer) const {
  if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DECODE_ONLY)) return true;
  return GST_BUFFER_PTS_IS_VALID(buffer) && m_segment.format == GST_FORMAT_TIME &&
         GST_CLOCK_TIME_IS_VALID(m_segment.start) && GST_BUFFER_PTS(buffer) < m_segment.start;
}

/// When the packet's picture is due. Absent backwards, where packets are not decoded in the order of their
/// turns.
std::optional<TimePoint> DecoderGate::dueOf(GstBuffer* buffer) {
  if (m_segment.rate <= 0 || !m_config.sink) return {};
  const auto running = plugins::runningTimeOf(m_segment, buffer);
  const auto due =
      running ? plugins::dueInstant(m_config.sink.get(), *running, m_adopter.time()) : std::nullopt;
  if (due) m_clock.meet(*running);
  return due;
}

bool DecoderGate::isDisposable(GstBuffer* buffer) const {
  const bool alone = m_format.coding.codec == FrameCoding::Codec::Intra;
  if (!alone && !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)) return false;
  GstMapInfo map{};
  if (gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return false;
  const bool disposable = media::isDisposable(m_format.coding, {map.data, map.size});
  gst_buffer_unmap(buffer, &map);
  return disposable;
}

/// On the way to a seek's target: its picture is over before anything is shown, and no other needs it.
bool DecoderGate::isPassedOver(GstBuffer* buffer) const {
  if (!mayShed() || m_segment.rate <= 0 || m_segment.format != GST_FORMAT_TIME) return false;
  const auto start = plugins::durationOf(m_segment.start);
  const auto begin = plugins::durationOf(GST_BUFFER_PTS(buffer));
  const auto length = plugins::durationOf(GST_BUFFER_DURATION(buffer));
  if (!start || !begin || !length) return false;
  // A default in a header may say anything; as the decoder reads it.
  const Duration period = m_format.rate ? m_format.rate->period() : kUnknownPeriod;
  return *begin + std::max(*length, period) <= *start && isDisposable(buffer);
}

bool DecoderGate::sheds(GstBuffer* buffer, bool unseen, std::optional<TimePoint> due) {
  if (!mayShed()) return false;
  const Shedder::Packet packet{!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT),
                               !unseen && isDisposable(buffer), plugins::durationOf(GST_BUFFER_PTS(buffer))};
  const auto judged = m_shedder.judge(packet, unseen, due, m_adopter.time().now());
  if (judged.drain) drainDecoder();
  return judged.fate != Shedder::Fate::Decode;
}

/// A decoder keeps pictures back until later ones have come, since they may have to be shown before. Where
/// those are given up, it would keep a keyframe until the next. A still, as on a disc's menu, makes it let
/// go.
void DecoderGate::drainDecoder() {
  m_draining = true;
  gst_pad_send_event(m_input.get(), gst_video_event_new_still_frame(TRUE));
  m_draining = false;
}

bool DecoderGate::onPacket(GstBuffer* buffer) {
  if (m_refused) return false;
  if (!m_task.isHere()) bindThread(buffer);
  periodic::Task* task = m_task.here();
  if (task == nullptr) return true;
  const bool unseen = !m_playing.load(std::memory_order_relaxed) || decodeOnly(buffer);
  const auto due = dueOf(buffer);
  const bool shed = sheds(buffer, unseen, due);
  const auto spacing = spacingOf(buffer);
  // Refused: the LBAP holds all the same, without a reservation.
  if (std::exchange(m_lbapChanged, false)) (void)task->amend({.lbap = lbapOf(buffer)});
  if (!unseen) {
    enforce(*task, buffer, spacing, due, shed);
    return !shed;
  }
  task->pass(spacing, periodic::ByteCount{gst_buffer_get_size(buffer)});
  task->abandon(kNoDeadline);
  task->reanchor();
  return !shed && !isPassedOver(buffer);
}

std::optional<Duration> DecoderGate::spacingOf(GstBuffer* buffer) {
  const auto spacing = m_clock.spacing(
      {plugins::durationOf(GST_BUFFER_DTS(buffer)), plugins::durationOf(GST_BUFFER_PTS(buffer))});
  if (ofPictures() && m_clock.rate() != m_format.rate) {
    m_format.rate = m_clock.rate();
    m_nominalRate.store(m_format.rate ? m_format.rate->perSecond() : 0, std::memory_order_relaxed);
    m_lbapChanged = true;
    if (m_config.onRateMeasured) m_config.onRateMeasured();
  }
  return spacing;
}

/// What is given up waits for its turn as well: else the reader would run seconds ahead, and a change of mind
/// would take as long to be seen. Whose turn is over does not wait for its contract's rate as well, or it
/// would stay late for good: a live stream that comes in a heap, because the network held it up, has stamps
/// that stand still, and its turns come earlier once it is shown with less delay again.
void DecoderGate::enforce(periodic::Task& task, GstBuffer* buffer, std::optional<Duration> spacing,
                          std::optional<TimePoint> due, bool shed) {
  const auto turn = due ? std::optional(m_clock.turn(*due)) : std::nullopt;
  if (turn && *turn <= m_adopter.time().now()) spacing = kNoSpacing;
  task.enforce(spacing, periodic::ByteCount{gst_buffer_get_size(buffer)}, turn);
  if (shed) task.abandon(static_cast<std::int64_t>(plugins::DropReason::ShedBeforeDecoding));
  if (!due) return;
  const TimePoint now = m_adopter.time().now();
  m_ahead.note(*due - m_clock.keptBack() - now, now);
  m_lead.store(m_clock.lead().count(), std::memory_order_relaxed);
}

void DecoderGate::followFrequency() {
  const auto task = m_task.get();
  if (!task || !mayShed()) return;
  (void)task->amend({.frequency = m_shedder.reservedFrequency()});  // refused: the old reservation stays
}

std::optional<Duration> DecoderGate::ahead() const noexcept {
  const double rate = nominalRate();
  const Duration period = rate > 0 ? periodic::fromSeconds(1 / rate) : kUnknownPeriod;
  return m_ahead.at(m_adopter.time().now(), period);
}

std::optional<periodic::TaskReport> DecoderGate::report() const {
  const auto task = m_task.get();
  if (!task) return std::nullopt;
  return task->report();
}

void DecoderGate::adoptWorkers() {
  const auto task = m_task.get();
  if (!task) return;
  std::vector<pid_t> workers;
  for (const pid_t thread : m_threads.find()) {
    if (!m_adopter.has(thread)) {
      workers.push_back(thread);
    } else {
      DecoderThreads::rename(thread, nameOf(m_stage));
    }
  }
  task->setWorkers(workers);
  const std::lock_guard lock(m_workersMutex);
  m_workers = std::move(workers);
}

Duration DecoderGate::workersWaited() const {
  Duration sum{0};
  const std::lock_guard lock(m_workersMutex);
  for (const pid_t worker : m_workers) sum += periodic::waitTimeOf(worker);
  return sum;
}

}  // namespace tactus::media
