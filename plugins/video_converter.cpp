// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_converter.h"

extern "C" {
#include <libavutil/pixfmt.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "plugins/aligned_memory.h"
#include "plugins/picture_turn.h"
#include "plugins/pixel_formats.h"

namespace tactus::plugins {
namespace {

constexpr auto kQualities = static_cast<std::size_t>(ScaleQuality::Count_);
constexpr int kSmallest = 16;   // of a room worth fitting into
constexpr int kLargest = 2048;  // of a picture that is scaled

/// Those that are taken, the best first.
constexpr std::array kTaken{
    GST_VIDEO_FORMAT_I420,      GST_VIDEO_FORMAT_NV12,      GST_VIDEO_FORMAT_YV12,
    GST_VIDEO_FORMAT_NV21,      GST_VIDEO_FORMAT_Y42B,      GST_VIDEO_FORMAT_Y444,
    GST_VIDEO_FORMAT_Y41B,      GST_VIDEO_FORMAT_YUV9,      GST_VIDEO_FORMAT_I420_10LE,
    GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_Y444_10LE, GST_VIDEO_FORMAT_I420_12LE,
    GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_YUY2,      GST_VIDEO_FORMAT_UYVY,
    GST_VIDEO_FORMAT_GRAY8,     GST_VIDEO_FORMAT_BGRx,      GST_VIDEO_FORMAT_RGBx,
    GST_VIDEO_FORMAT_xRGB,      GST_VIDEO_FORMAT_xBGR,      GST_VIDEO_FORMAT_BGRA,
    GST_VIDEO_FORMAT_RGBA,      GST_VIDEO_FORMAT_ARGB,      GST_VIDEO_FORMAT_ABGR,
    GST_VIDEO_FORMAT_RGB,       GST_VIDEO_FORMAT_BGR,       GST_VIDEO_FORMAT_GBR,
    GST_VIDEO_FORMAT_RGB16,
};

/// As what swscale reads the format; AV_PIX_FMT_NONE where it is not taken.
AVPixelFormat readAs(GstVideoFormat format) noexcept {
  if (std::find(kTaken.begin(), kTaken.end(), format) == kTaken.end()) return AV_PIX_FMT_NONE;
  // Chroma planes are exchanged, or added, when a picture is converted.
  const bool luma = format == GST_VIDEO_FORMAT_YV12 || format == GST_VIDEO_FORMAT_GRAY8;
  return luma ? AV_PIX_FMT_YUV420P : pixelsOf(format);
}

int swscaleMatrix(GstVideoColorMatrix matrix, int height) noexcept {
  switch (matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return SWS_CS_ITU709;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return SWS_CS_BT2020;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return SWS_CS_SMPTE240M;
    case GST_VIDEO_COLOR_MATRIX_FCC:
      return SWS_CS_FCC;
    case GST_VIDEO_COLOR_MATRIX_BT601:
      return SWS_CS_ITU601;
    default:
      return height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601;  // untagged: as all players guess
  }
}

/// For pictures that are not scaled. The fast scaler halves the chroma of 4:4:4, and blurs pictures of odd
/// width. The next better one costs no more for most layouts: three times as much for 4:4:4, and a quarter
/// more for 8 bits with interleaved chroma, which the fast one shows as well.
int unscaled(const GstVideoInfo& info) noexcept {
  const bool interleaved = GST_VIDEO_INFO_N_PLANES(&info) < 3 && GST_VIDEO_INFO_COMP_DEPTH(&info, 0) == 8;
  return interleaved && GST_VIDEO_INFO_WIDTH(&info) % 2 == 0 ? SWS_FAST_BILINEAR : SWS_BILINEAR;
}

/// The size of the converted picture, before it is turned.
PictureRoom fit(const GstVideoInfo& info, Orientation orientation, PictureRoom room) noexcept {
  const int width = GST_VIDEO_INFO_WIDTH(&info);
  const int height = GST_VIDEO_INFO_HEIGHT(&info);
  if (room.width < kSmallest || room.height < kSmallest) return {width, height};
  if (orientation.degrees % 180 != 0) std::swap(room.width, room.height);
  const double wide =
      static_cast<double>(width) * GST_VIDEO_INFO_PAR_N(&info) / std::max(1, GST_VIDEO_INFO_PAR_D(&info));
  const double factor = std::min(room.width / wide, room.height / static_cast<double>(height));
  const PictureRoom fitted{static_cast<int>(std::lround(wide * factor)),
                           static_cast<int>(std::lround(height * factor))};
  // Larger than this the screen's own scaling costs less than we do; smaller than that swscale has no
  // filters.
  if (fitted.width > kLargest || fitted.height > kLargest || fitted.width < 8 || fitted.height < 8 ||
      wide / fitted.width > 64)
    return {width, height};
  return fitted;
}

void copyRows(const std::uint8_t* from, std::ptrdiff_t fromStride, int width, int height,
              const Rgb32View& into) noexcept {
  for (int y = 0; y < height; ++y) {
    std::memcpy(into.data + static_cast<std::ptrdiff_t>(y) * into.stride, from + y * fromStride,
                static_cast<std::size_t>(width) * 4);
  }
}

}  // namespace

struct VideoConverter::State {
  struct FreeContext {
    void operator()(SwsContext* context) const noexcept { sws_freeContext(context); }
  };
  std::array<std::unique_ptr<SwsContext, FreeContext>, kQualities>
      contexts;  // the first alone if nothing is scaled
  int sourceHeight = 0;
  int width = 0, height = 0;  // of the converted picture before it is turned
  bool swapChroma = false;
  Orientation orientation;
  // GRAY8, which swscale would take for full range always: neutral chroma. Its rows overlap, a cache line
  // apart.
  std::vector<std::uint8_t> neutral;
  bool copies = false;     // BGRx already
  AlignedMemory unturned;  // the converted picture before it is turned
  int unturnedStride = 0;  // bytes
};

VideoConverter::VideoConverter() noexcept = default;
VideoConverter::~VideoConverter() = default;

std::string VideoConverter::formats() {
  std::string list = "{ ";
  for (const GstVideoFormat format : kTaken) {
    if (list.size() > 2) list += ", ";
    list += gst_video_format_to_string(format);
  }
  return list + " }";
}

Result<void> VideoConverter::configure(const GstVideoInfo& info, Orientation orientation, PictureRoom room) {
  const AVPixelFormat pixels = readAs(GST_VIDEO_INFO_FORMAT(&info));
  const int width = GST_VIDEO_INFO_WIDTH(&info);
  const int height = GST_VIDEO_INFO_HEIGHT(&info);
  if (pixels == AV_PIX_FMT_NONE || width < 1 || height < 1) {
    return Error{ErrorCode::Unsupported, "Pictures of this layout cannot be shown."};
  }
  auto state = std::make_unique<State>();
  const auto fitted = fit(info, orientation, room);
  const bool scaled = fitted.width != width || fitted.height != height;
  const int matrix = swscaleMatrix(info.colorimetry.matrix, height);
  const bool full = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  constexpr std::array kScalers{SWS_FAST_BILINEAR, SWS_BILINEAR, SWS_BICUBIC};
  for (std::size_t i = 0; i < (scaled ? kQualities : 1); ++i) {
    auto& context = state->contexts[i];
    context.reset(sws_getContext(width, height, pixels, fitted.width, fitted.height, AV_PIX_FMT_BGR0,
                                 scaled ? kScalers[i] : unscaled(info), nullptr, nullptr, nullptr));
    if (!context) return Error{ErrorCode::Unsupported, "swscale cannot convert pictures of this layout."};
    sws_setColorspaceDetails(context.get(), sws_getCoefficients(matrix), full ? 1 : 0,
                             sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
  }
  state->sourceHeight = height;
  state->width = fitted.width;
  state->height = fitted.height;
  state->swapChroma = GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_YV12;
  state->copies = !scaled && GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_BGRx;
  if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_GRAY8) {
    state->neutral.assign(
        static_cast<std::size_t>(width) + kCacheLine * (static_cast<std::size_t>(height) + 1), 128);
  }
  state->orientation = orientation;
  if (orientation != Orientation{}) {
    state->unturned = allocatePicture(alignedRow(fitted.width), fitted.height);
    state->unturnedStride = static_cast<int>(alignedRow(fitted.width));
    if (!state->unturned) return Error{ErrorCode::System, "There is no memory for pictures of this size."};
  }
  m_state = std::move(state);
  return {};
}

int VideoConverter::width() const noexcept {
  if (!m_state) return 0;
  return m_state->orientation.degrees % 180 == 0 ? m_state->width : m_state->height;
}

int VideoConverter::height() const noexcept {
  if (!m_state) return 0;
  return m_state->orientation.degrees % 180 == 0 ? m_state->height : m_state->width;
}

bool VideoConverter::scales() const noexcept {
  return m_state && m_state->contexts[1];
}

void VideoConverter::convert(const GstVideoFrame& frame, const Rgb32View& into,
                             ScaleQuality quality) noexcept {
  auto& state = *m_state;
  const std::uint8_t* planes[4]{};
  int strides[4]{};
  const auto planeCount = std::min(4u, GST_VIDEO_FRAME_N_PLANES(&frame));
  for (unsigned i = 0; i < planeCount; ++i) {
    planes[i] = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, i));
    strides[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, i);
  }
  // YV12 and I420 differ in the order of the chroma planes only. GStreamer's GBR planes are in memory order
  // G, B, R, as swscale's GBRP.
  if (state.swapChroma) std::swap(planes[1], planes[2]);
  if (!state.neutral.empty()) {
    planes[1] = planes[2] = state.neutral.data();
    strides[1] = strides[2] = kCacheLine;
  }
  const bool turned = state.orientation != Orientation{};
  const std::uint8_t* upright = planes[0];
  std::ptrdiff_t uprightStride = strides[0];
  if (!state.copies) {
    std::uint8_t* out[4]{turned ? state.unturned.get() : into.data};
    const int outStrides[4]{turned ? state.unturnedStride : into.stride};
    const auto& wanted = state.contexts[static_cast<std::size_t>(quality)];
    sws_scale((wanted ? wanted : state.contexts[0]).get(), planes, strides, 0, state.sourceHeight, out,
              outStrides);
    upright = out[0];
    uprightStride = outStrides[0];
  } else if (!turned) {
    copyRows(planes[0], strides[0], state.width, state.height, into);
  }
  if (!turned) return;
  turn(upright, uprightStride, state.width, state.height, into,
       turnOf(state.orientation, state.width, state.height, into.stride / 4));
}

}  // namespace tactus::plugins
