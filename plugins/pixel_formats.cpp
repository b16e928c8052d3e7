// SPDX-License-Identifier: Apache-2.0
#include "plugins/pixel_formats.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <algorithm>
#include <array>
#include <utility>

namespace tactus::plugins {
namespace {

/// Where GStreamer has one format for two of libav's, the first is the one to convert by.
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

AVPixelFormat pixelsOf(GstVideoFormat format) noexcept {
  const auto found =
      std::find_if(kFormats.begin(), kFormats.end(), [=](const auto& pair) { return pair.second == format; });
  return found != kFormats.end() ? found->first : AV_PIX_FMT_NONE;
}

}  // namespace tactus::plugins
