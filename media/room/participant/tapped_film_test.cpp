// SPDX-License-Identifier: Apache-2.0
// What a player shows and sounds, taken of it and sent in a call. In the machine's time.
#include "media/room/participant/tapped_film.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "media/playback/player_fixture.h"
#include "media/playback/subtitles_fixture.h"
#include "media/room/participant/call_peer_fixture.h"
#include "media/room/participant/outgoing_call.h"
#include "plugins/picture_turn.h"

namespace tactus::media::testing {
namespace {

using Taker = FilmTap::Taker;

/// The number of numberedFilm()'s picture, -1 where there is none.
int numberOf(const plugins::ShownPicture& picture) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!picture.sample ||
      gst_video_info_from_caps(&info, gst_sample_get_caps(picture.sample.get())) == FALSE ||
      gst_video_frame_map(&frame, &info, gst_sample_get_buffer(picture.sample.get()), GST_MAP_READ) == FALSE)
    return -1;
  const auto* luma = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                     std::ptrdiff_t{120} * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
  int number = 0;
  for (int bit = 0; bit < 10; ++bit)
    if (luma[bit * 32 + 16] > 128) number |= 1 << bit;
  gst_video_frame_unmap(&frame);
  return number;
}

class TappedFilmTest : public PlayerTest {
 protected:
  TappedFilmTest() : PlayerTest(Time::Real) {}
  /// A film that goes on until the test ends.
  void play() {
    create();
    open(film("ten minutes with a tone.mkv",
              {"-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=600", "-f", "lavfi", "-i", "sine=f=440:d=600",
               "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-c:a", "flac"}));
  }
  std::unique_ptr<OutgoingCall> share(AnsweringPeer& peer) {
    OutgoingTrack pictures = OutgoingTrack::film("film", player->tap());
    pictures.width = 320;
    pictures.height = 240;
    const OutgoingTrack sound =
        OutgoingTrack::audio("sound", {.kind = CaptureSource::Kind::Player, .film = player->tap()});
    auto call =
        OutgoingCall::create({.tracks = {pictures, sound}, .addresses = {"127.0.0.1"}}, *scheduler, nullptr);
    EXPECT_TRUE(call.ok()) << (call.ok() ? "" : call.error().message);
    if (!call.ok()) return nullptr;
    const auto offer = call.value()->offer();
    EXPECT_TRUE(offer.ok()) << (offer.ok() ? "" : offer.error().message);
    if (!offer.ok()) return nullptr;
    EXPECT_TRUE(call.value()->accept(peer.answer(offer.value())).ok());
    return std::move(call).value();
  }
};

TEST_F(TappedFilmTest, PicturesAreThoseThatAreShownInTheirOrder) {
  create();
  Taker taker(player->tap(), Taker::Of::Pictures);
  EXPECT_FALSE(taker.picture(0ms).sample) << "nothing is open";
  open(numberedFilm(75));
  std::vector<int> numbers;
  while (numbers.empty() || numbers.back() < 70) {
    const int number = numberOf(taker.picture(1s));
    if (number >= 0 && (numbers.empty() || number != numbers.back())) numbers.push_back(number);
    if (recorder.waitFor([](const Recorder& told) { return told.ended > 0; }, 0s)) break;
  }
  EXPECT_GT(numbers.size(), 10);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST_F(TappedFilmTest, AFilmThatStandsIsShownAgainAndASeekIsSeen) {
  create();
  open(numberedFilm(75), true);
  Taker taker(player->tap(), Taker::Of::Pictures);
  EXPECT_EQ(numberOf(taker.picture(0ms)), 0);
  EXPECT_EQ(numberOf(taker.picture(1ms)), 0);
  player->seek(2s, SeekMode::Exact);
  EXPECT_TRUE(eventually([&] { return numberOf(taker.picture(10ms)) == 50; }));
}

TEST_F(TappedFilmTest, SoundComesWhenItIsDueOnePieceAfterTheOther) {
  play();
  Taker taker(player->tap(), Taker::Of::Sound);
  periodic::TimePoint end{};
  periodic::Duration taken{0}, missing{0};
  while (taken < 1s) {
    const FilmTap::Sound sound = taker.sound(10s);
    ASSERT_TRUE(sound.samples);
    EXPECT_LE(sound.due, periodic::MonotonicClock::now());
    const periodic::Duration length(static_cast<std::int64_t>(GST_BUFFER_DURATION(sound.samples.get())));
    if (taken > 0s) missing = std::max(missing, sound.due - end);
    end = sound.due + length;
    taken += length;
  }
  EXPECT_LT(missing, 10ms) << "of two pieces";
  player->pause();
  ASSERT_TRUE(recorder.waitForState(PlayState::Paused));
  EXPECT_TRUE(eventually([&] { return !taker.sound(500ms).samples; })) << "what stands is silent";
  player->play();
  EXPECT_TRUE(eventually([&] { return taker.sound(500ms).samples != nullptr; }));
}

TEST_F(TappedFilmTest, WhoWaitsIsToldThatItIsToStop) {
  create();
  Taker taker(player->tap(), Taker::Of::Sound);
  std::atomic<bool> returned{false};
  std::thread waits([&] {
    EXPECT_FALSE(taker.sound(std::chrono::hours(1)).samples);
    returned = true;
  });
  taker.stop();
  EXPECT_TRUE(eventually([&] { return returned.load(); }));
  waits.join();
}

TEST_F(TappedFilmTest, OthersSeeAndHearWhatIsPlayed) {
  play();
  AnsweringPeer peer;
  const auto call = share(peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.pictures() > 50 && peer.samples().size() > 4 * 48'000; }));
  auto heard = peer.samples();
  heard.erase(heard.begin(), heard.end() - 48'000);
  EXPECT_NEAR(frequencyOf(heard), 440, 5);
}

TEST_F(TappedFilmTest, AFilmThatStandsIsSeenByWhoComes) {
  play();
  player->pause();
  ASSERT_TRUE(recorder.waitForState(PlayState::Paused));
  AnsweringPeer peer;
  const auto call = share(peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return peer.pictures() > 10; }));
}

TEST_F(TappedFilmTest, WithoutAFilmItIsBlackUntilOneIsOpened) {
  create();
  AnsweringPeer peer;
  const auto call = share(peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return peer.pictures() > 10; }));
  open(numberedFilm(75));
  EXPECT_TRUE(comesTrue([&] { return peer.samples().size() > 24'000; }));
}

TEST_F(TappedFilmTest, APlayerThatGoesEndsItWithASentence) {
  play();
  AnsweringPeer peer;
  const auto call = share(peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.pictures() > 10; }));
  player.reset();
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_EQ(call->query().why, "The film that was shared has been closed.");
}

TEST_F(TappedFilmTest, WithoutAPlayerNothingIsSent) {
  const auto call =
      OutgoingCall::create({.tracks = {OutgoingTrack::film("film", nullptr)}}, *scheduler, nullptr);
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().message, "There is no player whose pictures or sound are sent.");
}

using TappedSubtitlesTest = SubtitlesTest;

TEST_F(TappedSubtitlesTest, LieOverThePicturesThatAreTaken) {
  openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
  Taker taker(player->tap(), Taker::Of::Pictures);
  ASSERT_GT(at(1s).lit, 100);
  const auto with = taker.picture(0ms);
  ASSERT_TRUE(with.above.overlay);
  EXPECT_FALSE(with.above.overlay->parts.empty());
  EXPECT_EQ(with.above.width, 320);
  ASSERT_EQ(at(1600ms).lit, 0);
  const auto without = taker.picture(0ms);
  EXPECT_TRUE(!without.above.overlay || without.above.overlay->parts.empty());
}

/// As GStreamer turns a picture, so do we.
class Direction : public ::testing::TestWithParam<plugins::Orientation> {};

TEST_P(Direction, IsWhatVideoflipCallsIt) {
  gst_init(nullptr, nullptr);
  constexpr int kWidth = 4, kHeight = 2;
  const std::string text = std::string("appsrc name=source num-buffers=1 ! videoflip video-direction=") +
                           plugins::directionOf(GetParam()) + " ! appsink name=sink sync=false";
  const plugins::ElementPtr pipeline(
      GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(text.c_str(), nullptr))));
  const plugins::ElementPtr source(gst_bin_get_by_name(GST_BIN(pipeline.get()), "source"));
  const plugins::ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  std::vector<std::uint8_t> stored(kWidth * kHeight * 4);
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::uint8_t>(i / 4);
  const plugins::CapsPtr caps(
      gst_caps_from_string("video/x-raw,format=BGRx,width=4,height=2,framerate=25/1"));
  g_object_set(source.get(), "caps", caps.get(), nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  GstFlowReturn pushed = GST_FLOW_OK;
  const plugins::BufferPtr picture(gst_buffer_new_memdup(stored.data(), stored.size()));
  g_signal_emit_by_name(source.get(), "push-buffer", picture.get(), &pushed);
  GstSample* raw = nullptr;
  g_signal_emit_by_name(sink.get(), "pull-sample", &raw);
  const plugins::SamplePtr sample(raw);
  ASSERT_TRUE(sample);
  const bool quarter = GetParam().degrees % 180 != 0;
  const int width = quarter ? kHeight : kWidth, height = quarter ? kWidth : kHeight;
  std::vector<std::uint8_t> expected(stored.size());
  plugins::turn(stored.data(), std::ptrdiff_t{4} * kWidth, kWidth, kHeight,
                {expected.data(), width, height, 4 * width},
                plugins::turnOf(GetParam(), kWidth, kHeight, width));
  std::vector<std::uint8_t> flipped(stored.size());
  gst_buffer_extract(gst_sample_get_buffer(sample.get()), 0, flipped.data(), flipped.size());
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  for (std::size_t i = 0; i < flipped.size(); i += 4) EXPECT_EQ(flipped[i], expected[i]) << i / 4;
}

INSTANTIATE_TEST_SUITE_P(All, Direction,
                         ::testing::Values(plugins::Orientation{0, false}, plugins::Orientation{90, false},
                                           plugins::Orientation{180, false}, plugins::Orientation{270, false},
                                           plugins::Orientation{0, true}, plugins::Orientation{90, true},
                                           plugins::Orientation{180, true}, plugins::Orientation{270, true}));

}  // namespace
}  // namespace tactus::media::testing
