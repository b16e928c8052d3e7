// SPDX-License-Identifier: Apache-2.0
// Decoding on a device, where the machine has one, and what comes of the wish where it has none.
#include "plugins/av/hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "media/playback/test_films.h"
#include "plugins/av/plays_to_its_end.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins::av {
namespace {

using media::testing::film;
using media::testing::words;

struct Told {
  std::string device, why;
};

/// Instant and bytes of every picture, in a format that no decoder has: so how it lays them out makes no
/// difference.
class Decoded {
 public:
  Decoded(const std::string& path, HardwareWish wish) {
    gst_init(nullptr, nullptr);
    registerElements();
    (void)Hardware::await();
    const std::string text = "tactusavsrc name=s location=\"" + path +
                             "\" s.video ! tactusavdec name=d max-threads=2 ! videoconvert dither=none ! "
                             "video/x-raw,format=I420_12LE ! fakesink name=v sync=false signal-handoffs=true";
    m_pipeline.reset(gst_parse_launch(text.c_str(), nullptr));
    set(wish);
    const ElementPtr sink(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "v"));
    g_signal_connect(sink.get(), "handoff", G_CALLBACK(onPicture), this);
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    gst_bus_set_sync_handler(bus.get(), onMessage, this, nullptr);
  }
  void set(HardwareWish wish) {
    const ElementPtr decoder(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "d"));
    g_object_set(decoder.get(), "hardware", std::string(nameOf(wish)).c_str(), nullptr);
  }
  /// From this picture on.
  void setAt(std::size_t picture, HardwareWish wish) { m_changes.emplace_back(picture, wish); }
  Decoded& play() {
    EXPECT_TRUE(playsToItsEnd(m_pipeline.get()));
    return *this;
  }

  std::vector<std::pair<GstClockTime, std::string>> pictures;
  std::vector<Told> told;
  int warnings = 0;

 private:
  static void onPicture(GstElement*, GstBuffer* buffer, GstPad*, gpointer data) {
    auto& self = *static_cast<Decoded*>(data);
    for (const auto& [picture, wish] : self.m_changes)
      if (picture == self.pictures.size()) self.set(wish);
    GstMapInfo map{};
    ASSERT_TRUE(gst_buffer_map(buffer, &map, GST_MAP_READ));
    const CharPtr sum(g_compute_checksum_for_data(G_CHECKSUM_MD5, map.data, map.size));
    self.pictures.emplace_back(GST_BUFFER_PTS(buffer), sum.get());
    gst_buffer_unmap(buffer, &map);
  }
  static GstBusSyncReply onMessage(GstBus*, GstMessage* message, gpointer data) {
    auto& self = *static_cast<Decoded*>(data);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) ++self.warnings;
    if (gst_message_has_name(message, "tactus-decoder") == FALSE) return GST_BUS_PASS;
    const GstStructure* fields = gst_message_get_structure(message);
    self.told.push_back(
        {gst_structure_get_string(fields, "device"), gst_structure_get_string(fields, "why")});
    return GST_BUS_PASS;
  }
  ElementPtr m_pipeline;
  std::vector<std::pair<std::size_t, HardwareWish>> m_changes;
};

struct Coded {
  const char* name;
  const char* how;
};

std::string pattern(const char* how) {
  return std::string("-f lavfi -i testsrc2=s=640x360:r=25:d=2 -an -g 25 ") + how;
}

class HardwareTest : public ::testing::TestWithParam<Coded> {};

/// By a device that takes the stream, else by software, which the sentence says.
TEST_P(HardwareTest, ItsPicturesAreThoseOfSoftware) {
  const auto path = film(GetParam().name, words(pattern(GetParam().how)));
  ASSERT_FALSE(path.empty());
  Decoded software(path.string(), HardwareWish::None);
  Decoded wished(path.string(), HardwareWish::Any);
  EXPECT_EQ(wished.play().pictures, software.play().pictures);
  EXPECT_EQ(software.pictures.size(), 50u);
  EXPECT_EQ(wished.warnings, 0);
  ASSERT_FALSE(wished.told.empty());
  EXPECT_EQ(wished.told.back().device.empty(), !wished.told.back().why.empty());
  EXPECT_EQ(software.told.back().device + software.told.back().why, "");
  std::cout << wished.told.back().device << wished.told.back().why << '\n';
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, HardwareTest,
    ::testing::Values(Coded{"hw-h264.mkv", "-c:v libx264 -preset veryfast -bf 2 -pix_fmt yuv420p"},
                      Coded{"hw-h264-444.mkv", "-c:v libx264 -preset veryfast -bf 2 -pix_fmt yuv444p"},
                      Coded{"hw-hevc-10.mkv",
                            "-c:v libx265 -preset ultrafast -x265-params log-level=none "
                            "-pix_fmt yuv420p10le"},
                      Coded{"hw-vp9.mkv", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"},
                      Coded{"hw-vp8.mkv", "-c:v libvpx -deadline realtime -cpu-used 8"},
                      Coded{"hw-av1.mkv", "-c:v libaom-av1 -usage realtime -cpu-used 8"},
                      Coded{"hw-mpeg2.mkv", "-c:v mpeg2video -q:v 4"}),
    [](const auto& coded) {
      std::string name(coded.param.name, 3, std::string::npos);
      name.erase(name.find('.'));
      std::erase(name, '-');
      return name;
    });

TEST(Hardware, TheWishHoldsFromTheNextKeyframeOnAndLosesNothing) {
  const auto path =
      film("hw-h264.mkv", words(pattern("-c:v libx264 -preset veryfast -bf 2 -pix_fmt yuv420p")));
  Decoded software(path.string(), HardwareWish::None);
  software.play();
  for (const auto& [from, to] :
       {std::pair{HardwareWish::None, HardwareWish::Any}, std::pair{HardwareWish::Any, HardwareWish::None}}) {
    Decoded changed(path.string(), from);
    changed.setAt(5, to);
    EXPECT_EQ(changed.play().pictures, software.pictures);
    EXPECT_EQ(changed.warnings, 0);
    ASSERT_GE(changed.told.size(), 2u);
    EXPECT_EQ(changed.told.front().device.empty() && changed.told.front().why.empty(),
              from == HardwareWish::None);
    EXPECT_EQ(changed.told.back().device.empty() && changed.told.back().why.empty(),
              to == HardwareWish::None);
  }
}

/// A device is chosen by the stream's beginning, and may not take what comes.
TEST(Hardware, AStreamThatADeviceRefusesInItsMidstGoesOnInSoftware) {
  const auto first =
      film("hw-420.ts", words(pattern("-c:v libx264 -preset veryfast -bf 2 -pix_fmt yuv420p")));
  const auto second =
      film("hw-444.ts", words(pattern("-c:v libx264 -preset veryfast -bf 2 -pix_fmt yuv444p")));
  const auto path =
      film("hw-420-444.ts", words("-i concat:" + first.string() + "|" + second.string() + " -c copy"));
  ASSERT_FALSE(path.empty());
  Decoded software(path.string(), HardwareWish::None);
  Decoded wished(path.string(), HardwareWish::Any);
  EXPECT_EQ(wished.play().pictures, software.play().pictures);
  EXPECT_EQ(software.pictures.size(), 100u);
  EXPECT_FALSE(wished.told.back().why.empty());
}

TEST(Hardware, AKindThatTheMachineLacksIsSaidToBeMissing) {
  for (const auto kind : {HardwareWish::Vaapi, HardwareWish::Cuda}) {
    const auto path =
        film("hw-h264.mkv", words(pattern("-c:v libx264 -preset veryfast -bf 2 -pix_fmt yuv420p")));
    Decoded wished(path.string(), kind);
    EXPECT_EQ(wished.play().pictures.size(), 50u);
    const bool there = std::ranges::any_of(Hardware::await().devices(),
                                           [=](const auto& device) { return device.kind == kind; });
    const Told& told = wished.told.back();
    EXPECT_EQ(told.device, there ? nameOf(kind) : "");
    EXPECT_EQ(told.why.find("no " + std::string(nameOf(kind)) + " device") == std::string::npos, there);
  }
}

TEST(Hardware, IsCalledByItsNames) {
  for (const auto& [name, wish] : kHardwareWishes) {
    EXPECT_EQ(hardwareWishOf(name), wish);
    EXPECT_EQ(nameOf(wish), name);
  }
  EXPECT_EQ(hardwareWishOf("vdpau"), std::nullopt);
}

}  // namespace
}  // namespace tactus::plugins::av
