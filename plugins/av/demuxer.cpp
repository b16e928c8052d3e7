// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/demuxer.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "plugins/av/http_source.h"
#include "plugins/av/matroska_tables.h"
#include "plugins/av/sound_packets.h"

namespace tactus::plugins::av {
namespace {

using periodic::Duration;

constexpr int kBlock = 64 * 1024;               // bytes read at once
constexpr unsigned kProbeForFormat = 1u << 20;  // bytes looked at to tell the format
constexpr std::int64_t kProbeForStreams = 5'000'000;
constexpr std::int64_t kAnalysed = 5 * std::int64_t{AV_TIME_BASE};
constexpr int kLeastScore = AVPROBE_SCORE_MAX / 4 + 1;          // below it a format is a guess
constexpr int kCertainScore = AVPROBE_SCORE_EXTENSION / 2 + 2;  // below it a name says more
constexpr double kMostPictures = 480;                           // a second; more is the unit of the stamps
constexpr Duration kBetweenMarks = std::chrono::milliseconds(500);
constexpr int kDamagedInARow = 16;  // reads that fail before the rest is given up
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

/// The format that the name's ending stands for, of those that can be read from anywhere in the middle.
const AVInputFormat* formatNamed(const std::string& name) {
  void* state = nullptr;
  while (const AVInputFormat* format = av_demuxer_iterate(&state))
    if (format->extensions != nullptr && (format->flags & AVFMT_GENERIC_INDEX) != 0 &&
        av_match_ext(name.c_str(), format->extensions) != 0)
      return format;
  return nullptr;
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
  if (brokeOff()) {
    const auto code = m_bytes->error == AVERROR(ETIMEDOUT) ? ErrorCode::Timeout : ErrorCode::Unavailable;
    return {code, "'" + m_name + "' broke off at its beginning: " + problem() + "."};
  }
  // Its memory is bounded (av_limits.h): this is what a header has asked for.
  if (error == AVERROR(ENOMEM))
    return {ErrorCode::Corrupt,
            "'" + m_name + "' cannot be read: its header tells of more than a film can hold."};
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

Result<const AVInputFormat*> Demuxer::tellFormat(Expected expected) {
  const AVInputFormat* format = nullptr;
  const std::string name = m_name.substr(0, m_name.find_first_of("?#"));  // without an address's query
  int score = av_probe_input_buffer2(m_bytes, &format, name.c_str(), nullptr, 0, kProbeForFormat);
  // "image2" goes by names alone, and takes them for patterns of many.
  if (score >= 0 && format != nullptr && av_match_name("image2", format->name) != 0) {
    format = nullptr;
    score = av_probe_input_buffer2(m_bytes, &format, "", nullptr, 0, kProbeForFormat);
  }
  if (score < 0 && score != AVERROR_INVALIDDATA) return refusal(score);
  if (score < kCertainScore && expected == Expected::Film)
    if (const AVInputFormat* named = formatNamed(name); named != nullptr && !isRefused(*named, expected))
      return named;
  if (format == nullptr || score < kLeastScore || isRefused(*format, expected))
    return Error{ErrorCode::Unsupported,
                 "'" + m_name +
                     (expected == Expected::Film ? "' is no film or sound that Tactus knows."
                                                 : "' holds no subtitles that can be read.")};
  return format;
}

Result<void> Demuxer::probe(Expected expected) {
  const auto told = tellFormat(expected);
  if (!told.ok()) return told.error();
  const AVInputFormat* format = told.value();
  // A server is not asked for what lies behind the pictures: that is a connection for each.
  const Reach reach = isAddress(m_name) ? Reach::BeforePictures : Reach::SeekHead;
  if (av_match_name("matroska", format->name) != 0 && m_source->seekable() &&
      hasTooLargeTables(*m_bytes, reach))
    return Error{
        ErrorCode::Corrupt,
        "'" + m_name + "' cannot be read: it has more tracks, chapters or tags than a film can have."};
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
  m_times = FilmTimes(m_begin, expected == Expected::Film && (format->flags & AVFMT_TS_DISCONT) != 0);
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
    FilmStream entry{static_cast<int>(i), kind, stream->codecpar, {0, 1}, stream->disposition};
    if (kind == AVMEDIA_TYPE_VIDEO) entry.rate = av_guess_frame_rate(m_container.get(), stream, nullptr);
    if (entry.rate.num <= 0 || entry.rate.den <= 0 || av_q2d(entry.rate) > kMostPictures) entry.rate = {0, 1};
    m_streams.push_back(entry);
  }
  m_main = best(AVMEDIA_TYPE_VIDEO);
  if (m_main < 0) m_main = best(AVMEDIA_TYPE_AUDIO);
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

/// Why they broke off, as the end of a sentence.
std::string Demuxer::problem() const {
  std::string problem = m_source->problem();
  return problem.empty() ? wordsOf(m_bytes->error) : problem;
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
    return {.outcome = Outcome::BrokeOff, .packet = {}, .stream = 0, .problem = problem()};
  }
  notePadding(*packet, *m_container->streams[packet->stream_index]);
  place(*packet);
  mark(*packet);
  const int index = packet->stream_index;
  noteNews();
  const bool tagsChanged = takeTagsChanged(*m_container->streams[index]);
  return {Outcome::Packet, std::move(packet), index, {}, tagsChanged};
}

/// Web radio's titles: "StreamTitle='A - B';StreamUrl='';".
void Demuxer::noteNews() {
  const std::string news = m_source->news();
  constexpr std::string_view kTitle = "StreamTitle='";
  const auto begin = news.find(kTitle);
  if (begin == std::string::npos) return;
  const auto end = news.find("';", begin);
  if (end == std::string::npos) return;
  const std::string title = news.substr(begin + kTitle.size(), end - begin - kTitle.size());
  av_dict_set(&m_container->metadata, "StreamTitle", title.c_str(), 0);
  m_tagsUntold = true;
}

bool Demuxer::takeTagsChanged(AVStream& stream) {
  const bool changed = std::exchange(m_tagsUntold, false) ||
                       (m_container->event_flags & AVFMT_EVENT_FLAG_METADATA_UPDATED) != 0 ||
                       (stream.event_flags & AVSTREAM_EVENT_FLAG_METADATA_UPDATED) != 0;
  m_container->event_flags &= ~AVFMT_EVENT_FLAG_METADATA_UPDATED;
  stream.event_flags &= ~AVSTREAM_EVENT_FLAG_METADATA_UPDATED;
  return changed;
}

/// From the container's time into the film's, in nanoseconds.
void Demuxer::place(AVPacket& packet) {
  const auto index = static_cast<std::size_t>(packet.stream_index);
  const AVStream& stream = *m_container->streams[index];
  if (index >= m_units.size()) m_units.resize(index + 1, AVRational{0, 1});  // streams may come later
  AVRational& unit = m_units[index];
  if (unit.num == 0) unit = stream.time_base;
  if (const int rate = headerRate(packet, stream.codecpar->codec_id)) unit = {1, rate};
  const auto decoded = instantOf(packet.dts, unit);
  const auto shown = instantOf(packet.pts, unit);
  const Duration length = std::max(Duration{0}, instantOf(packet.duration, unit).value_or(Duration{0}));
  const Duration offset = m_times.offset(packet.stream_index, decoded ? decoded : shown, length);
  packet.pts = shown ? (*shown + offset).count() : AV_NOPTS_VALUE;
  packet.dts = decoded ? (*decoded + offset).count() : AV_NOPTS_VALUE;
  packet.duration = lengthOf(packet, *stream.codecpar, length).count();
  packet.time_base = {1, 1'000'000'000};
}

bool Demuxer::isEntry(const AVPacket& packet) const noexcept {
  if (packet.stream_index != m_main) return false;
  return (packet.flags & AV_PKT_FLAG_KEY) != 0 ||
         m_container->streams[m_main]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
}

void Demuxer::mark(const AVPacket& packet) {
  const bool marked = m_times.mayJump() && packet.pos >= 0 && packet.dts != AV_NOPTS_VALUE && isEntry(packet);
  const Duration at(packet.dts);
  if (marked && (m_marks.empty() || at >= m_marks.back().at + kBetweenMarks))
    m_marks.push_back({at, packet.pos, m_times.part(), m_units[static_cast<std::size_t>(m_main)]});
}

bool Demuxer::seekToMark(Duration target) {
  const auto behind = std::upper_bound(m_marks.begin(), m_marks.end(), target,
                                       [](Duration at, const Mark& mark) { return at < mark.at; });
  if (behind == m_marks.begin()) return false;
  const Mark& mark = *std::prev(behind);
  if (av_seek_frame(m_container.get(), -1, mark.position, AVSEEK_FLAG_BYTE) < 0) return false;
  m_times.resume(mark.part);
  m_units[static_cast<std::size_t>(m_main)] = mark.unit;
  return true;
}

bool Demuxer::scan(Duration target, const std::function<bool()>& cancelled) {
  if (!m_times.mayJump() || !seekable() || target <= duration().value_or(Duration{0})) return true;
  if (!m_marks.empty() && target <= m_marks.back().at) return true;
  restore();
  (void)seekToMark(target);
  bool tagsChanged = false;
  for (;;) {
    if (cancelled()) return false;
    const Read read = this->read();
    if (read.outcome != Outcome::Packet) break;
    tagsChanged = tagsChanged || read.tagsChanged;
    if (read.packet->dts != AV_NOPTS_VALUE && Duration(read.packet->dts) > target) break;
  }
  m_tagsUntold = tagsChanged;
  return true;
}

/// From what an interrupted or ended read left behind.
void Demuxer::restore() {
  m_source->renew();
  m_bytes->error = 0;
  m_bytes->eof_reached = 0;
}

bool Demuxer::seek(Duration target) {
  if (!seekable()) return false;
  restore();
  if (m_times.parts() > 1 && seekToMark(target)) return true;
  m_times.resume(0);
  const std::int64_t stamp = inUnits(target + m_begin);
  if (avformat_seek_file(m_container.get(), -1, INT64_MIN, stamp, stamp, 0) >= 0) return true;
  return avformat_seek_file(m_container.get(), -1, INT64_MIN, stamp, INT64_MAX, 0) >= 0;
}

}  // namespace tactus::plugins::av
