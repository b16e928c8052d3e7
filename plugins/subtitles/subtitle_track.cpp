// SPDX-License-Identifier: Apache-2.0
#include "plugins/subtitles/subtitle_track.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::plugins::subtitles {
namespace {

using periodic::Duration;
using std::chrono::milliseconds;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kMostEvents = 200'000;
constexpr int kLargestPlane = 8192;

/// How text looks that says nothing about it, in shares of the picture's height.
constexpr double kSize = 0.0625, kOutline = 0.0055, kShadow = 0.0028, kMargin = 0.045;

milliseconds inMs(Duration time) {
  return std::chrono::round<milliseconds>(time);
}

/// Colours of the palette by the rectangle's indices.
OverlayPart partOf(const AVSubtitleRect& rectangle) {
  OverlayPart part{rectangle.x, rectangle.y, rectangle.w, rectangle.h, {}};
  part.pixels.resize(static_cast<std::size_t>(rectangle.w) * static_cast<std::size_t>(rectangle.h) * 4);
  const auto* palette = reinterpret_cast<const std::uint32_t*>(rectangle.data[1]);
  std::uint8_t* to = part.pixels.data();
  for (int y = 0; y < rectangle.h; ++y) {
    const std::uint8_t* row = rectangle.data[0] + static_cast<std::ptrdiff_t>(y) * rectangle.linesize[0];
    for (int x = 0; x < rectangle.w; ++x, to += 4) {
      const std::uint32_t colour = palette[row[x]];  // A R G B
      const std::uint32_t alpha = colour >> 24;
      to[0] = dividedBy255((colour & 0xff) * alpha);
      to[1] = dividedBy255((colour >> 8 & 0xff) * alpha);
      to[2] = dividedBy255((colour >> 16 & 0xff) * alpha);
      to[3] = static_cast<std::uint8_t>(alpha);
    }
  }
  return part;
}

bool isDrawable(const AVSubtitleRect& rectangle) {
  return rectangle.type == SUBTITLE_BITMAP && rectangle.data[0] != nullptr && rectangle.data[1] != nullptr &&
         rectangle.w > 0 && rectangle.h > 0 && rectangle.w <= kLargestPlane && rectangle.h <= kLargestPlane &&
         rectangle.linesize[0] >= rectangle.w;
}

void setFont(ASS_Style& style, const char* name) {
  std::free(style.FontName);
  style.FontName = strdup(name);
}

}  // namespace

Result<std::unique_ptr<SubtitleTrack>> SubtitleTrack::open(ASS_Library* library,
                                                           const AVCodecParameters& parameters) {
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  const std::string name = avcodec_get_name(parameters.codec_id);
  if (codec == nullptr)
    return Error{ErrorCode::Unsupported, "There is no decoder for " + name + " subtitles here."};
  std::unique_ptr<SubtitleTrack> track(new SubtitleTrack);
  track->m_codec.reset(avcodec_alloc_context3(codec));
  AVCodecContext* context = track->m_codec.get();
  if (context == nullptr || avcodec_parameters_to_context(context, &parameters) < 0)
    return Error{ErrorCode::System, "There is no memory for subtitles."};
  context->pkt_timebase = {1, 1'000'000'000};
  context->flags2 |= AV_CODEC_FLAG2_RO_FLUSH_NOOP;  // lines go on being numbered after a jump
  if (const int opened = avcodec_open2(context, codec, nullptr); opened < 0)
    return Error{ErrorCode::Unsupported,
                 "The decoder for " + name + " subtitles refused the stream: " + av::wordsOf(opened) + "."};
  const AVCodecDescriptor* kind = avcodec_descriptor_get(parameters.codec_id);
  if (kind == nullptr || (kind->props & AV_CODEC_PROP_BITMAP_SUB) == 0)
    track->beginText(library,
                     parameters.codec_id == AV_CODEC_ID_ASS || parameters.codec_id == AV_CODEC_ID_SSA);
  return track;
}

/// `native`: the stream brings styles of its own. Others get ours, whatever libavcodec thinks of for them.
void SubtitleTrack::beginText(ASS_Library* library, bool native) {
  m_text.reset(ass_new_track(library));
  if (!m_text) return;
  ass_set_check_readorder(m_text.get(), 0);  // damaged streams number their lines anyhow; see put()
  if (m_codec->subtitle_header != nullptr)
    ass_process_codec_private(m_text.get(), reinterpret_cast<char*>(m_codec->subtitle_header),
                              m_codec->subtitle_header_size);
  if (native) return;
  m_text->ScaledBorderAndShadow = 1;
  const double height = m_text->PlayResY > 0 ? m_text->PlayResY : 288;
  for (int i = 0; i < m_text->n_styles; ++i) {
    ASS_Style& style = m_text->styles[i];
    setFont(style, "sans-serif");
    style.FontSize = kSize * height;
    style.PrimaryColour = 0xffffff00;
    style.OutlineColour = 0x00000000;
    style.BackColour = 0x00000080;
    style.BorderStyle = 1;
    style.Outline = kOutline * height;
    style.Shadow = kShadow * height;
    style.MarginV = static_cast<int>(kMargin * height);
  }
}

void SubtitleTrack::put(const AVPacket& packet) {
  if (packet.pts == AV_NOPTS_VALUE || packet.size < 0) return;
  const std::string_view bytes(reinterpret_cast<const char*>(packet.data),
                               static_cast<std::size_t>(packet.size));
  if (!m_seen.emplace(packet.pts, packet.duration, std::hash<std::string_view>{}(bytes)).second) return;
  AVSubtitle subtitle{};
  int got = 0;
  if (avcodec_decode_subtitle2(m_codec.get(), &subtitle, &got, const_cast<AVPacket*>(&packet)) < 0 ||
      got == 0)
    return;
  // Of several packets that make one picture, the decoder says whose time holds.
  const Duration stamp = subtitle.pts != AV_NOPTS_VALUE
                             ? Duration(av_rescale_q(subtitle.pts, AV_TIME_BASE_Q, {1, 1'000'000'000}))
                             : Duration(packet.pts);
  const Duration begin = stamp + milliseconds(subtitle.start_display_time);
  std::optional<Duration> end;
  if (packet.duration > 0) {
    end = stamp + Duration(packet.duration);
  } else if (subtitle.end_display_time != 0 && subtitle.end_display_time != UINT32_MAX) {
    end = stamp + milliseconds(subtitle.end_display_time);
  }
  if (m_text) {
    addText(subtitle, begin, end);
  } else {
    addBitmaps(subtitle, begin, end);
  }
  avsubtitle_free(&subtitle);
}

void SubtitleTrack::addText(const AVSubtitle& subtitle, Duration begin, std::optional<Duration> end) {
  const long long from = inMs(begin).count();
  // Lines without an end have waited for this one.
  for (int i = m_text->n_events - 1; i >= 0; --i) {
    ASS_Event& before = m_text->events[i];
    if (before.Duration != inMs(kLongestLine).count() || before.Start >= from) break;
    before.Duration = std::min(before.Duration, from - before.Start);
  }
  if (m_text->n_events >= kMostEvents || m_bytes >= kMostBytes) return;
  const auto length = inMs(end ? *end - begin : kLongestLine).count();
  for (unsigned i = 0; i < subtitle.num_rects; ++i) {
    char* line = subtitle.rects[i]->ass;
    if (line == nullptr) continue;
    const std::size_t size = std::strlen(line);
    m_bytes += size;
    ass_process_chunk(m_text.get(), line, static_cast<int>(size), from, length);
  }
}

void SubtitleTrack::addBitmaps(const AVSubtitle& subtitle, Duration begin, std::optional<Duration> end) {
  BitmapLine line{end, m_codec->width, m_codec->height, {}};
  for (unsigned i = 0; i < subtitle.num_rects; ++i) {
    if (!isDrawable(*subtitle.rects[i])) continue;
    line.parts.push_back(partOf(*subtitle.rects[i]));
    m_bytes += line.parts.back().pixels.size();
  }
  m_bitmaps[begin] = std::move(line);
}

void SubtitleTrack::jump() {
  avcodec_flush_buffers(m_codec.get());
}

const BitmapLine* SubtitleTrack::bitmapAt(Duration instant) const {
  auto next = m_bitmaps.upper_bound(instant);
  if (next == m_bitmaps.begin()) return nullptr;
  const auto& [begin, line] = *std::prev(next);
  return instant < line.end.value_or(begin + kLongestLine) ? &line : nullptr;
}

bool SubtitleTrack::outgrown() const noexcept {
  return !m_text && m_bytes >= kMostBytes;
}

}  // namespace tactus::plugins::subtitles
