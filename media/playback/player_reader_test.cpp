// SPDX-License-Identifier: Apache-2.0
// The thread that reads the film, as one of the player's tasks.
#include <algorithm>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

class PlayerReaderTest : public PlayerTest {
 protected:
  /// Tasks of readers; those of threads that ended have no thread.
  [[nodiscard]] std::vector<periodic::TaskReport> readers() const {
    std::vector<periodic::TaskReport> found;
    for (auto& task : player->statistics().stages)
      if (task.contract.name == "reader") found.push_back(std::move(task));
    return found;
  }
  [[nodiscard]] bool hasRate(double perSecond, double within = 1e-3) const {
    const auto tasks = readers();
    return std::any_of(tasks.begin(), tasks.end(), [&](const auto& task) {
      return std::abs(task.contract.lbap.rate.perSecond() - perSecond) < within;
    });
  }
  [[nodiscard]] std::uint64_t packets() const {
    std::uint64_t sum = 0;
    for (const auto& task : readers()) sum += task.statistics.packets;
    return sum;
  }
};

TEST_F(PlayerReaderTest, TheReaderIsATaskWithTheFilmsContract) {
  holdAfter(10);
  open(numberedPictures(300));
  ASSERT_TRUE(clock.isHeld());
  const auto tasks = readers();
  ASSERT_EQ(tasks.size(), 1u);
  const auto& contract = tasks.front().contract;
  EXPECT_EQ(contract.stage, periodic::Stage::Source);
  EXPECT_EQ(contract.service, periodic::ServiceClass::Statistical);
  EXPECT_TRUE(contract.enforces);
  EXPECT_NEAR(contract.lbap.rate.perSecond(), 27.5, 1e-3);
  EXPECT_EQ(contract.lbap.workahead, 50u);
  EXPECT_NE(tasks.front().tid, 0);
  EXPECT_GT(tasks.front().statistics.packets, 10u);
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->seen(), onTime(300));
  EXPECT_GE(packets(), 300u);
  EXPECT_EQ(readers().front().statistics.misses, 0u);
}

TEST_F(PlayerReaderTest, AnotherSpeedAmendsTheContract) {
  holdAfter(10);
  open(numberedPictures(300));
  ASSERT_TRUE(clock.isHeld());
  player->setSpeed(2);
  EXPECT_TRUE(eventually([&] { return hasRate(55); }));
  player->setSpeed(0.5);
  EXPECT_TRUE(eventually([&] { return hasRate(13.75); }));
}

TEST_F(PlayerReaderTest, ARateThatTheHeaderInventsGivesWayToTheOneMeasured) {
  auto bytes = bytesOf(numberedPictures(300));
  const auto at = bytes.find("\x23\xe3\x83");  // the default duration of a picture, in ns
  ASSERT_NE(at, std::string::npos);
  const auto size = static_cast<std::size_t>(bytes[at + 3] & 15);
  for (std::size_t i = 0; i < size; ++i)
    bytes[at + 4 + size - 1 - i] = static_cast<char>((1'000'000u >> (8 * i)) & 255u);
  open(fileOf("thousand-pictures.mkv", bytes));
  EXPECT_TRUE(eventually([&] { return hasRate(27.5, 0.5); }));
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(300));
}

TEST_F(PlayerReaderTest, EachFilmOfTwoHasAReaderAndTheFirstOnesEnds) {
  open(numberedPictures(75));
  player->setNext(numberedPictures(300).string());
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return told.nextItems.size() == 1; }));
  EXPECT_TRUE(eventually([&] {
    const auto tasks = readers();
    return std::count_if(tasks.begin(), tasks.end(), [](const auto& task) { return task.tid != 0; }) <= 1;
  }));
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers().size(), 375u);
}

TEST_F(PlayerReaderTest, ASeekFarBehindAKeyframeIsExact) {
  const auto path = film("farkeyframes.mkv", {"-i", numberedFilm(300).string(), "-an", "-c:v", "libx264",
                                              "-preset", "ultrafast", "-g", "1000", "-bf", "0"});
  holdAfter(10);
  open(path);
  ASSERT_TRUE(clock.isHeld());
  screen->forget();
  player->seek(10s, SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(250)) << "the clock stands: only what is read freely comes so far";
  clock.letGo();
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), 299), 1);
}

}  // namespace
}  // namespace tactus::media::testing
