// SPDX-License-Identifier: Apache-2.0
// Films that leave, in a time that stands until the test moves it.
#include "media/streaming/outgoing_film.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "media/playback/test_films.h"
#include "media/streaming/stream_terms.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using net::BitRate;
using net::TransportKind;
using periodic::Duration;
using periodic::TimePoint;
using plugins::av::Cancellation;

constexpr Duration kPatience = 60s;

class OutgoingFilmTest : public ::testing::Test {
 protected:
  void open(const std::string& path, OutgoingFilm::Options options = {}) {
    auto opened = OutgoingFilm::open(path, options, std::make_shared<Cancellation>());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    film = std::move(opened).value();
    buffer.resize(film->contract().largestBuffer);
  }
  static Error refusal(const std::string& path, OutgoingFilm::Options options = {},
                       std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>()) {
    const auto opened = OutgoingFilm::open(path, options, std::move(cancellation));
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? Error{} : opened.error();
  }
  /// One buffer at this instant; false at the end.
  bool write(Duration at) {
    const auto count = film->write(buffer, TimePoint{1h} + at);
    if (count) sent.append(reinterpret_cast<const char*>(buffer.data()), *count);
    return count.has_value();
  }
  /// A buffer a period from `from` on, to the end.
  void writeAll(Duration from = {}) {
    for (Duration at = from; write(at); at += kStreamPeriod) std::this_thread::yield();
  }
  /// The film's pieces, as its muxer writes them, up to this instant.
  static std::string muxed(const fs::path& path, Duration until = Duration::max()) {
    const auto cancellation = std::make_shared<Cancellation>();
    auto source = plugins::av::openFile(path.string(), cancellation);
    auto muxer = FilmMuxer::open(std::move(source).value(), path.filename().string(), cancellation);
    std::string bytes;
    for (auto outcome = FilmMuxer::Outcome::Packet; outcome == FilmMuxer::Outcome::Packet;) {
      const auto piece = muxer.value()->next();
      outcome = piece.outcome;
      if (piece.at <= until)
        bytes.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    }
    return bytes;
  }

  std::unique_ptr<OutgoingFilm> film;
  std::vector<std::byte> buffer;
  std::string sent;
};

TEST_F(OutgoingFilmTest, AllOfAFilmLeavesAndThenItEnds) {
  for (const auto& path : {plainFilm(10), numberedFilm(250)}) {
    sent.clear();
    open(path.string());
    writeAll();
    EXPECT_EQ(sent, muxed(path)) << path;
    EXPECT_EQ(film->problem(), "");
    EXPECT_FALSE(write(1h)) << "it stays at its end";
  }
}

TEST_F(OutgoingFilmTest, WhatIsDueInFourSecondsLeavesAndNoMore) {
  const auto path = plainFilm(10);
  const std::string due = muxed(path, kSendAhead);
  open(path.string(), {.rate = BitRate::perSecond(8'000'000)});
  const auto until = periodic::MonotonicClock::now() + kPatience;
  while (sent.size() < due.size() && periodic::MonotonicClock::now() < until) ASSERT_TRUE(write(0s));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(write(0s));
  EXPECT_EQ(sent, due);
  writeAll(20ms);
  EXPECT_EQ(sent, muxed(path));
}

TEST_F(OutgoingFilmTest, BuffersAreWholePacketsOfATransportStream) {
  open(plainFilm(10).string());
  ASSERT_EQ(film->container(), FilmMuxer::Container::TransportStream);
  for (Duration at{0};; at += kStreamPeriod) {
    const auto count = film->write(buffer, TimePoint{1h} + at);
    if (!count) break;
    ASSERT_EQ(*count % kTransportPacket, 0u);
    std::this_thread::yield();
  }
}

TEST_F(OutgoingFilmTest, TheContractCarriesTheFilmAndIsNoMoreThanItTakes) {
  const auto path = plainFilm(10);
  open(path.string());
  const auto contract = film->contract();
  EXPECT_TRUE(net::validate(contract).ok());
  EXPECT_EQ(contract.transport, TransportKind::Tcp);
  EXPECT_TRUE(contract.reliable);
  EXPECT_EQ(contract.jitter, kStartDelay) << "the player has seconds ahead";
  EXPECT_EQ(contract.leastRate, contract.rate) << "it keeps up with its clock";
  const double mean = static_cast<double>(muxed(path).size()) / (10 / 0.02);
  EXPECT_GT(static_cast<double>(contract.largestBuffer), 0.9 * mean);
  EXPECT_LT(static_cast<double>(contract.largestBuffer), 2 * mean + kTransportPacket);
}

TEST_F(OutgoingFilmTest, SoundAloneGoesBeforePictures) {
  open(plainFilm(10).string());
  EXPECT_EQ(film->contract().linkClass, net::LinkClass::Stream);
  open(testing::film("sound.mp3", {"-f", "lavfi", "-i", "sine=440:r=48000", "-t", "2"}).string());
  EXPECT_EQ(film->contract().linkClass, net::LinkClass::Audio);
}

TEST_F(OutgoingFilmTest, AFilmWithADenseStretchTakesLargerBuffers) {
  // Ten seconds of grey, one of noise, ten of grey.
  const auto path = media::testing::film(
      "dense.mkv",
      {"-f", "lavfi", "-i", "color=gray:s=320x240:r=25:d=21,noise=alls=100:allf=t:enable='between(t,10,11)'",
       "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p"});
  const std::string bytes = muxed(path);
  open(path.string());
  const double mean = static_cast<double>(bytes.size()) / (21 / 0.02);
  const double stretch = static_cast<double>(bytes.size()) / ((1 + 4 + 0.5) / 0.02);
  EXPECT_GT(static_cast<double>(film->contract().largestBuffer), 2 * mean);
  EXPECT_LT(static_cast<double>(film->contract().largestBuffer), 1.2 * stretch + kTransportPacket);
  OutgoingFilm::Options options;
  options.survey = 1000;  // of the grey beginning; then the header's mean rate holds
  open(path.string(), options);
  EXPECT_LT(static_cast<double>(film->contract().largestBuffer), 1.5 * mean + kTransportPacket);
}

TEST_F(OutgoingFilmTest, ARateThatIsGivenHolds) {
  open(plainFilm(10).string(), {.transport = TransportKind::Udp, .rate = BitRate::perSecond(8'000'000)});
  EXPECT_EQ(film->contract().largestBuffer, 20'116u);
  EXPECT_EQ(film->contract().transport, TransportKind::Udp);
  EXPECT_FALSE(film->contract().reliable);
}

TEST_F(OutgoingFilmTest, APipeNeedsARateAndThenItIsSent) {
  const auto path =
      media::testing::film("piped.ts", {"-i", numberedFilm(100).string(), "-c:v", "copy", "-c:a", "mp2"});
  const std::string bytes = bytesOf(path);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const std::string name = "fd://" + std::to_string(ends[0]);
  const Error error = refusal(name);
  EXPECT_EQ(error.code, ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message,
            "'" + name + "' can be read only once, so the rate at which it is sent must be given.");
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count = ::write(ends[1], bytes.data() + at, bytes.size() - at);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    close(ends[1]);
  });
  open(name, {.rate = BitRate::perSecond(8'000'000)});
  writeAll();
  EXPECT_EQ(sent.size() % kTransportPacket, 0u);
  EXPECT_EQ(sent, muxed(path));
  writer.join();
  film.reset();
  close(ends[0]);
}

TEST_F(OutgoingFilmTest, AFileThatIsCutBreaksOffAndWhatIsThereLeaves) {
  const auto path = fileOf("cut.mkv", bytesOf(numberedFilm(500)));
  open(path.string(), {.rate = BitRate::perSecond(1)});  // a queue of 100 buffers of 188 bytes
  fs::resize_file(path, fs::file_size(path) / 2);
  writeAll();
  EXPECT_EQ(film->problem(), "'cut.mkv' broke off: the file is shorter than it was.");
  EXPECT_GT(sent.size(), bytesOf(path).size() / 2);
}

TEST_F(OutgoingFilmTest, AFilmThatNobodyTakesIsLeft) {
  open(numberedFilm(500).string(), {.rate = BitRate::perSecond(1)});
  EXPECT_TRUE(write(0s));
  film.reset();
}

TEST_F(OutgoingFilmTest, WhatIsThereNotOrNoFilmIsRefusedInASentence) {
  EXPECT_EQ(refusal("/nowhere/film.mkv").message, "There is no file '/nowhere/film.mkv'.");
  EXPECT_EQ(refusal(filmFolder().string()).code, ErrorCode::System);
  EXPECT_EQ(refusal(fileOf("text.txt", "not a film").string()).message,
            "'text.txt' is no film or sound that Tactus knows.");
}

TEST_F(OutgoingFilmTest, AnOpeningIsCancelled) {
  const auto cancellation = std::make_shared<Cancellation>();
  cancellation->raise();
  EXPECT_EQ(refusal(plainFilm(10).string(), {}, cancellation).message,
            "Opening 'plain10.mp4' was cancelled.");
}

}  // namespace
}  // namespace tactus::media::testing
