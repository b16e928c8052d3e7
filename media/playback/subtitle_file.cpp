// SPDX-License-Identifier: Apache-2.0
#include "media/playback/subtitle_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "plugins/av/subtitle_file.h"

namespace tactus::media {
namespace {

struct FreeOutput {
  void operator()(AVFormatContext* context) const noexcept { avformat_free_context(context); }
};
struct Event {
  std::int64_t start, duration;  // ms
  int track;
  std::string text;  // an ASS event as Matroska stores it
};

std::int64_t inMs(std::int64_t nanoseconds) {
  return av_rescale_q(nanoseconds, {1, 1'000'000'000}, {1, 1000});
}

struct TrackText {
  std::string header;  // [Script Info], [V4+ Styles], [Events]
  std::string title;
};

void collect(AVCodecContext& decoder, AVPacket& packet, int track, std::vector<Event>& events) {
  AVSubtitle subtitle{};
  int got = 0;
  if (avcodec_decode_subtitle2(&decoder, &subtitle, &got, &packet) < 0 || got == 0) return;
  const std::int64_t start = inMs(packet.pts);
  std::int64_t duration = packet.duration > 0 ? inMs(packet.duration) : 0;
  if (duration == 0 && subtitle.end_display_time != UINT32_MAX) duration = subtitle.end_display_time;
  for (unsigned i = 0; i < subtitle.num_rects; ++i) {
    if (subtitle.rects[i]->ass == nullptr) continue;
    events.push_back({start + subtitle.start_display_time, duration, track, subtitle.rects[i]->ass});
  }
  avsubtitle_free(&subtitle);
}

Result<TrackText> readInto(const std::string& path, int track, std::vector<Event>& events) {
  const std::string name = std::filesystem::path(path).filename().string();
  const Error none{ErrorCode::Corrupt, "'" + name + "' holds no subtitles that can be read."};
  const auto file = plugins::av::readSubtitleFile(path);
  if (!file.ok()) return file.error();
  const AVCodecParameters& parameters = *file.value().parameters;
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  const plugins::av::CodecPtr decoder(avcodec_alloc_context3(codec));
  if (codec == nullptr || !decoder || avcodec_parameters_to_context(decoder.get(), &parameters) < 0)
    return none;
  decoder->pkt_timebase = {1, 1'000'000'000};
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0) return none;
  const std::size_t before = events.size();
  for (const auto& packet : file.value().packets) collect(*decoder, *packet, track, events);
  if (events.size() == before || decoder->subtitle_header == nullptr) return none;
  TrackText text;
  text.header.assign(reinterpret_cast<const char*>(decoder->subtitle_header),
                     static_cast<std::size_t>(decoder->subtitle_header_size));
  text.title = name;
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
  const plugins::av::PacketPtr packet(av_packet_alloc());
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
