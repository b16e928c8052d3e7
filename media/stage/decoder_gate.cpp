// SPDX-License-Identifier: Apache-2.0
#include "media/stage/decoder_gate.h"

#include <gst/video/video-event.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "media/stage/due_instant.h"
#include "plugins/video_target.h"

namespace tactus::media {
namespace {

using periodic::Duration;
using periodic::Rate;

// A decoder may be this far ahead: it fills the queue behind it (five pictures) and its own reordering.
constexpr std::uint32_t kVideoWorkahead = 10;
constexpr GstClockTime kMostReordered = GST_SECOND;
constexpr GstClockTime kIntraKept = GST_SECOND;
constexpr double kClockSlack = 1.01;
// First guesses of processing times, until measured: a picture by its size, a packet of sound.
constexpr Duration kGuessPerPixel{5};
constexpr Duration kAudioGuess = std::chrono::microseconds(300);

std::string nextName(bool video) {
  static std::atomic<unsigned> counter{0};
  return std::string(video ? "tvdec-" : "tadec-") +
         std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
}

std::string factoryName(GstElement* element) {
  GstElementFactory* factory = gst_element_get_factory(element);
  std::string name =
      factory != nullptr ? gst_plugin_feature_get_name(GST_PLUGIN_FEATURE(factory)) : "decoder";
  for (const char* prefix : {"avdec_"}) {
    if (name.starts_with(prefix)) name = name.substr(std::char_traits<char>::length(prefix));
  }
  return name;
}

/// More threads cost more CPU per frame and add a frame of delay each, so only as many as the pixel rate
/// needs.
int threadsFor(double pixelsPerSecond) {
  const int cpus = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (pixelsPerSecond <= 1280.0 * 720 * 32) return 1;
  if (pixelsPerSecond <= 1920.0 * 1080 * 61) return std::min(2, cpus);
  return std::min(4, cpus);
}

}  // namespace

DecoderGate::DecoderGate(GstElement* decoder, bool video, StageAdopter& adopter, Config config)
    : m_decoder(plugins::share<plugins::ElementPtr>(decoder)),
      m_video(video),
      m_adopter(adopter),
      m_config(std::move(config)),
      m_comm(nextName(video)),
      m_input(gst_element_get_static_pad(decoder, "sink")),
      m_output(gst_element_get_static_pad(decoder, "src")) {
  gst_segment_init(&m_segment, GST_FORMAT_TIME);
  constexpr auto kIn = static_cast<GstPadProbeType>(
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH);
  if (m_input) m_inputProbe = gst_pad_add_probe(m_input.get(), kIn, onInput, this, nullptr);
  if (m_output)
    m_outputProbe = gst_pad_add_probe(
        m_output.get(),
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
        onOutput, this, nullptr);
}

DecoderGate::~DecoderGate() {
  if (m_inputProbe != 0) gst_pad_remove_probe(m_input.get(), m_inputProbe);
  if (m_outputProbe != 0) gst_pad_remove_probe(m_output.get(), m_outputProbe);
}

void DecoderGate::setPlaying(bool playing) noexcept {
  m_playing.store(playing, std::memory_order_relaxed);
}

GstPadProbeReturn DecoderGate::onInput(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<DecoderGate*>(data);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    if (!self.onPacket(GST_PAD_PROBE_INFO_BUFFER(info))) return GST_PAD_PROBE_DROP;
  } else {
    self.onEvent(GST_PAD_PROBE_INFO_EVENT(info));
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn DecoderGate::onOutput(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<DecoderGate*>(data);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    const bool ours =
        self.m_draining && GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CUSTOM_DOWNSTREAM;
    return ours ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  }
  self.m_decoded.fetch_add(1, std::memory_order_relaxed);
  // Taken here and not at the next packet: what follows is the wait for room in the queue behind the decoder.
  if (self.m_task && self.m_boundThread.load(std::memory_order_relaxed) == periodic::currentThreadId()) {
    self.m_task->complete();
  }
  if (!self.m_announced) {
    self.m_announced = true;
    if (self.m_config.onFirstDecoded) self.m_config.onFirstDecoded(self);
  }
  return GST_PAD_PROBE_OK;
}

void DecoderGate::onEvent(GstEvent* event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START: {
      const std::lock_guard lock(m_mutex);
      if (m_task) m_task->interrupt();
      break;
    }
    case GST_EVENT_FLUSH_STOP: {
      const std::lock_guard lock(m_mutex);
      if (m_task) m_task->resume();
      m_lastStamp = GST_CLOCK_TIME_NONE;
      m_firstStamp = GST_CLOCK_TIME_NONE;
      m_untilKeyframe = false;  // a seek begins at one
      m_gridSet = false;        // and other pictures
      m_latest = GST_CLOCK_TIME_NONE;
      m_catchUp = {};
      m_resumedAt = GST_CLOCK_TIME_NONE;
      break;
    }
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment(event, &m_segment);
      m_latest = GST_CLOCK_TIME_NONE;
      m_changed = true;
      m_ahead.store(kUnknown, std::memory_order_relaxed);
      m_segments.fetch_add(1, std::memory_order_relaxed);
      break;
    case GST_EVENT_EOS:
      m_ahead.store(kUnknown, std::memory_order_relaxed);  // no packet is late
      break;
    case GST_EVENT_CAPS: {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event, &caps);
      onCaps(caps);
      break;
    }
    default:
      break;
  }
}

void DecoderGate::onCaps(const GstCaps* caps) {
  const GstStructure* format = gst_caps_get_structure(caps, 0);
  int numerator = 0;
  int denominator = 1;
  m_rate.reset();
  if (m_video && gst_structure_get_fraction(format, "framerate", &numerator, &denominator) && numerator > 0) {
    if (auto rate = Rate::create(numerator, denominator); rate.ok()) m_rate = rate.value();
  }
  m_nominalRate.store(m_rate ? m_rate->perSecond() : 0, std::memory_order_relaxed);
  // These codecs have no pictures out of order, so that presentation times are in decoding order.
  const std::string_view name = gst_structure_get_name(format);
  m_stampsDecodeOrder = !m_video || name == "video/x-vp8" || name == "video/x-vp9" || name == "video/x-av1";
  int width = 0;
  int height = 0;
  gst_structure_get_int(format, "width", &width);
  gst_structure_get_int(format, "height", &height);
  m_pixels = std::int64_t{std::max(width, 1)} * std::max(height, 1);
  // 4:2:0 in 8 bits, what nearly all films are.
  m_pictureBytes.store(static_cast<std::uint64_t>(m_pixels) * 3 / 2, std::memory_order_relaxed);
  m_kind = std::string(name) + (m_video ? " " + std::to_string(width) + "x" + std::to_string(height) : "") +
           " " + factoryName(m_decoder.get());
  m_coding = {};
  m_gridSet = false;
  m_reordered = 0;
  m_kindsSeen = 0;
  if (m_video) {
    const char* packing = gst_structure_get_string(format, "stream-format");
    const GValue* data = gst_structure_get_value(format, "codec_data");
    GstMapInfo map{};
    GstBuffer* buffer = data != nullptr ? gst_value_get_buffer(data) : nullptr;
    const bool mapped = buffer != nullptr && gst_buffer_map(buffer, &map, GST_MAP_READ) != FALSE;
    m_coding = FrameCoding::of(
        name, packing != nullptr ? packing : "",
        mapped ? std::span<const std::uint8_t>(map.data, map.size) : std::span<const std::uint8_t>());
    if (mapped) gst_buffer_unmap(buffer, &map);
  }
  m_changed = true;
  m_announced = false;
  // The decoder opens right after this event, in this thread (the demuxer's at first, later the one that
  // decodes); its worker threads inherit the name. adoptWorkers() names the thread itself anew.
  pthread_setname_np(pthread_self(), m_comm.c_str());
  if (m_video) limitThreads(format);
}

void DecoderGate::limitThreads(const GstStructure* format) {
  int width = 1280;
  int height = 720;
  gst_structure_get_int(format, "width", &width);
  gst_structure_get_int(format, "height", &height);
  const double rate = m_rate ? m_rate->perSecond() : 30;
  const int threads = m_config.maxThreads > 0 ? m_config.maxThreads : threadsFor(rate * width * height);
  for (const char* property : {"max-threads", "threads"}) {
    GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(m_decoder.get()), property);
    if (spec == nullptr) continue;
    const std::string text = std::to_string(threads);
    gst_util_set_object_arg(G_OBJECT(m_decoder.get()), property, text.c_str());
    m_threads = threads;
  }
}

periodic::LbapContract DecoderGate::contract(GstBuffer* buffer) const {
  const double speed = std::abs(m_segment.rate) * kClockSlack;
  if (m_video) return {m_rate.value_or(Rate::perSecond(30)).scaled(speed), kVideoWorkahead};
  Rate rate = Rate::perSecond(50);
  if (GST_BUFFER_DURATION_IS_VALID(buffer) && GST_BUFFER_DURATION(buffer) > 0) {
    const auto measured = Rate::fromPeriod(Duration(static_cast<std::int64_t>(GST_BUFFER_DURATION(buffer))));
    if (measured.ok()) rate = measured.value();
  }
  // A second of sound may be decoded ahead: it is cheap and it is what must never run dry.
  return {rate.scaled(speed), static_cast<std::uint32_t>(std::clamp(rate.perSecond(), 4.0, 1000.0))};
}

void DecoderGate::bindThread(GstBuffer* buffer) {
  periodic::TaskContract terms;
  terms.stage = m_video ? periodic::Stage::VideoDecode : periodic::Stage::AudioDecode;
  terms.name = std::string(nameOf(terms.stage)) + " (" + factoryName(m_decoder.get()) + ")";
  terms.lbap = contract(buffer);
  terms.kind = m_kind;
  terms.processing = m_video ? kGuessPerPixel * m_pixels : kAudioGuess;
  // Ahead of its time it must not delay others, but must get ahead of the screen even beside processor hogs.
  terms.early = periodic::EarlyPackets::Demoted;
  auto task = m_adopter.takeOver(std::move(terms));
  const std::lock_guard lock(m_mutex);
  m_task = std::move(task);
  m_boundThread.store(periodic::currentThreadId(), std::memory_order_relaxed);
  m_changed = false;
}

std::optional<Duration> DecoderGate::spacingOf(GstBuffer* buffer) {
  GstClockTime stamp = GST_BUFFER_DTS(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(stamp) && m_stampsDecodeOrder) stamp = GST_BUFFER_PTS(buffer);
  const double speed = std::max(0.01, std::abs(m_segment.rate)) * kClockSlack;
  const auto scaled = [&](GstClockTime time) {
    return Duration(static_cast<std::int64_t>(static_cast<double>(time) / speed));
  };
  if (GST_CLOCK_TIME_IS_VALID(stamp)) {
    const GstClockTime last = std::exchange(m_lastStamp, stamp);
    if (!GST_CLOCK_TIME_IS_VALID(last) || stamp <= last || stamp - last > GST_SECOND) return {};
    return scaled(stamp - last);
  }
  if (m_rate || !GST_BUFFER_PTS_IS_VALID(buffer)) return {};
  // Unknown rate and pictures out of order: the mean so far.
  const GstClockTime pts = GST_BUFFER_PTS(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(m_firstStamp)) {
    m_firstStamp = m_lastStamp = pts;
    m_stamps = 0;
    return {};
  }
  m_lastStamp = std::max(m_lastStamp, pts);
  ++m_stamps;
  if (m_lastStamp <= m_firstStamp) return {};
  return scaled((m_lastStamp - m_firstStamp) / m_stamps);
}

bool DecoderGate::decodeOnly(GstBuffer* buffer) const {
  if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DECODE_ONLY)) return true;
  return GST_BUFFER_PTS_IS_VALID(buffer) && m_segment.format == GST_FORMAT_TIME &&
         GST_CLOCK_TIME_IS_VALID(m_segment.start) && GST_BUFFER_PTS(buffer) < m_segment.start;
}

std::optional<periodic::TimePoint> DecoderGate::dueOf(GstBuffer* buffer) {
  if (!GST_BUFFER_PTS_IS_VALID(buffer) || m_segment.format != GST_FORMAT_TIME || m_segment.rate <= 0)
    return {};
  const GstClockTime running =
      gst_segment_to_running_time(&m_segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  const auto due = dueInstant(m_decoder.get(), running);
  if (!due) return {};
  if (!GST_CLOCK_TIME_IS_VALID(m_latest) || running > m_latest) m_latest = running;
  m_reordered = std::max(m_reordered, std::min(m_latest - running, kMostReordered));
  // Where some are, the decoder lets go of one that others refer to when the next such comes.
  m_heldBack = m_reordered > 0 && running == m_latest ? Duration(static_cast<std::int64_t>(m_reordered)) +
                                                            (m_rate ? m_rate->period() : Duration{0})
                                                      : Duration{0};
  return due;
}

/// When the packet's turn to be decoded comes: that long before its picture is due that it, and those that
/// the decoder keeps back meanwhile, can be ready. It must have been there by then: else the thread was held
/// up, not the stream. A picture that others refer to is decoded before them and shown after them: without
/// the reordering, what follows it would be taken for early when it is late.
periodic::TimePoint DecoderGate::turnOf(periodic::TimePoint due) const {
  const double pictures = 2.0 + (m_video ? m_threads - 1 : 0);  // each thread keeps one
  const double seconds = pictures / (m_rate ? m_rate->perSecond() * m_segment.rate : 25.0);
  return due - std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)) -
         Duration(static_cast<std::int64_t>(m_reordered));
}

/// Whether it needs none of those before. Where none ever does, one a second counts in the last stage
/// (`only`): so many others have.
bool DecoderGate::isKeyframe(GstBuffer* buffer, bool only) {
  const bool intra = m_coding.codec == FrameCoding::Codec::Intra;
  if (!intra || !only || !GST_BUFFER_PTS_IS_VALID(buffer)) {
    m_keptStamp = GST_CLOCK_TIME_NONE;
    return !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  }
  const GstClockTime stamp = GST_BUFFER_PTS(buffer);
  const bool first = !GST_CLOCK_TIME_IS_VALID(m_keptStamp) || stamp < m_keptStamp;
  if (!first && stamp - m_keptStamp < kIntraKept) return false;
  m_keptStamp = stamp;
  return true;
}

/// Whether the picture is given up before decoding. What others refer to must be decoded, except where
/// everything up to the next keyframe goes. `unseen`: the packet passes freely.
bool DecoderGate::sheds(GstBuffer* buffer, bool unseen, std::optional<periodic::TimePoint> due) {
  if (!m_video || !m_config.filter) return false;
  auto& filter = *m_config.filter;
  const bool only = !unseen && m_keyframesOnly.load(std::memory_order_relaxed);
  const bool intra = m_coding.codec == FrameCoding::Codec::Intra;
  const bool keyframe = isKeyframe(buffer, only);
  if (!m_gridSet && GST_BUFFER_PTS_IS_VALID(buffer)) {
    m_gridSet = true;
    filter.setGrid(m_rate ? m_rate->period() : Duration{0},
                   Duration(static_cast<std::int64_t>(GST_BUFFER_PTS(buffer))));
  }
  const bool skipped = m_catchUp.skipping();
  if (unseen || !due) m_catchUp = {};
  const periodic::TimePoint now = periodic::MonotonicClock::now();
  const bool skips = !unseen && due && m_catchUp.skips(now, now - *due, keyframe);
  if (keyframe && !skips && m_untilKeyframe) m_resumedAt = GST_BUFFER_PTS(buffer);
  if (!skips && (keyframe || skipped)) m_untilKeyframe = false;
  // Pictures that come after the keyframe and are shown before it refer to what was skipped.
  const bool leading = !keyframe && GST_CLOCK_TIME_IS_VALID(m_resumedAt) && GST_BUFFER_PTS_IS_VALID(buffer) &&
                       GST_BUFFER_PTS(buffer) < m_resumedAt;
  if (!keyframe && !leading) m_resumedAt = GST_CLOCK_TIME_NONE;
  if (!skips && (keyframe || !only)) m_holdsKeyframe = keyframe && !intra;
  if (skips || leading || (!keyframe && (only || m_untilKeyframe))) {
    if (std::exchange(m_holdsKeyframe, false)) drainDecoder();
    if (!leading) m_untilKeyframe = true;
    m_shedToKeyframe.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  GstMapInfo map{};
  if (unseen || gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return false;
  const bool disposable = (intra || !keyframe) && isDisposable(m_coding, {map.data, map.size});
  gst_buffer_unmap(buffer, &map);
  // A hundred packets or so: groups of pictures repeat sooner.
  const double share = m_disposable.load(std::memory_order_relaxed);
  m_kindsSeen = std::min(m_kindsSeen + 1, 64);
  m_disposable.store(share + ((disposable ? 1.0 : 0.0) - share) / m_kindsSeen, std::memory_order_relaxed);
  if (!GST_BUFFER_PTS_IS_VALID(buffer)) return false;
  // Asked of every picture: this is where it is decided, the sink says the same later.
  const auto runs = filter.runs(Duration(static_cast<std::int64_t>(GST_BUFFER_PTS(buffer))));
  if (!disposable || runs.value_or(true)) return false;
  m_shed.fetch_add(1, std::memory_order_relaxed);
  return true;
}

/// A decoder keeps pictures back until later ones have come, since they may have to be shown before. Where
/// those are given up, it would keep a keyframe until the next: a still, as on a disc's menu, makes it let
/// go.
void DecoderGate::drainDecoder() {
  m_draining = true;
  gst_pad_send_event(m_input.get(), gst_video_event_new_still_frame(TRUE));
  m_draining = false;
}

double DecoderGate::reservedFrequency() const noexcept {
  if (!m_config.filter) return 1;
  const double given = m_disposable.load(std::memory_order_relaxed) * (1 - m_config.filter->frequency());
  // In tenths: each change is an admission.
  return std::clamp(std::ceil((1 - given) * 10) / 10, 0.1, 1.0);
}

void DecoderGate::followFrequency() {
  std::shared_ptr<periodic::Task> task;
  {
    const std::lock_guard lock(m_mutex);
    task = m_task;
  }
  if (!task || !m_video || !m_config.filter) return;
  (void)task->amend({.frequency = reservedFrequency()});  // refused: the old reservation stays
}

bool DecoderGate::onPacket(GstBuffer* buffer) {
  if (m_boundThread.load(std::memory_order_relaxed) != periodic::currentThreadId()) bindThread(buffer);
  if (!m_task) return true;
  const bool unseen = !m_playing.load(std::memory_order_relaxed) || decodeOnly(buffer);
  const auto due = dueOf(buffer);
  const bool shed = sheds(buffer, unseen, due);
  if (m_changed) {
    m_changed = false;
    (void)m_task->amend({.lbap = contract(buffer)});  // refused: it holds all the same, without a reservation
  }
  const auto spacing = spacingOf(buffer);
  const periodic::ByteCount size{gst_buffer_get_size(buffer)};
  if (!unseen) {
    // What is given up waits for its time as well: the rest must not be decoded seconds ahead, which a change
    // of mind would then wait for.
    m_task->enforce(spacing, size, due ? std::optional(turnOf(*due)) : std::nullopt);
    if (shed) m_task->abandon(static_cast<std::int64_t>(plugins::DropReason::ShedBeforeDecoding));
    if (due) {
      const periodic::TimePoint now = periodic::MonotonicClock::now();
      const std::int64_t ahead = (*due - m_heldBack - now).count();
      const std::int64_t before = m_ahead.load(std::memory_order_relaxed);
      m_ahead.store(before == kUnknown ? ahead : before + (ahead - before) / 4, std::memory_order_relaxed);
      m_aheadAt.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    }
  } else {
    m_task->pass(spacing, size);
    m_task->abandon(-1);  // no deadline holds for it
    m_task->reanchor();
  }
  return !shed;
}

std::optional<Duration> DecoderGate::ahead() const noexcept {
  const std::int64_t ahead = m_ahead.load(std::memory_order_relaxed);
  if (ahead == kUnknown) return std::nullopt;
  // A decoder that gets no turn falls behind all the same: from when its next packet was expected.
  const Duration at(m_aheadAt.load(std::memory_order_relaxed));
  const double rate = nominalRate();
  const Duration waits =
      periodic::MonotonicClock::now().time_since_epoch() - at -
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(rate > 0 ? 1 / rate : 0.04));
  return Duration(ahead) - std::max(Duration::zero(), waits);
}

std::optional<periodic::TaskReport> DecoderGate::report() const {
  const std::lock_guard lock(m_mutex);
  if (!m_task) return std::nullopt;
  return m_task->report();
}

void DecoderGate::adoptWorkers() {
  std::shared_ptr<periodic::Task> task;
  {
    const std::lock_guard lock(m_mutex);
    task = m_task;
  }
  if (!task) return;
  std::vector<pid_t> workers;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    std::ifstream file(entry.path() / "comm");
    std::string comm;
    std::getline(file, comm);
    const auto tid = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (comm != m_comm) continue;
    if (!m_adopter.has(tid)) {
      workers.push_back(tid);
    } else {
      std::ofstream(entry.path() / "comm")
          << nameOf(m_video ? periodic::Stage::VideoDecode : periodic::Stage::AudioDecode);
    }
  }
  task->setWorkers(workers);
}

}  // namespace tactus::media
