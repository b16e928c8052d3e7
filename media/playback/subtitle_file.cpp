// SPDX-License-Identifier: Apache-2.0
#include "media/playback/subtitle_file.h"

#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "media/playback/media_path.h"
#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr int kBufferBytes = 32768;

struct FreeInput {
  void operator()(AVFormatContext* context) const noexcept { avformat_close_input(&context); }
};
struct FreeOutput {
  void operator()(AVFormatContext* context) const noexcept { avformat_free_context(context); }
};
struct FreeCodec {
  void operator()(AVCodecContext* context) const noexcept { avcodec_free_context(&context); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const noexcept { av_packet_free(&packet); }
};
struct FreeIo {
  void operator()(AVIOContext* context) const noexcept {
    av_freep(&context->buffer);
    avio_context_free(&context);
  }
};
using PacketPtr = std::unique_ptr<AVPacket, FreePacket>;

/// What libavformat reads from.
struct Bytes {
  std::string text;
  std::size_t at = 0;

  static int read(void* self, std::uint8_t* to, int count) {
    auto& bytes = *static_cast<Bytes*>(self);
    const std::size_t rest = bytes.text.size() - bytes.at;
    if (rest == 0) return AVERROR_EOF;
    const std::size_t now = std::min(rest, static_cast<std::size_t>(count));
    std::memcpy(to, bytes.text.data() + bytes.at, now);
    bytes.at += now;
    return static_cast<int>(now);
  }
  static std::int64_t seek(void* self, std::int64_t offset, int whence) {
    auto& bytes = *static_cast<Bytes*>(self);
    const auto size = static_cast<std::int64_t>(bytes.text.size());
    if ((whence & AVSEEK_SIZE) != 0) return size;
    const int from = whence & ~AVSEEK_FORCE;
    const std::int64_t base = from == SEEK_SET   ? 0
                              : from == SEEK_CUR ? static_cast<std::int64_t>(bytes.at)
                                                 : size;
    if (offset > size || base + offset < 0 || base + offset > size) return AVERROR(EINVAL);
    bytes.at = static_cast<std::size_t>(base + offset);
    return base + offset;
  }
};

struct Event {
  std::int64_t start, duration;  // ms
  int track;
  std::string text;  // an ASS event as Matroska stores it
};

struct TrackText {
  std::string header;  // [Script Info], [V4+ Styles], [Events]
  std::string title;
};

std::string inUtf8(std::string bytes) {
  const auto convert = [&](const char* from) {
    gsize length = 0;
    const plugins::CharPtr text(g_convert_with_fallback(bytes.data(), static_cast<gssize>(bytes.size()),
                                                        "UTF-8", from, "?", nullptr, &length, nullptr));
    return text ? std::string(text.get(), length) : std::string();
  };
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return convert("UTF-16");
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  if (g_utf8_validate_len(bytes.data(), bytes.size(), nullptr) != FALSE) return bytes;
  return convert("WINDOWS-1252");
}

Result<std::string> contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.eof() && !file.good()) return Error{ErrorCode::System, "'" + path + "' cannot be read."};
  if (bytes.size() > kMaxBytes)
    return Error{ErrorCode::Unsupported, "'" + path + "' is too long for subtitles."};
  return inUtf8(std::move(bytes));
}

void collect(AVCodecContext& decoder, AVPacket& packet, AVRational unit, int track,
             std::vector<Event>& events) {
  AVSubtitle subtitle{};
  int got = 0;
  if (avcodec_decode_subtitle2(&decoder, &subtitle, &got, &packet) < 0 || got == 0) return;
  const std::int64_t start = av_rescale_q(packet.pts, unit, {1, 1000});
  std::int64_t duration = packet.duration > 0 ? av_rescale_q(packet.duration, unit, {1, 1000}) : 0;
  if (duration == 0 && subtitle.end_display_time != UINT32_MAX) duration = subtitle.end_display_time;
  for (unsigned i = 0; i < subtitle.num_rects; ++i) {
    if (subtitle.rects[i]->ass == nullptr) continue;
    events.push_back({start + subtitle.start_display_time, duration, track, subtitle.rects[i]->ass});
  }
  avsubtitle_free(&subtitle);
}

Result<TrackText> readInto(const std::string& path, int track, std::vector<Event>& events) {
  const Error none{ErrorCode::Corrupt, "'" + std::filesystem::path(path).filename().string() +
                                           "' holds no subtitles that can be read."};
  auto content = contentOf(path);
  if (!content.ok()) return content.error();
  Bytes bytes{std::move(content).value()};
  const std::unique_ptr<AVIOContext, FreeIo> io(
      avio_alloc_context(static_cast<unsigned char*>(av_malloc(kBufferBytes)), kBufferBytes, 0, &bytes,
                         Bytes::read, nullptr, Bytes::seek));
  AVFormatContext* raw = avformat_alloc_context();
  if (!io || raw == nullptr) return Error{ErrorCode::System, "There is no memory for subtitles."};
  raw->pb = io.get();
  if (avformat_open_input(&raw, path.c_str(), nullptr, nullptr) < 0) return none;  // frees the context itself
  const std::unique_ptr<AVFormatContext, FreeInput> input(raw);
  (void)avformat_find_stream_info(input.get(), nullptr);
  const int index = av_find_best_stream(input.get(), AVMEDIA_TYPE_SUBTITLE, -1, -1, nullptr, 0);
  if (index < 0) return none;
  const AVStream& stream = *input->streams[index];
  const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
  const std::unique_ptr<AVCodecContext, FreeCodec> decoder(avcodec_alloc_context3(codec));
  if (codec == nullptr || !decoder || avcodec_parameters_to_context(decoder.get(), stream.codecpar) < 0)
    return none;
  decoder->pkt_timebase = stream.time_base;
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0) return none;
  const std::size_t before = events.size();
  const PacketPtr packet(av_packet_alloc());
  while (av_read_frame(input.get(), packet.get()) >= 0) {
    if (packet->stream_index == index) collect(*decoder, *packet, stream.time_base, track, events);
    av_packet_unref(packet.get());
  }
  if (events.size() == before || decoder->subtitle_header == nullptr) return none;
  TrackText text;
  text.header.assign(reinterpret_cast<const char*>(decoder->subtitle_header),
                     static_cast<std::size_t>(decoder->subtitle_header_size));
  text.title = std::filesystem::path(path).filename().string();
  return text;
}

bool describe(AVFormatContext& output, const TrackText& track) {
  AVStream* stream = avformat_new_stream(&output, nullptr);
  if (stream == nullptr) return false;
  stream->time_base = {1, 1000};
  stream->codecpar->codec_type = AVMEDIA_TYPE_SUBTITLE;
  stream->codecpar->codec_id = AV_CODEC_ID_ASS;
  stream->codecpar->extradata =
      static_cast<std::uint8_t*>(av_mallocz(track.header.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  if (stream->codecpar->extradata == nullptr) return false;
  std::memcpy(stream->codecpar->extradata, track.header.data(), track.header.size());
  stream->codecpar->extradata_size = static_cast<int>(track.header.size());
  av_dict_set(&stream->metadata, "title", track.title.c_str(), 0);
  return true;
}

/// The Matroska file's bytes; empty without memory.
std::string multiplexed(const std::vector<TrackText>& tracks, const std::vector<Event>& events) {
  AVFormatContext* raw = nullptr;
  if (avformat_alloc_output_context2(&raw, nullptr, "matroska", nullptr) < 0) return {};
  const std::unique_ptr<AVFormatContext, FreeOutput> output(raw);
  for (const auto& track : tracks) {
    if (!describe(*output, track)) return {};
  }
  if (avio_open_dyn_buf(&output->pb) < 0) return {};
  bool good = avformat_write_header(output.get(), nullptr) >= 0;
  const PacketPtr packet(av_packet_alloc());
  for (const auto& event : events) {
    if (!good || av_new_packet(packet.get(), static_cast<int>(event.text.size())) < 0) break;
    std::memcpy(packet->data, event.text.data(), event.text.size());
    packet->stream_index = event.track;
    packet->pts = packet->dts = av_rescale_q(event.start, {1, 1000}, output->streams[event.track]->time_base);
    packet->duration = av_rescale_q(event.duration, {1, 1000}, output->streams[event.track]->time_base);
    packet->flags |= AV_PKT_FLAG_KEY;
    good = av_write_frame(output.get(), packet.get()) >= 0;
    av_packet_unref(packet.get());
  }
  good = good && av_write_trailer(output.get()) >= 0;
  std::uint8_t* bytes = nullptr;
  const int count = avio_close_dyn_buf(std::exchange(output->pb, nullptr), &bytes);
  std::string result;
  if (good && bytes != nullptr)
    result.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  av_free(bytes);
  return result;
}

}  // namespace

Result<SubtitleFile> SubtitleFile::create(const std::vector<std::string>& paths) {
  av_log_set_level(AV_LOG_FATAL);
  std::vector<TrackText> tracks;
  std::vector<Event> events;
  for (const auto& path : paths) {
    auto track = readInto(path, static_cast<int>(tracks.size()), events);
    if (!track.ok()) return track.error();
    tracks.push_back(std::move(track).value());
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  const std::string bytes = multiplexed(tracks, events);
  SubtitleFile file(bytes.empty() ? -1 : memfd_create("tactus-subtitles", MFD_CLOEXEC));
  std::size_t written = 0;
  while (file.m_descriptor >= 0 && written < bytes.size()) {
    const ssize_t now = write(file.m_descriptor, bytes.data() + written, bytes.size() - written);
    if (now <= 0) break;
    written += static_cast<std::size_t>(now);
  }
  if (bytes.empty() || written < bytes.size())
    return Error{ErrorCode::System,
                 std::string("The subtitles cannot be kept in memory: ") + std::strerror(errno) + "."};
  return file;
}

SubtitleFile::~SubtitleFile() {
  if (m_descriptor >= 0) close(m_descriptor);
}

SubtitleFile::SubtitleFile(SubtitleFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

SubtitleFile& SubtitleFile::operator=(SubtitleFile&& other) noexcept {
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

std::string SubtitleFile::uri() const {
  return "file:///proc/self/fd/" + std::to_string(m_descriptor);
}

}  // namespace tactus::media
