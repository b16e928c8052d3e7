// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/decoded_picture.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tactus::plugins::av {
namespace {

constexpr auto kFormats = std::to_array<std::pair<AVPixelFormat, GstVideoFormat>>({
    {AV_PIX_FMT_YUV420P, GST_VIDEO_FORMAT_I420},
    {AV_PIX_FMT_YUVJ420P, GST_VIDEO_FORMAT_I420},
    {AV_PIX_FMT_YUV422P, GST_VIDEO_FORMAT_Y42B},
    {AV_PIX_FMT_YUVJ422P, GST_VIDEO_FORMAT_Y42B},
    {AV_PIX_FMT_YUV444P, GST_VIDEO_FORMAT_Y444},
    {AV_PIX_FMT_YUVJ444P, GST_VIDEO_FORMAT_Y444},
    {AV_PIX_FMT_YUV411P, GST_VIDEO_FORMAT_Y41B},
    {AV_PIX_FMT_YUV410P, GST_VIDEO_FORMAT_YUV9},
    {AV_PIX_FMT_NV12, GST_VIDEO_FORMAT_NV12},
    {AV_PIX_FMT_NV21, GST_VIDEO_FORMAT_NV21},
    {AV_PIX_FMT_YUYV422, GST_VIDEO_FORMAT_YUY2},
    {AV_PIX_FMT_UYVY422, GST_VIDEO_FORMAT_UYVY},
    {AV_PIX_FMT_YUVA420P, GST_VIDEO_FORMAT_A420},
    {AV_PIX_FMT_YUV420P10LE, GST_VIDEO_FORMAT_I420_10LE},
    {AV_PIX_FMT_YUV422P10LE, GST_VIDEO_FORMAT_I422_10LE},
    {AV_PIX_FMT_YUV444P10LE, GST_VIDEO_FORMAT_Y444_10LE},
    {AV_PIX_FMT_YUV420P12LE, GST_VIDEO_FORMAT_I420_12LE},
    {AV_PIX_FMT_YUV422P12LE, GST_VIDEO_FORMAT_I422_12LE},
    {AV_PIX_FMT_YUV444P12LE, GST_VIDEO_FORMAT_Y444_12LE},
    {AV_PIX_FMT_YUV444P16LE, GST_VIDEO_FORMAT_Y444_16LE},
    {AV_PIX_FMT_YUVA420P10LE, GST_VIDEO_FORMAT_A420_10LE},
    {AV_PIX_FMT_YUVA422P10LE, GST_VIDEO_FORMAT_A422_10LE},
    {AV_PIX_FMT_YUVA444P10LE, GST_VIDEO_FORMAT_A444_10LE},
    {AV_PIX_FMT_P010LE, GST_VIDEO_FORMAT_P010_10LE},
    {AV_PIX_FMT_P016LE, GST_VIDEO_FORMAT_P016_LE},
    {AV_PIX_FMT_GRAY8, GST_VIDEO_FORMAT_GRAY8},
    {AV_PIX_FMT_GRAY16LE, GST_VIDEO_FORMAT_GRAY16_LE},
    {AV_PIX_FMT_GRAY16BE, GST_VIDEO_FORMAT_GRAY16_BE},
    {AV_PIX_FMT_RGB24, GST_VIDEO_FORMAT_RGB},
    {AV_PIX_FMT_BGR24, GST_VIDEO_FORMAT_BGR},
    {AV_PIX_FMT_RGBA, GST_VIDEO_FORMAT_RGBA},
    {AV_PIX_FMT_BGRA, GST_VIDEO_FORMAT_BGRA},
    {AV_PIX_FMT_ARGB, GST_VIDEO_FORMAT_ARGB},
    {AV_PIX_FMT_ABGR, GST_VIDEO_FORMAT_ABGR},
    {AV_PIX_FMT_RGB0, GST_VIDEO_FORMAT_RGBx},
    {AV_PIX_FMT_BGR0, GST_VIDEO_FORMAT_BGRx},
    {AV_PIX_FMT_0RGB, GST_VIDEO_FORMAT_xRGB},
    {AV_PIX_FMT_0BGR, GST_VIDEO_FORMAT_xBGR},
    {AV_PIX_FMT_RGB565LE, GST_VIDEO_FORMAT_RGB16},
    {AV_PIX_FMT_RGB555LE, GST_VIDEO_FORMAT_RGB15},
    {AV_PIX_FMT_RGBA64LE, GST_VIDEO_FORMAT_RGBA64_LE},
    {AV_PIX_FMT_GBRP, GST_VIDEO_FORMAT_GBR},
    {AV_PIX_FMT_GBRP10LE, GST_VIDEO_FORMAT_GBR_10LE},
    {AV_PIX_FMT_GBRP12LE, GST_VIDEO_FORMAT_GBR_12LE},
    {AV_PIX_FMT_GBRAP, GST_VIDEO_FORMAT_GBRA},
    {AV_PIX_FMT_GBRAP10LE, GST_VIDEO_FORMAT_GBRA_10LE},
});

constexpr int kLargestSide = 32767;

bool saysFullRange(const AVFrame& picture) noexcept {
  const auto format = static_cast<AVPixelFormat>(picture.format);
  return picture.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P ||
         format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P;
}

/// What the picture does not say stays as GStreamer guesses it from the size.
void setColours(GstVideoInfo& info, const AVFrame& picture) noexcept {
  auto& colours = info.colorimetry;
  if (GST_VIDEO_INFO_IS_YUV(&info)) {
    if (picture.colorspace != AVCOL_SPC_UNSPECIFIED && picture.colorspace != AVCOL_SPC_RGB)
      if (const auto matrix = gst_video_color_matrix_from_iso(static_cast<guint>(picture.colorspace));
          matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN)
        colours.matrix = matrix;
    colours.range = saysFullRange(picture) ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
  }
  if (picture.color_trc != AVCOL_TRC_UNSPECIFIED)
    if (const auto transfer = gst_video_transfer_function_from_iso(static_cast<guint>(picture.color_trc));
        transfer != GST_VIDEO_TRANSFER_UNKNOWN)
      colours.transfer = transfer;
  if (picture.color_primaries != AVCOL_PRI_UNSPECIFIED)
    if (const auto primaries =
            gst_video_color_primaries_from_iso(static_cast<guint>(picture.color_primaries));
        primaries != GST_VIDEO_COLOR_PRIMARIES_UNKNOWN)
      colours.primaries = primaries;
  if (picture.chroma_location == AVCHROMA_LOC_LEFT) info.chroma_site = GST_VIDEO_CHROMA_SITE_MPEG2;
  if (picture.chroma_location == AVCHROMA_LOC_CENTER) info.chroma_site = GST_VIDEO_CHROMA_SITE_JPEG;
  if (picture.chroma_location == AVCHROMA_LOC_TOPLEFT) info.chroma_site = GST_VIDEO_CHROMA_SITE_COSITED;
}

void releaseBytes(gpointer held) {
  auto* bytes = static_cast<AVBufferRef*>(held);
  av_buffer_unref(&bytes);
}

}  // namespace

GstVideoFormat formatOf(AVPixelFormat format) noexcept {
  for (const auto& [theirs, ours] : kFormats)
    if (theirs == format) return ours;
  return GST_VIDEO_FORMAT_UNKNOWN;
}

AVPixelFormat nearestFormat(AVPixelFormat format) noexcept {
  std::array<AVPixelFormat, kFormats.size() + 1> known{};
  for (std::size_t i = 0; i < kFormats.size(); ++i) known[i] = kFormats[i].first;
  known.back() = AV_PIX_FMT_NONE;
  return avcodec_find_best_pix_fmt_of_list(known.data(), format, 1, nullptr);
}

std::optional<GstVideoInfo> infoOf(const AVFrame& picture, AVRational rate) noexcept {
  const GstVideoFormat format = formatOf(static_cast<AVPixelFormat>(picture.format));
  if (format == GST_VIDEO_FORMAT_UNKNOWN || picture.width < 1 || picture.height < 1 ||
      picture.width > kLargestSide || picture.height > kLargestSide)
    return std::nullopt;
  GstVideoInfo info;
  if (gst_video_info_set_format(&info, format, static_cast<guint>(picture.width),
                                static_cast<guint>(picture.height)) == FALSE)
    return std::nullopt;
  info.fps_n = rate.num;
  info.fps_d = rate.den > 0 ? rate.den : 1;
  if (picture.sample_aspect_ratio.num > 0 && picture.sample_aspect_ratio.den > 0) {
    info.par_n = picture.sample_aspect_ratio.num;
    info.par_d = picture.sample_aspect_ratio.den;
  }
  setColours(info, picture);
  return info;
}

BufferPtr bufferOf(const AVFrame& picture, const GstVideoInfo& info) {
  BufferPtr buffer(gst_buffer_new());
  std::array<gsize, GST_VIDEO_MAX_PLANES> offsets{};
  std::array<gint, GST_VIDEO_MAX_PLANES> strides{};
  std::vector<std::pair<const AVBufferRef*, gsize>> memories;  // and where each begins in the buffer
  gsize end = 0;
  const guint planes = GST_VIDEO_INFO_N_PLANES(&info);
  for (guint plane = 0; plane < planes; ++plane) {
    AVBufferRef* bytes = av_frame_get_plane_buffer(const_cast<AVFrame*>(&picture),
                                                   static_cast<int>(plane));  // changes nothing
    if (bytes == nullptr || picture.linesize[plane] <= 0) return nullptr;
    auto found = std::find_if(memories.begin(), memories.end(),
                              [&](const auto& memory) { return memory.first->data == bytes->data; });
    if (found == memories.end()) {
      gst_buffer_append_memory(buffer.get(),
                               gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, bytes->data, bytes->size, 0,
                                                      bytes->size, av_buffer_ref(bytes), releaseBytes));
      found = memories.insert(memories.end(), {bytes, end});
      end += bytes->size;
    }
    offsets[plane] = found->second + static_cast<gsize>(picture.data[plane] - bytes->data);
    strides[plane] = picture.linesize[plane];
  }
  gst_buffer_add_video_meta_full(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
                                 static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)), planes, offsets.data(),
                                 strides.data());
  return buffer;
}

}  // namespace tactus::plugins::av
