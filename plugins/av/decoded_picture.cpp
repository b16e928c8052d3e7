// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/decoded_picture.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "plugins/pixel_formats.h"

namespace tactus::plugins::av {
namespace {

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

}  // namespace

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
      gst_buffer_append_memory(buffer.get(), memoryOf(bytes, bytes->data, bytes->size));
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
