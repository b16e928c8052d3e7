// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_converter.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "plugins/gst_handle.h"

namespace tactus::plugins {
namespace {

using Pixel = std::array<int, 3>;  // R, G, B

/// A converted picture; bytes are B G R x.
struct Picture {
  Rgb32View view;
  std::vector<std::uint32_t> memory;

  Picture(int width, int height)
      : memory(static_cast<std::size_t>(width + 16) * static_cast<std::size_t>(height + 1)) {
    view = {reinterpret_cast<std::uint8_t*>(memory.data()), width, height, (width + 16) / 16 * 64};
  }
  [[nodiscard]] Pixel at(int x, int y) const {
    const std::uint8_t* p = view.data + static_cast<std::ptrdiff_t>(y) * view.stride + x * 4;
    return {p[2], p[1], p[0]};
  }
};

void expectNear(Pixel seen, Pixel wanted, int levels, const std::string& what) {
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(seen[i], wanted[i], levels) << what << ", channel "
                                            << "RGB"[i];
}

/// One frame of videotestsrc's 75 % bars.
SamplePtr bars(const std::string& format, const std::string& colorimetry, int width, int height) {
  gst_init(nullptr, nullptr);
  const std::string text = "videotestsrc num-buffers=1 pattern=smpte75 ! video/x-raw,format=" + format +
                           ",colorimetry=" + colorimetry + ",width=" + std::to_string(width) +
                           ",height=" + std::to_string(height) + " ! fakesink name=end";
  const ElementPtr pipeline(gst_parse_launch(text.c_str(), nullptr));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const BusPtr bus(gst_element_get_bus(pipeline.get()));
  const MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), 5 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "end"));
  GstSample* sample = nullptr;
  g_object_get(sink.get(), "last-sample", &sample, nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return SamplePtr(sample);
}

Picture convert(const GstVideoInfo& info, GstBuffer* buffer, Orientation orientation = {}) {
  VideoConverter converter;
  const auto ready = converter.configure(info, orientation);
  EXPECT_TRUE(ready.ok());
  Picture picture(converter.width(), converter.height());
  GstVideoFrame frame;
  EXPECT_TRUE(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  converter.convert(frame, picture.view);
  gst_video_frame_unmap(&frame);
  return picture;
}

Picture convert(const SamplePtr& sample, Orientation orientation = {}) {
  GstVideoInfo info;
  EXPECT_TRUE(gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get())));
  return convert(info, gst_sample_get_buffer(sample.get()), orientation);
}

constexpr std::array<Pixel, 7> kBars{
    {{191, 191, 191}, {191, 191, 0}, {0, 191, 191}, {0, 191, 0}, {191, 0, 191}, {191, 0, 0}, {0, 0, 191}}};

class EveryLayout : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(EveryLayout, ShowsTheBarsWithinThreeLevels) {
  const auto [format, colorimetry] = GetParam();
  for (const auto& [width, height] : {std::pair{640, 480}, std::pair{321, 243}}) {
    const auto sample = bars(format, colorimetry, width, height);
    ASSERT_TRUE(sample);
    const Picture picture = convert(sample);
    for (std::size_t i = 0; i < kBars.size(); ++i) {
      const int x = (2 * static_cast<int>(i) + 1) * width / 14;
      expectNear(picture.at(x, height / 3), kBars[i], 3,
                 std::string(format) + " " + colorimetry + ", bar " + std::to_string(i) + " of " +
                     std::to_string(width));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, EveryLayout,
                         testing::Combine(testing::Values("I420", "YV12", "NV12", "NV21", "Y42B", "Y444",
                                                          "I420_10LE", "I422_10LE", "Y444_10LE", "P010_10LE",
                                                          "YUY2", "UYVY"),
                                          testing::Values("bt601", "bt709")));
INSTANTIATE_TEST_SUITE_P(RgbLayouts, EveryLayout,
                         testing::Combine(testing::Values("RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR",
                                                          "RGBA", "BGRA", "ARGB", "ABGR"),
                                          testing::Values("sRGB")));

TEST(VideoConverter, ShowsTheLastColumnAndRowOfAnOddPicture) {
  for (const char* format : {"I420", "NV12", "I420_10LE", "P010_10LE", "BGRx"}) {
    const Picture picture = convert(bars(format, "bt601", 321, 243));
    expectNear(picture.at(320, 0), {0, 0, 191}, 3, format);
    expectNear(picture.at(320, 100), {0, 0, 191}, 3, format);
    const Pixel corner = picture.at(0, 242);
    expectNear(picture.at(0, 241), corner, 3, format);
  }
}

/// The exact Y'CbCr values, of 8 bits.
std::array<double, 3> yuvOf(Pixel rgb, double kr, double kb, bool full) {
  const double luma = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
  const double cb = (rgb[2] - luma) / (2 * (1 - kb));
  const double cr = (rgb[0] - luma) / (2 * (1 - kr));
  return {full ? luma : 16 + luma * 219 / 255, 128 + (full ? cb : cb * 224 / 255),
          128 + (full ? cr : cr * 224 / 255)};
}

/// A frame of one colour, as it is shown.
Pixel shown(Pixel rgb, const char* colorimetry, double kr, double kb, bool full) {
  gst_init(nullptr, nullptr);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_Y444, 64, 16);
  gst_video_colorimetry_from_string(&info.colorimetry, colorimetry);
  info.colorimetry.range = full ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
  const auto planes = yuvOf(rgb, kr, kb, full);
  const BufferPtr buffer(gst_buffer_new_allocate(nullptr, info.size, nullptr));
  for (std::size_t i = 0; i < 3; ++i) {
    gst_buffer_memset(buffer.get(), i * 64 * 16, static_cast<guint8>(std::lround(planes[i])), 64 * 16);
  }
  return convert(info, buffer.get()).at(31, 8);
}

TEST(VideoConverter, KnowsMatrixAndRangeOfEachColorimetry) {
  for (const Pixel rgb : {Pixel{200, 60, 30}, Pixel{20, 180, 90}, Pixel{255, 255, 255}, Pixel{0, 0, 0}}) {
    for (const bool full : {false, true}) {
      const std::string what = full ? "full range" : "limited range";
      expectNear(shown(rgb, "bt601", 0.299, 0.114, full), rgb, 3, "BT.601 " + what);
      expectNear(shown(rgb, "bt709", 0.2126, 0.0722, full), rgb, 3, "BT.709 " + what);
      expectNear(shown(rgb, "bt2020", 0.2627, 0.0593, full), rgb, 3, "BT.2020 " + what);
    }
  }
}

/// 4:4:4 of so many bits; the columns, one pixel wide, have the colours in turn.
BufferPtr columnsOf(std::span<const Pixel> colours, const GstVideoInfo& info) {
  BufferPtr buffer(gst_buffer_new_allocate(nullptr, info.size, nullptr));
  const int bits = GST_VIDEO_INFO_COMP_DEPTH(&info, 0);
  GstVideoFrame frame;
  EXPECT_TRUE(gst_video_frame_map(&frame, &info, buffer.get(), GST_MAP_WRITE));
  for (std::size_t plane = 0; plane < 3; ++plane) {
    for (int y = 0; y < GST_VIDEO_FRAME_HEIGHT(&frame); ++y) {
      auto* row = static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)) +
                  static_cast<std::ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
      for (int x = 0; x < GST_VIDEO_FRAME_WIDTH(&frame); ++x) {
        const Pixel& colour = colours[static_cast<std::size_t>(x) % colours.size()];
        const auto sample = std::lround(yuvOf(colour, 0.299, 0.114, false)[plane] * (1 << (bits - 8)));
        if (bits == 8)
          row[x] = static_cast<std::uint8_t>(sample);
        else
          GST_WRITE_UINT16_LE(row + static_cast<std::ptrdiff_t>(2) * x, static_cast<std::uint16_t>(sample));
      }
    }
  }
  gst_video_frame_unmap(&frame);
  return buffer;
}

TEST(VideoConverter, ShowsTheColourOfEachPixelWhereChromaIsWhole) {
  constexpr std::array<Pixel, 3> kColours{{{200, 60, 30}, {20, 180, 90}, {60, 40, 200}}};
  gst_init(nullptr, nullptr);
  for (const auto format : {GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_Y444_10LE}) {
    for (const int width : {60, 61}) {
      GstVideoInfo info;
      gst_video_info_set_format(&info, format, static_cast<guint>(width), 16);
      gst_video_colorimetry_from_string(&info.colorimetry, "bt601");
      const Picture picture = convert(info, columnsOf(kColours, info).get());
      for (int x = 0; x < width; ++x)
        expectNear(picture.at(x, 8), kColours[static_cast<std::size_t>(x) % 3], 3,
                   gst_video_format_to_string(format) + (", column " + std::to_string(x)));
    }
  }
}

TEST(VideoConverter, ShowsGreyAsGrey) {
  gst_init(nullptr, nullptr);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 64, 16);
  const BufferPtr buffer(gst_buffer_new_allocate(nullptr, info.size, nullptr));
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  gst_buffer_memset(buffer.get(), 0, 191, info.size);
  expectNear(convert(info, buffer.get()).at(31, 8), {191, 191, 191}, 1, "full range");
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_16_235;
  gst_buffer_memset(buffer.get(), 0, 235, info.size);
  expectNear(convert(info, buffer.get()).at(31, 8), {255, 255, 255}, 1, "limited range");
}

/// A BGRx frame whose every pixel is its own position: blue = x, green = y.
BufferPtr positions(GstVideoInfo& info, int width, int height) {
  gst_init(nullptr, nullptr);
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_BGRx, static_cast<guint>(width),
                            static_cast<guint>(height));
  BufferPtr buffer(gst_buffer_new_allocate(nullptr, info.size, nullptr));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::uint8_t pixel[4] = {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0, 0};
      gst_buffer_fill(buffer.get(), static_cast<gsize>(y * width + x) * 4, pixel, 4);
    }
  }
  return buffer;
}

TEST(VideoConverter, TurnsAndMirrorsEveryPixelToItsPlace) {
  constexpr int kWidth = 51;
  constexpr int kHeight = 35;
  GstVideoInfo info;
  const auto buffer = positions(info, kWidth, kHeight);
  for (const int degrees : {0, 90, 180, 270}) {
    for (const bool mirrored : {false, true}) {
      const Picture picture = convert(info, buffer.get(), {degrees, mirrored});
      const bool turned = degrees % 180 != 0;
      ASSERT_EQ(picture.view.width, turned ? kHeight : kWidth);
      ASSERT_EQ(picture.view.height, turned ? kWidth : kHeight);
      int wrong = 0;
      for (int y = 0; y < picture.view.height; ++y) {
        for (int x = 0; x < picture.view.width; ++x) {
          // Back from the upright picture to the source: unmirror, then turn counter-clockwise.
          const int u = mirrored ? picture.view.width - 1 - x : x;
          Pixel from{};
          if (degrees == 0) from = {0, y, u};
          if (degrees == 90) from = {0, kHeight - 1 - u, y};
          if (degrees == 180) from = {0, kHeight - 1 - y, kWidth - 1 - u};
          if (degrees == 270) from = {0, u, kWidth - 1 - y};
          if (picture.at(x, y) != from) ++wrong;
        }
      }
      EXPECT_EQ(wrong, 0) << degrees << (mirrored ? " mirrored" : "");
    }
  }
}

TEST(VideoConverter, FitsIntoARoomKeepingTheShape) {
  gst_init(nullptr, nullptr);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, 1280, 720);
  VideoConverter converter;
  const auto fitted = [&](PictureRoom room, Orientation orientation = {}) {
    EXPECT_TRUE(converter.configure(info, orientation, room).ok());
    return PictureRoom{converter.width(), converter.height()};
  };
  EXPECT_EQ(fitted({}), (PictureRoom{1280, 720}));
  EXPECT_FALSE(converter.scales());
  EXPECT_EQ(fitted({1280, 720}), (PictureRoom{1280, 720}));
  EXPECT_FALSE(converter.scales());
  EXPECT_EQ(fitted({640, 640}), (PictureRoom{640, 360}));
  EXPECT_TRUE(converter.scales());
  EXPECT_EQ(fitted({1920, 1080}), (PictureRoom{1920, 1080}));
  EXPECT_EQ(fitted({360, 640}, {90, false}), (PictureRoom{360, 640}));  // upright it is 720 x 1280
  EXPECT_EQ(fitted({7680, 4320}), (PictureRoom{1280, 720}));            // left to the screen
  EXPECT_EQ(fitted({3, 2}), (PictureRoom{1280, 720}));
  info.par_n = 2;
  EXPECT_EQ(fitted({1280, 720}), (PictureRoom{1280, 360}));
}

TEST(VideoConverter, ScalesAtEveryQualityToTheSameColours) {
  const SamplePtr sample = bars("I420", "bt709", 640, 480);
  GstVideoInfo info;
  gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get()));
  VideoConverter converter;
  ASSERT_TRUE(converter.configure(info, {}, {320, 240}).ok());
  const Picture whole = convert(sample);
  for (const auto quality : {ScaleQuality::Fast, ScaleQuality::Good, ScaleQuality::Best}) {
    Picture picture(converter.width(), converter.height());
    GstVideoFrame frame;
    ASSERT_TRUE(gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample.get()), GST_MAP_READ));
    converter.convert(frame, picture.view, quality);
    gst_video_frame_unmap(&frame);
    for (const int x : {20, 66, 112, 158, 204, 250, 296})  // inside each bar
      expectNear(picture.at(x, 60), whole.at(2 * x, 120), 3, "scaled");
  }
}

TEST(VideoConverter, RefusesLayoutsItDoesNotKnow) {
  gst_init(nullptr, nullptr);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_v308, 64, 64);
  VideoConverter converter;
  const auto ready = converter.configure(info, {});
  ASSERT_FALSE(ready.ok());
  EXPECT_EQ(ready.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace tactus::plugins
