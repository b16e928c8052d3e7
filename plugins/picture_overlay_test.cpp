// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_overlay.h"

#include <gtest/gtest.h>

#include <vector>

#include "plugins/video_converter.h"

namespace tactus::plugins {
namespace {

constexpr int kWidth = 64, kHeight = 48;  // as stored

OverlayPart barAt(int left, int top, int width, int height, std::uint8_t alpha) {
  OverlayPart part{left, top, width, height, {}};
  part.pixels.assign(std::size_t{4} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                     alpha);  // white
  return part;
}

struct Canvas {
  Canvas(int width, int height, std::uint8_t value)
      : pixels(static_cast<std::size_t>(width * height * 4), value),
        view{pixels.data(), width, height, width * 4} {}
  [[nodiscard]] int green(int x, int y) const {
    return view.data[static_cast<std::ptrdiff_t>(y) * view.stride + std::ptrdiff_t{4} * x + 1];
  }
  std::vector<std::uint8_t> pixels;
  Rgb32View view;
};

TEST(PictureOverlay, CoversByAlphaAndNothingBesideIt) {
  Canvas canvas(16, 8, 100);
  Overlay overlay;
  overlay.parts.push_back(barAt(2, 1, 3, 2, 255));
  overlay.parts.push_back(barAt(10, 4, 2, 2, 128));
  overlay.parts.push_back(barAt(0, 0, 1, 1, 0));
  blend(overlay, canvas.view);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 16; ++x) {
      const bool white = x >= 2 && x < 5 && y >= 1 && y < 3;
      const bool half = x >= 10 && x < 12 && y >= 4 && y < 6;
      EXPECT_EQ(canvas.green(x, y), white ? 255 : half ? 178 : 100) << x << ", " << y;
    }
  }
}

TEST(PictureOverlay, APartBeyondThePictureIsLeftOut) {
  Canvas canvas(16, 8, 100);
  Overlay overlay;
  overlay.parts.push_back(barAt(14, 0, 4, 2, 255));
  overlay.parts.push_back(barAt(0, 7, 2, 2, 255));
  overlay.parts.push_back(barAt(-1, 0, 2, 2, 255));
  blend(overlay, canvas.view);
  EXPECT_EQ(canvas.pixels, Canvas(16, 8, 100).pixels);
}

/// Stored pictures are turned when they are shown, and what lies over them is not: it stands upright.
class TurnedOverlay : public ::testing::TestWithParam<Orientation> {};

TEST_P(TurnedOverlay, StandsUprightInPlanarPictures) {
  gst_init(nullptr, nullptr);
  const bool quarter = GetParam().degrees % 180 != 0;
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_BGRx}) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, format, kWidth, kHeight);
    const BufferPtr black(gst_buffer_new_allocate(nullptr, info.size, nullptr));
    gst_buffer_memset(black.get(), 0, format == GST_VIDEO_FORMAT_BGRx ? 0 : 16, info.size);
    if (format != GST_VIDEO_FORMAT_BGRx) gst_buffer_memset(black.get(), info.offset[1], 128, info.size);
    GST_BUFFER_PTS(black.get()) = 7 * GST_SECOND;
    auto overlay = std::make_shared<Overlay>();
    overlay->parts.push_back(barAt(4, 8, 20, 6, 255));
    PlanarBlender blender;
    const BufferPtr shown = blender.blended({overlay, quarter ? kHeight : kWidth, quarter ? kWidth : kHeight},
                                            black.get(), info, GetParam());
    ASSERT_TRUE(shown);
    EXPECT_EQ(GST_BUFFER_PTS(shown.get()), 7 * GST_SECOND);
    VideoConverter converter;
    ASSERT_TRUE(converter.configure(info, GetParam()).ok());
    Canvas canvas(quarter ? kHeight : kWidth, quarter ? kWidth : kHeight, 0);
    GstVideoFrame frame;
    ASSERT_TRUE(gst_video_frame_map(&frame, &info, shown.get(), GST_MAP_READ));
    converter.convert(frame, canvas.view);
    gst_video_frame_unmap(&frame);
    for (int y = 0; y < canvas.view.height; ++y) {
      for (int x = 0; x < canvas.view.width; ++x) {
        const bool inside = x >= 4 && x < 24 && y >= 8 && y < 14;
        EXPECT_EQ(canvas.green(x, y) > 128, inside) << format << ": " << x << ", " << y;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TurnedOverlay,
                         ::testing::Values(Orientation{0, false}, Orientation{90, false},
                                           Orientation{180, false}, Orientation{270, false},
                                           Orientation{0, true}, Orientation{90, true},
                                           Orientation{180, true}, Orientation{270, true}));

}  // namespace
}  // namespace tactus::plugins
