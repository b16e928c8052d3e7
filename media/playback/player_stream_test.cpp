// SPDX-License-Identifier: Apache-2.0
// Films that are received: "stream://N".
#include <cstddef>
#include <thread>

#include "media/playback/player_fixture.h"
#include "plugins/av/stream_bytes.h"

namespace tactus::media::testing {
namespace {

using plugins::av::StreamBytes;

constexpr std::size_t kPiece = 700;  // bytes of a buffer

/// A stream and who sends it.
class Received {
 public:
  Received() : stream(std::move(StreamBytes::create("Ada's film", 64 << 10)).value()) {}
  ~Received() {
    stream->end("");
    if (m_sender.joinable()) m_sender.join();
  }
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;

  /// Bytes come in pieces, as fast as they are read; if `ends`, then the stream ends for this reason.
  void send(std::string bytes, bool ends = true, std::string reason = "") {
    if (m_sender.joinable()) m_sender.join();
    m_sender = std::thread([this, bytes = std::move(bytes), ends, reason = std::move(reason)] {
      for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        const auto piece = std::as_bytes(std::span(bytes).subspan(at, std::min(kPiece, bytes.size() - at)));
        while (!stream->waitForRoom(piece.size(), 500ms))
          if (stream->isEnded()) return;
        if (!stream->put(piece)) return;
      }
      if (ends) stream->end(reason);
    });
  }

  const std::unique_ptr<StreamBytes> stream;

 private:
  std::thread m_sender;
};

class PlayerStreamTest : public PlayerTest {
 protected:
  ~PlayerStreamTest() override { player.reset(); }  // before the stream that it plays
  /// Plays to the end; what was seen.
  std::vector<int> numbersOf(const std::string& uriOrPath) {
    recorder.ended = 0;
    screen->forget();
    open(uriOrPath);
    EXPECT_TRUE(ended());
    return screen->numbers();
  }
  static std::filesystem::path transportStream() {
    return film("received.ts", {"-i", numberedFilm(250).string(), "-c:v", "copy", "-c:a", "mp2"});
  }
  Received received;
};

TEST_F(PlayerStreamTest, AFilmThatIsReceivedPlaysAsItsFileDoes) {
  const auto path = numberedFilm(250);
  EXPECT_EQ(numbersOf(path.string()), upTo(250));
  const auto decoded = player->statistics().decoded;
  received.send(bytesOf(path));
  EXPECT_EQ(numbersOf(received.stream->url()), upTo(250));
  EXPECT_EQ(player->statistics().decoded, decoded);
  EXPECT_EQ(player->statistics().engine, "av");
}

TEST_F(PlayerStreamTest, ATransportStreamThatIsReceivedPlaysWhole) {
  received.send(bytesOf(transportStream()));
  EXPECT_EQ(numbersOf(received.stream->url()), upTo(250));
}

TEST_F(PlayerStreamTest, ItHasANameAndNoLengthAndIsNotSoughtIn) {
  holdAfter(10);
  received.send(bytesOf(transportStream()), false);
  open(received.stream->url());
  ASSERT_TRUE(clock.isHeld());
  EXPECT_EQ(player->info().title, "Ada's film");
  EXPECT_EQ(player->info().duration, std::nullopt);
  EXPECT_FALSE(player->info().seekable);
  player->seek(8s, SeekMode::Exact);
  clock.letGo();
  ASSERT_TRUE(screen->waitForNumber(30)) << "it plays on";
  EXPECT_EQ(screen->numbers().front(), 0);
}

TEST_F(PlayerStreamTest, OfOneThatEndsEarlyTheRestIsShownAndItBreaksOff) {
  const auto bytes = bytesOf(numberedFilm(500));
  received.send(bytes.substr(0, bytes.size() / 2), true, "the sender has gone");
  const Error error = failure(received.stream->url());
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_EQ(error.message, "'Ada's film' broke off: the sender has gone.");
  EXPECT_GT(screen->numbers().size(), 150u);
  EXPECT_EQ(recorder.ended, 0);
}

TEST_F(PlayerStreamTest, OneOfWhichNothingComesBreaksOffAtItsBeginning) {
  received.stream->end("the sender has gone");
  EXPECT_EQ(failure(received.stream->url()).message,
            "'Ada's film' broke off at its beginning: the sender has gone.");
}

TEST_F(PlayerStreamTest, WhatIsNoFilmIsSaidToBeNone) {
  received.send(std::string(2'000'000, '\x55'));
  const Error error = failure(received.stream->url());
  EXPECT_EQ(error.code, ErrorCode::Unsupported);
  EXPECT_EQ(error.message, "'Ada's film' is no film or sound that Tactus knows.");
  EXPECT_TRUE(received.stream->isEnded()) << "nobody reads it any more";
}

TEST_F(PlayerStreamTest, OneThatThereIsNotIsRefused) {
  const Error error = failure("stream://987654321");
  EXPECT_EQ(error.code, ErrorCode::NotFound);
  EXPECT_EQ(error.message, "There is no stream 'stream://987654321'.");
}

TEST_F(PlayerStreamTest, AStopDoesNotWaitForASenderThatHasNotBegun) {
  create();
  ASSERT_TRUE(player->open(received.stream->url()).ok());
  player->stop();
  EXPECT_TRUE(eventually([&] { return received.stream->isEnded(); }));
}

TEST_F(PlayerStreamTest, AStopDoesNotWaitForASenderThatFallsSilent) {
  const auto bytes = bytesOf(numberedFilm(250));
  received.send(bytes.substr(0, bytes.size() / 2), false);
  open(received.stream->url());
  ASSERT_TRUE(recorder.waitForState(PlayState::Buffering)) << "it has run dry";
  player->stop();
  EXPECT_TRUE(received.stream->isEnded());
}

TEST_F(PlayerStreamTest, OneThatFallsSilentAndGoesOnPlaysWhole) {
  const auto bytes = bytesOf(numberedFilm(500));
  const std::size_t half = bytes.size() / 2;
  received.send(bytes.substr(0, half), false);
  open(received.stream->url());
  ASSERT_TRUE(recorder.waitForState(PlayState::Buffering));
  received.send(bytes.substr(half));
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(500));
}

}  // namespace
}  // namespace tactus::media::testing
