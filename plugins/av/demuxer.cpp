// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/demuxer.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <cstring>
#include <utility>

namespace tactus::plugins::av {
namespace {

using periodic::Duration;

constexpr int kBlock = 64 * 1024;               // bytes read at once
constexpr unsigned kProbeForFormat = 1u << 20;  // bytes looked at to tell the format
constexpr std::int64_t kProbeForStreams = 5'000'000;
constexpr std::int64_t kAnalysed = 5 * std::int64_t{AV_TIME_BASE};
constexpr int kLeastScore = AVPROBE_SCORE_MAX / 4 + 1;  // below it a format is a guess
constexpr int kDamagedInARow = 16;                      // reads that fail before the rest is given up
constexpr unsigned kMostStreams = 1000;

/// What opens other files or addresses, devices, or makes pictures of any text.
constexpr const char* kRefusedFormats[] = {"applehttp",  "hls",    "dash",       "concat",
                                           "sdp",        "rtsp",   "rtp",        "sap",
                                           "lavfi",      "image2", "imf",        "webm_dash_manifest",
                                           "ffmetadata", "tty",    "bin",        "xbin",
                                           "adf",        "idf",    "vapoursynth"};

/// Formats of subtitles that one file holds.
constexpr const char* kSubtitleFormats =
    "aqtitle,ass,jacosub,lrc,microdvd,mpl2,mpsub,pjs,realtext,sami,srt,stl,subviewer,subviewer1,sup,vplayer,"
    "webvtt";

constexpr std::size_t kMostFontBytes = std::size_t{64} << 20;

bool isRefused(const AVInputFormat& format, Expected expected) {
  if ((format.flags & AVFMT_NOFILE) != 0) return true;
  if (expected == Expected::Subtitles) return av_match_name(format.name, kSubtitleFormats) == 0;
  return std::any_of(std::begin(kRefusedFormats), std::end(kRefusedFormats), [&](const char* refused) {
    return av_match_name(refused, format.name) != 0;  // one of several, between commas
  });
}

int readBytes(void* opaque, std::uint8_t* into, int size) {
  const int count = static_cast<ByteSource*>(opaque)->read({into, static_cast<std::size_t>(size)});
  return count == 0 ? AVERROR_EOF : count;
}

std::int64_t seekBytes(void* opaque, std::int64_t offset, int whence) {
  auto& source = *static_cast<ByteSource*>(opaque);
  if ((whence & AVSEEK_SIZE) != 0) return source.size() >= 0 ? source.size() : AVERROR(ENOSYS);
  // avio itself turns what is relative into a position from the beginning.
  return whence == SEEK_SET && source.seek(offset) ? offset : AVERROR(EINVAL);
}

int refuseToOpen(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

std::int64_t inUnits(Duration time) {
  return av_rescale_q(time.count(), AVRational{1, 1'000'000'000}, AV_TIME_BASE_Q);
}

}  // namespace

Demuxer::Demuxer(std::unique_ptr<ByteSource> source, std::string name,
                 std::shared_ptr<Cancellation> cancellation)
    : m_source(std::move(source)), m_name(std::move(name)), m_cancellation(std::move(cancellation)) {}

Demuxer::~Demuxer() {
  m_container.reset();
  if (m_bytes != nullptr) av_freep(&m_bytes->buffer);
  avio_context_free(&m_bytes);
}

Result<std::unique_ptr<Demuxer>> Demuxer::open(std::unique_ptr<ByteSource> source, std::string name,
                                               std::shared_ptr<Cancellation> cancellation,
                                               Expected expected) {
  std::unique_ptr<Demuxer> demuxer(new Demuxer(std::move(source), std::move(name), std::move(cancellation)));
  if (auto begun = demuxer->begin(expected); !begun.ok()) return begun.error();
  return demuxer;
}

Error Demuxer::refusal(int error) const {
  if (m_cancellation->raised()) return {ErrorCode::Unavailable, "Opening '" + m_name + "' was cancelled."};
  const bool damaged = error == AVERROR_INVALIDDATA || error == AVERROR_EOF;
  return {damaged ? ErrorCode::Corrupt : ErrorCode::System,
          "'" + m_name + "' cannot be read: " + wordsOf(error) + "."};
}

Result<void> Demuxer::begin(Expected expected) {
  auto* block = static_cast<std::uint8_t*>(av_malloc(kBlock));
  if (block == nullptr) return Error{ErrorCode::System, "There is no memory to read '" + m_name + "'."};
  m_bytes = avio_alloc_context(block, kBlock, 0, m_source.get(), readBytes, nullptr, seekBytes);
  m_container.reset(avformat_alloc_context());
  if (m_bytes == nullptr || !m_container)
    return Error{ErrorCode::System, "There is no memory to read '" + m_name + "'."};
  m_bytes->seekable = m_source->seekable() ? AVIO_SEEKABLE_NORMAL : 0;
  return probe(expected);
}

Result<void> Demuxer::probe(Expected expected) {
  const AVInputFormat* format = nullptr;
  const int score = av_probe_input_buffer2(m_bytes, &format, m_name.c_str(), nullptr, 0, kProbeForFormat);
  if (score < 0 && score != AVERROR_INVALIDDATA) return refusal(score);
  if (format == nullptr || score < kLeastScore || isRefused(*format, expected))
    return Error{ErrorCode::Unsupported,
                 "'" + m_name +
                     (expected == Expected::Film ? "' is no film or sound that Tactus knows."
                                                 : "' holds no subtitles that can be read.")};
  AVFormatContext* context = m_container.release();
  context->pb = m_bytes;
  context->flags |= AVFMT_FLAG_CUSTOM_IO;
  context->io_open = refuseToOpen;
  context->interrupt_callback = {
      [](void* cancellation) { return static_cast<Cancellation*>(cancellation)->raised() ? 1 : 0; },
      m_cancellation.get()};
  context->probesize = kProbeForStreams;
  context->max_analyze_duration = kAnalysed;
  context->max_streams = kMostStreams;
  // It frees the context where it fails.
  const int opened = avformat_open_input(&context, m_name.c_str(), format, nullptr);
  m_container.reset(context);
  if (opened < 0) return refusal(opened);
  if (const int found = avformat_find_stream_info(m_container.get(), nullptr); found < 0)
    return refusal(found);
  // Subtitles begin with the film, and not with their first line.
  if (expected == Expected::Film && m_container->start_time != AV_NOPTS_VALUE)
    m_begin = Duration(av_rescale(m_container->start_time, 1'000'000'000, AV_TIME_BASE));
  listStreams();
  if (m_streams.empty()) return Error{ErrorCode::Corrupt, "'" + m_name + "' has no pictures and no sound."};
  return {};
}

void Demuxer::listStreams() {
  for (unsigned i = 0; i < m_container->nb_streams; ++i) {
    AVStream* stream = m_container->streams[i];
    const AVMediaType kind = stream->codecpar->codec_type;
    const bool known =
        kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO || kind == AVMEDIA_TYPE_SUBTITLE;
    if (!known || stream->codecpar->codec_id == AV_CODEC_ID_NONE) continue;
    FilmStream entry{static_cast<int>(i), kind,   stream->codecpar,
                     stream->metadata,    {0, 1}, stream->disposition};
    if (kind == AVMEDIA_TYPE_VIDEO) entry.rate = av_guess_frame_rate(m_container.get(), stream, nullptr);
    if (entry.rate.num <= 0 || entry.rate.den <= 0) entry.rate = {0, 1};
    m_streams.push_back(entry);
  }
}

std::vector<AttachedFont> Demuxer::fonts() const {
  std::vector<AttachedFont> fonts;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < m_container->nb_streams; ++i) {
    const AVStream& stream = *m_container->streams[i];
    const AVCodecParameters& parameters = *stream.codecpar;
    if (parameters.codec_type != AVMEDIA_TYPE_ATTACHMENT || parameters.extradata_size <= 0) continue;
    const AVDictionaryEntry* type = av_dict_get(stream.metadata, "mimetype", nullptr, 0);
    const AVDictionaryEntry* name = av_dict_get(stream.metadata, "filename", nullptr, 0);
    const bool font = parameters.codec_id == AV_CODEC_ID_TTF || parameters.codec_id == AV_CODEC_ID_OTF ||
                      (type != nullptr && std::strstr(type->value, "font") != nullptr);
    const auto size = static_cast<std::size_t>(parameters.extradata_size);
    if (!font || bytes + size > kMostFontBytes) continue;
    bytes += size;
    fonts.push_back(
        {name != nullptr ? name->value : "", {parameters.extradata, parameters.extradata + size}});
  }
  return fonts;
}

void Demuxer::keepOnly(int one, int other) {
  for (int i = 0; i < static_cast<int>(m_container->nb_streams); ++i)
    if (i != one && i != other) m_container->streams[i]->discard = AVDISCARD_ALL;
}

int Demuxer::best(AVMediaType kind) const {
  const int index = av_find_best_stream(m_container.get(), kind, -1, -1, nullptr, 0);
  const auto found = std::find_if(m_streams.begin(), m_streams.end(),
                                  [=](const FilmStream& stream) { return stream.index == index; });
  return found != m_streams.end() && !found->isCover() ? index : -1;
}

std::optional<Duration> Demuxer::duration() const noexcept {
  if (m_container->duration == AV_NOPTS_VALUE || m_container->duration <= 0) return std::nullopt;
  return Duration(av_rescale(m_container->duration, 1'000'000'000, AV_TIME_BASE));
}

bool Demuxer::seekable() const noexcept {
  return m_source->seekable() && (m_container->ctx_flags & AVFMTCTX_UNSEEKABLE) == 0;
}

/// The end of the bytes, or of what could be had of them.
bool Demuxer::brokeOff() const {
  return m_bytes->error < 0 && m_bytes->error != AVERROR_EOF;
}

Demuxer::Read Demuxer::read() {
  PacketPtr packet(av_packet_alloc());
  for (int failures = 0; packet; ++failures) {
    const int result = av_read_frame(m_container.get(), packet.get());
    if (m_cancellation->raised())
      return {.outcome = Outcome::Cancelled, .packet = {}, .stream = 0, .problem = {}};
    if (result >= 0) break;
    const bool over = result == AVERROR_EOF || avio_feof(m_bytes) != 0 || failures == kDamagedInARow;
    if (!over && (result == AVERROR_INVALIDDATA || result == AVERROR(EAGAIN))) continue;
    if (!brokeOff()) return {.outcome = Outcome::End, .packet = {}, .stream = 0, .problem = {}};
    return {.outcome = Outcome::BrokeOff, .packet = {}, .stream = 0, .problem = wordsOf(m_bytes->error)};
  }
  const int index = packet->stream_index;
  const AVRational unit = m_container->streams[index]->time_base;
  const auto moved = [&](std::int64_t stamp) {
    const auto instant = instantOf(stamp, unit);
    return instant ? (*instant - m_begin).count() : AV_NOPTS_VALUE;
  };
  packet->pts = moved(packet->pts);
  packet->dts = moved(packet->dts);
  packet->duration =
      std::max<std::int64_t>(0, instantOf(packet->duration, unit).value_or(Duration{0}).count());
  packet->time_base = {1, 1'000'000'000};
  return {.outcome = Outcome::Packet, .packet = std::move(packet), .stream = index, .problem = {}};
}

bool Demuxer::seek(Duration target) {
  if (!seekable()) return false;
  // What an interrupted or ended read left behind.
  m_bytes->error = 0;
  m_bytes->eof_reached = 0;
  const std::int64_t stamp = inUnits(target + m_begin);
  if (avformat_seek_file(m_container.get(), -1, INT64_MIN, stamp, stamp, 0) >= 0) return true;
  return avformat_seek_file(m_container.get(), -1, INT64_MIN, stamp, INT64_MAX, 0) >= 0;
}

}  // namespace tactus::plugins::av
