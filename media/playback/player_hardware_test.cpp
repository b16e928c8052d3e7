// SPDX-License-Identifier: Apache-2.0
// A player that may decode on a device: what it tells of it, on machines with one and without.
#include <gmock/gmock.h>

#include "media/playback/player_fixture.h"
#include "plugins/av/hardware.h"

namespace tactus::media::testing {
namespace {

using plugins::av::HardwareWish;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Where there is a device its times are learned apart, under its name.
class PlayerHardwareTest : public PlayerTest {
 protected:
  PlayerHardwareTest() { settings.hardware = HardwareWish::Any; }
  std::vector<std::string> tasks() {
    std::vector<std::string> names;
    for (const auto& task : player->statistics().stages) names.push_back(task.contract.name);
    return names;
  }
  const bool m_device = !plugins::av::Hardware::await().devices().empty();
};

TEST_F(PlayerHardwareTest, EveryPictureComesAtItsInstant) {
  holdAfter(0);
  open(numberedFilm(75));
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->seen(), onTime(75));
  const auto statistics = player->statistics();
  EXPECT_EQ(!statistics.device.empty(), m_device);
  EXPECT_EQ(statistics.whyNoDevice.empty(), m_device);
  const std::string name = "video decode (h264" + (m_device ? " " + statistics.device : "") + ")";
  EXPECT_THAT(tasks(), Contains(HasSubstr(name)));
}

TEST_F(PlayerHardwareTest, ItIsTurnedOffAndOnInTheMidst) {
  holdAfter(10);
  open(numberedFilm(75));
  player->setHardware(HardwareWish::None);
  EXPECT_EQ(player->hardware(), HardwareWish::None);
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->seen(), onTime(75));
  EXPECT_EQ(player->statistics().device + player->statistics().whyNoDevice, "");
  EXPECT_THAT(tasks(), Contains(HasSubstr("video decode (h264)")));
}

TEST_F(PlayerHardwareTest, ASeekShowsTheVeryPicture) {
  open(numberedFilm(75), true);
  ASSERT_TRUE(eventually([&] { return player->info().duration.has_value(); }));
  for (const int number : {37, 12, 62, 60}) {
    player->seek(number * 40ms + 20ms, SeekMode::Exact);
    EXPECT_TRUE(screen->waitForNumber(number)) << number;
  }
  screen->forget();
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->last(), 74);
  EXPECT_EQ(!player->statistics().device.empty(), m_device);
}

TEST_F(PlayerHardwareTest, WhatIsNotWishedIsNotUsed) {
  settings.hardware = HardwareWish::None;
  holdAfter(0);
  open(numberedFilm(75));
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->seen(), onTime(75));
  EXPECT_EQ(player->statistics().device + player->statistics().whyNoDevice, "");
  EXPECT_THAT(tasks(), Contains(HasSubstr("video decode (h264)")));
}

}  // namespace
}  // namespace tactus::media::testing
