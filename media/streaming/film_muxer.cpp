// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/film_muxer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <utility>

#include "media/streaming/stream_terms.h"
#include "plugins/av/av_limits.h"
#include "plugins/av/av_log.h"

namespace tactus::media {
namespace {

using periodic::Duration;
using plugins::av::Demuxer;
using plugins::av::FilmStream;

constexpr int kBlock = 64 << 10;  // bytes that the muxer writes at once
constexpr AVRational kNanoseconds{1, 1'000'000'000};
constexpr Duration kBegin = std::chrono::seconds(1);    // of the copy's stamps, so that none is negative
constexpr std::int64_t kClockLead = AV_TIME_BASE / 10;  // of a transport stream's clock before its packets
constexpr const char* kCluster = "100";                 // of Matroska, in milliseconds
constexpr int kRefusedInARow = 100;                     // packets that the muxer does not take

/// What a transport stream carries so that every reader knows it again.
constexpr std::array kTransportCodecs{
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_AAC,
    AV_CODEC_ID_MP2,  AV_CODEC_ID_MP3,  AV_CODEC_ID_AC3,        AV_CODEC_ID_EAC3,       AV_CODEC_ID_OPUS};

bool isCarried(FilmMuxer::Container container, const FilmStream& stream) {
  const AVCodecID codec = stream.parameters->codec_id;
  if (container == FilmMuxer::Container::TransportStream)
    return std::find(kTransportCodecs.begin(), kTransportCodecs.end(), codec) != kTransportCodecs.end();
  const AVOutputFormat* matroska = av_guess_format("matroska", nullptr, nullptr);
  return matroska != nullptr && avformat_query_codec(matroska, codec, FF_COMPLIANCE_NORMAL) == 1;
}

/// The best pictures and the best sound.
std::vector<const FilmStream*> bestStreams(const Demuxer& film) {
  std::vector<const FilmStream*> streams;
  for (const AVMediaType kind : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO})
    for (const FilmStream& stream : film.streams())
      if (stream.index == film.best(kind)) streams.push_back(&stream);
  return streams;
}

Duration reorderingOf(const FilmStream& stream) {
  if (stream.rate.num == 0) return Duration{0};
  return Duration(av_rescale_q(stream.parameters->video_delay, av_inv_q(stream.rate), kNanoseconds));
}

int append(void* opaque, std::uint8_t* bytes, int count) {
  const auto added = std::as_bytes(std::span(bytes, static_cast<std::size_t>(count)));
  auto& all = *static_cast<std::vector<std::byte>*>(opaque);
  all.insert(all.end(), added.begin(), added.end());
  return count;
}

}  // namespace

FilmMuxer::FilmMuxer(std::unique_ptr<Demuxer> film, std::string name)
    : m_film(std::move(film)), m_name(std::move(name)) {}

FilmMuxer::~FilmMuxer() {
  if (m_muxer == nullptr) return;
  if (m_muxer->pb != nullptr) av_freep(&m_muxer->pb->buffer);
  avio_context_free(&m_muxer->pb);
  avformat_free_context(m_muxer);
}

Result<std::unique_ptr<FilmMuxer>> FilmMuxer::open(std::unique_ptr<plugins::av::ByteSource> source,
                                                   std::string name,
                                                   std::shared_ptr<plugins::av::Cancellation> cancellation) {
  static std::once_flag once;  // libav keeps both for the process
  std::call_once(once, [] {
    gst_init(nullptr, nullptr);
    plugins::av::logToGStreamer();
    plugins::av::boundAllocations();
  });
  auto film = Demuxer::open(std::move(source), name, std::move(cancellation));
  if (!film.ok()) return film.error();
  std::unique_ptr<FilmMuxer> muxer(new FilmMuxer(std::move(film).value(), std::move(name)));
  if (auto begun = muxer->begin(); !begun.ok()) return begun.error();
  return muxer;
}

std::size_t FilmMuxer::unit() const noexcept {
  return m_container == Container::TransportStream ? kTransportPacket : 1;
}

bool FilmMuxer::hasPictures() const noexcept {
  return m_lanes.front().to->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
}

Error FilmMuxer::refusal(int error) const {
  return {ErrorCode::Unsupported, "'" + m_name + "' cannot be sent: " + plugins::av::wordsOf(error) + "."};
}

Result<void> FilmMuxer::begin() {
  auto streams = bestStreams(*m_film);
  const auto carried = [this](const FilmStream* stream) { return isCarried(m_container, *stream); };
  if (!std::all_of(streams.begin(), streams.end(), carried)) m_container = Container::Matroska;
  std::erase_if(streams, [&](const FilmStream* stream) { return !carried(stream); });
  if (streams.empty())
    return Error{ErrorCode::Unsupported, "'" + m_name + "' has no pictures and no sound that can be sent."};
  const char* format = m_container == Container::TransportStream ? "mpegts" : "matroska";
  if (const int made = avformat_alloc_output_context2(&m_muxer, nullptr, format, nullptr); made < 0)
    return refusal(made);
  if (auto added = addLanes(streams); !added.ok()) return added;
  return writeHeader();
}

Result<void> FilmMuxer::addLanes(const std::vector<const FilmStream*>& streams) {
  for (const FilmStream* stream : streams) {
    AVStream* to = avformat_new_stream(m_muxer, nullptr);
    if (to == nullptr) return refusal(AVERROR(ENOMEM));
    if (const int copied = avcodec_parameters_copy(to->codecpar, stream->parameters); copied < 0)
      return refusal(copied);
    to->codecpar->codec_tag = 0;  // the other container's
    to->time_base = kNanoseconds;
    to->avg_frame_rate = stream->rate;
    to->disposition = stream->disposition;
    av_dict_copy(&to->metadata, m_film->tagsOf(*stream), 0);
    m_lanes.push_back({stream->index, to, reorderingOf(*stream)});
  }
  m_film->keepOnly(m_lanes.front().from, m_lanes.back().from);
  if (const auto* title = av_dict_get(m_film->tags(), "title", nullptr, 0))
    av_dict_set(&m_muxer->metadata, "title", title->value, 0);
  return {};
}

Result<void> FilmMuxer::writeHeader() {
  auto* block = static_cast<std::uint8_t*>(av_malloc(kBlock));
  if (block == nullptr) return refusal(AVERROR(ENOMEM));
  m_muxer->pb = avio_alloc_context(block, kBlock, 1, &m_bytes, nullptr, append, nullptr);
  if (m_muxer->pb == nullptr) {
    av_free(block);
    return refusal(AVERROR(ENOMEM));
  }
  m_muxer->pb->seekable = 0;
  m_muxer->max_delay = static_cast<int>(kClockLead);
  m_muxer->avoid_negative_ts =
      AVFMT_AVOID_NEG_TS_DISABLED;        // it would move packets from the first negative one on
  m_muxer->flags |= AVFMT_FLAG_BITEXACT;  // the same film is the same bytes
  AVDictionary* options = nullptr;
  av_dict_set(&options, "pes_payload_size", "0", 0);  // no sound is held back to fill a packet
  av_dict_set(&options, "live", "1", 0);
  av_dict_set(&options, "cluster_time_limit", kCluster, 0);
  const int written = avformat_write_header(m_muxer, &options);
  av_dict_free(&options);
  if (written < 0) return refusal(written);
  m_begun = true;
  avio_flush(m_muxer->pb);
  return {};
}

/// Matroska does not say when its first pictures are decoded, and others say less.
Duration FilmMuxer::decodingTime(const AVPacket& packet, const Lane& lane) const {
  if (packet.dts != AV_NOPTS_VALUE) return Duration(packet.dts);
  if (lane.next) return *lane.next;
  return packet.pts != AV_NOPTS_VALUE ? Duration(packet.pts) - lane.reordering : m_at;
}

/// In units of the muxer, which takes no packet of a stream at or before the one before, nor one that is
/// shown before it is decoded.
void FilmMuxer::stamp(AVPacket& packet, Lane& lane) const {
  const Duration decoded = decodingTime(packet, lane);
  lane.next = decoded + Duration(packet.duration);
  packet.dts = std::max(decoded + kBegin, Duration{0}).count();
  packet.pts = packet.pts != AV_NOPTS_VALUE ? packet.pts + kBegin.count() : packet.dts;
  av_packet_rescale_ts(&packet, kNanoseconds, lane.to->time_base);
  if (lane.last != AV_NOPTS_VALUE) packet.dts = std::max(packet.dts, lane.last + 1);
  packet.pts = std::max(packet.pts, packet.dts);
  lane.last = packet.dts;
  packet.stream_index = lane.to->index;
  packet.pos = -1;
}

bool FilmMuxer::write(AVPacket& packet) {
  const auto lane = std::find_if(m_lanes.begin(), m_lanes.end(),
                                 [&](const Lane& each) { return each.from == packet.stream_index; });
  if (lane == m_lanes.end()) return true;  // a stream that has come since
  if (packet.dts != AV_NOPTS_VALUE) m_at = std::max(m_at, Duration(packet.dts));
  stamp(packet, *lane);
  const int written = av_write_frame(m_muxer, &packet);
  avio_flush(m_muxer->pb);
  return written >= 0;
}

FilmMuxer::Piece FilmMuxer::next() {
  if (m_given) m_bytes.clear();
  m_given = true;
  auto read = m_film->read();
  if (read.outcome != Outcome::Packet) return finish(read.outcome, std::move(read.problem));
  m_refused = write(*read.packet) ? 0 : m_refused + 1;
  if (m_refused == kRefusedInARow) return finish(Outcome::BrokeOff, "its packets do not fit into a stream");
  return {Outcome::Packet, m_bytes, m_at, {}};
}

FilmMuxer::Piece FilmMuxer::finish(Outcome outcome, std::string problem) {
  if (std::exchange(m_begun, false)) {
    (void)av_write_trailer(m_muxer);  // what it writes goes into memory
    avio_flush(m_muxer->pb);
  }
  return {outcome, m_bytes, m_at, std::move(problem)};
}

}  // namespace tactus::media
