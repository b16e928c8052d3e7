// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/stream_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto kPatience = 60s;

class StreamBytesTest : public ::testing::Test {
 protected:
  static std::vector<std::byte> pattern(std::size_t count, std::size_t from = 0) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((from + i) * 7 % 251);
    return bytes;
  }
  void create(std::size_t capacity) {
    auto made = StreamBytes::create("a film", capacity);
    ASSERT_TRUE(made.ok()) << made.error().message;
    stream = std::move(made).value();
  }
  void open() {
    auto opened = StreamBytes::open(stream->url(), cancellation);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    reader = std::move(opened).value();
  }
  /// All bytes until the stream's end, at most `atOnce` with one read; the last read's answer is `last`.
  std::vector<std::byte> readAll(std::size_t atOnce = 1000) {
    std::vector<std::byte> all;
    std::vector<std::uint8_t> piece(atOnce);
    while ((last = reader->read(piece)) > 0)
      for (int i = 0; i < last; ++i)
        all.push_back(static_cast<std::byte>(piece[static_cast<std::size_t>(i)]));
    return all;
  }

  std::unique_ptr<StreamBytes> stream;
  std::unique_ptr<ByteSource> reader;
  const std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();  // the reader's, too
  int last = 1;
};

TEST_F(StreamBytesTest, EachStreamHasAnAddressOfItsOwnWhileItLives) {
  create(10);
  const auto other = StreamBytes::create("another", 10);
  ASSERT_TRUE(other.ok());
  const std::string url = stream->url();
  EXPECT_TRUE(isStream(url));
  EXPECT_NE(url, other.value()->url());
  EXPECT_EQ(StreamBytes::nameOf(url), "a film");
  EXPECT_EQ(StreamBytes::nameOf(other.value()->url()), "another");
  stream.reset();
  EXPECT_EQ(StreamBytes::nameOf(url), std::nullopt);
  const auto opened = StreamBytes::open(url, cancellation);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::NotFound);
  EXPECT_THAT(opened.error().message, HasSubstr(url));
}

TEST_F(StreamBytesTest, OfNoBytesThereIsNone) {
  const auto made = StreamBytes::create("a film", 0);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
}

TEST_F(StreamBytesTest, ItIsReadOnce) {
  create(10);
  open();
  const auto again = StreamBytes::open(stream->url(), cancellation);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::Unavailable);
}

TEST_F(StreamBytesTest, WhatFitsIsTakenWholeAndNothingElse) {
  create(10);
  open();
  EXPECT_TRUE(stream->put(pattern(7)));
  EXPECT_FALSE(stream->put(pattern(4, 7)));
  EXPECT_TRUE(stream->put(pattern(3, 7)));
  EXPECT_FALSE(stream->put(pattern(1, 10)));
  stream->end("");
  EXPECT_EQ(readAll(4), pattern(10));
  EXPECT_EQ(last, 0);
}

TEST_F(StreamBytesTest, WhatIsThereIsReadBeforeItBreaksOff) {
  create(10);
  open();
  EXPECT_TRUE(stream->put(pattern(5)));
  stream->end("the sender has gone");
  stream->end("");
  EXPECT_EQ(readAll(), pattern(5));
  EXPECT_EQ(last, AVERROR(EIO));
  EXPECT_EQ(reader->problem(), "the sender has gone");
  EXPECT_FALSE(stream->put(pattern(1)));
}

TEST_F(StreamBytesTest, AStreamThatNobodyReceivesAnyLongerBreaksOff) {
  create(10);
  open();
  stream.reset();
  EXPECT_THAT(readAll(), ::testing::IsEmpty());
  EXPECT_EQ(last, AVERROR(EIO));
  EXPECT_EQ(reader->problem(), "nobody receives it any longer");
}

TEST_F(StreamBytesTest, ItEndsForItsWriterWhenItsReaderGoes) {
  create(10);
  open();
  EXPECT_TRUE(stream->put(pattern(10)));
  EXPECT_FALSE(stream->isEnded());
  auto waits = std::async(std::launch::async, [&] { return stream->waitForRoom(1, kPatience); });
  reader.reset();
  EXPECT_FALSE(waits.get());
  EXPECT_TRUE(stream->isEnded());
}

TEST_F(StreamBytesTest, WhoWaitsForRoomHasItOnceEnoughIsRead) {
  create(10);
  open();
  EXPECT_TRUE(stream->put(pattern(10)));
  EXPECT_FALSE(stream->waitForRoom(1, 0ms));
  auto waits = std::async(std::launch::async, [&] { return stream->waitForRoom(8, kPatience); });
  std::array<std::uint8_t, 4> piece{};
  EXPECT_EQ(reader->read(piece), 4);
  EXPECT_EQ(reader->read(piece), 4);
  EXPECT_TRUE(waits.get());
  EXPECT_FALSE(stream->waitForRoom(9, 0ms));
}

TEST_F(StreamBytesTest, TheEndEndsTheWaitForRoom) {
  create(10);
  EXPECT_TRUE(stream->put(pattern(10)));
  auto waits = std::async(std::launch::async, [&] { return stream->waitForRoom(1, kPatience); });
  stream->end("");
  EXPECT_FALSE(waits.get());
}

TEST_F(StreamBytesTest, AReaderThatWaitsIsCancelled) {
  create(10);
  open();
  std::promise<void> begun;
  auto waits = std::async(std::launch::async, [&] {
    std::array<std::uint8_t, 4> piece{};
    begun.set_value();
    return reader->read(piece);
  });
  begun.get_future().wait();
  cancellation->raise();
  EXPECT_EQ(waits.get(), AVERROR_EXIT);
}

TEST_F(StreamBytesTest, BytesPassInTheirOrderWhileBothEndsWork) {
  constexpr std::size_t kWhole = 1'000'000;
  create(997);
  open();
  std::thread writer([&] {
    for (std::size_t at = 0, size = 1; at < kWhole; size = size % 613 + 1) {
      const auto piece = pattern(std::min(size, kWhole - at), at);
      while (!stream->waitForRoom(piece.size(), 500ms)) continue;
      ASSERT_TRUE(stream->put(piece));
      at += piece.size();
    }
    stream->end("");
  });
  EXPECT_EQ(readAll(577), pattern(kWhole));
  EXPECT_EQ(last, 0);
  writer.join();
}

}  // namespace
}  // namespace tactus::plugins::av
