// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_exchange.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <set>
#include <thread>

namespace tactus::plugins {
namespace {

using periodic::TimePoint;

TimePoint at(int number) {
  return TimePoint(std::chrono::nanoseconds(number));
}

bool readable(const PictureExchange& exchange) {
  pollfd wait{exchange.descriptor(), POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

void fill(const Rgb32View& view, std::uint32_t value) {
  for (int y = 0; y < view.height; ++y) {
    auto* row = reinterpret_cast<std::uint32_t*>(view.data + static_cast<std::ptrdiff_t>(y) * view.stride);
    for (int x = 0; x < view.width; ++x) row[x] = value;
  }
}

/// The one value all pixels have; nullopt if they differ.
std::optional<std::uint32_t> uniform(const Rgb32View& view) {
  std::uint32_t first = 0;
  std::memcpy(&first, view.data, sizeof first);
  for (int y = 0; y < view.height; ++y) {
    const auto* row =
        reinterpret_cast<const std::uint32_t*>(view.data + static_cast<std::ptrdiff_t>(y) * view.stride);
    for (int x = 0; x < view.width; ++x) {
      if (row[x] != first) return {};
    }
  }
  return first;
}

TEST(PictureExchange, GivesNoBufferBeforeItsSizeIsKnown) {
  PictureExchange exchange;
  EXPECT_EQ(exchange.begin().data, nullptr);
  EXPECT_FALSE(exchange.publish(at(1)));
  PictureExchange::Taken taken;
  EXPECT_FALSE(exchange.take(taken));
}

TEST(PictureExchange, APictureThatWakesNobodyLiesThereForWhoComes) {
  PictureExchange exchange;
  exchange.resize(8, 8);
  EXPECT_EQ(exchange.filling(), nullptr);
  const auto view = exchange.begin();
  ASSERT_NE(exchange.filling(), nullptr);
  EXPECT_EQ(exchange.filling()->data(), view.data);
  EXPECT_GE(exchange.filling()->descriptor(), 0) << "an X server is to map it";
  fill(view, 7);
  exchange.publish(at(1), PictureExchange::Wake::Nobody);
  EXPECT_FALSE(readable(exchange));
  EXPECT_TRUE(exchange.waiting());
  PictureExchange::Taken taken;
  ASSERT_TRUE(exchange.take(taken));
  EXPECT_EQ(uniform(taken.view), 7u);
  EXPECT_FALSE(exchange.waiting());
  EXPECT_EQ(exchange.taken(), 0u) << "shown by somebody else";
}

TEST(PictureExchange, MemoriesAreToldApart) {
  PictureExchange exchange;
  exchange.resize(8, 8);
  (void)exchange.begin();
  const auto first = exchange.filling()->serial();
  exchange.resize(16, 8);
  (void)exchange.begin();
  EXPECT_NE(exchange.filling()->serial(), first);
}

TEST(PictureExchange, RowsBeginOnCacheLines) {
  PictureExchange exchange;
  exchange.resize(321, 243);
  const auto view = exchange.begin();
  ASSERT_NE(view.data, nullptr);
  EXPECT_EQ(view.width, 321);
  EXPECT_EQ(view.height, 243);
  EXPECT_EQ(view.stride, 1344);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % 64, 0u);
}

TEST(PictureExchange, HandsOverTheNewestPictureAndSaysWhichWasReplaced) {
  PictureExchange exchange;
  exchange.resize(8, 8);
  fill(exchange.begin(), 1);
  EXPECT_FALSE(exchange.publish(at(1)));
  EXPECT_TRUE(readable(exchange));
  fill(exchange.begin(), 2);
  EXPECT_TRUE(exchange.publish(at(2)));
  PictureExchange::Taken taken;
  ASSERT_TRUE(exchange.take(taken));
  EXPECT_EQ(uniform(taken.view), 2u);
  EXPECT_EQ(taken.due, at(2));
  EXPECT_FALSE(readable(exchange));
  EXPECT_FALSE(exchange.take(taken));
  EXPECT_EQ(exchange.taken(), 1u);
}

TEST(PictureExchange, NeverWritesIntoTheTwoPicturesTheReaderTookLast) {
  PictureExchange exchange;
  exchange.resize(8, 8);
  PictureExchange::Taken older;
  PictureExchange::Taken latest;
  fill(exchange.begin(), 1);
  exchange.publish(at(1));
  ASSERT_TRUE(exchange.take(older));
  fill(exchange.begin(), 2);
  exchange.publish(at(2));
  ASSERT_TRUE(exchange.take(latest));
  for (std::uint32_t value = 3; value < 20; ++value) {
    const auto view = exchange.begin();
    ASSERT_NE(view.data, nullptr);
    fill(view, value);
    exchange.publish(at(0));
  }
  EXPECT_EQ(uniform(older.view), 1u);
  EXPECT_EQ(uniform(latest.view), 2u);
}

TEST(PictureExchange, ThreeBuffersDoWhenTheReaderLetsGoOfTheOlderPicture) {
  PictureExchange exchange;
  exchange.resize(8, 8);
  std::set<const std::uint8_t*> used;
  PictureExchange::Taken latest;
  for (std::uint32_t value = 1; value < 20; ++value) {
    for (int picture = 0; picture < 3; ++picture) {
      const auto view = exchange.begin();
      used.insert(view.data);
      fill(view, value);
      exchange.publish(at(0));
    }
    if (value > 1) {
      EXPECT_EQ(uniform(latest.view), value - 1) << "the latest is still the reader's";
    }
    ASSERT_TRUE(exchange.take(latest));
    exchange.releaseOlder();
  }
  EXPECT_EQ(used.size(), 3u);
}

TEST(PictureExchange, AnotherSizeLeavesTheReadersPictureValid) {
  PictureExchange exchange;
  exchange.resize(64, 64);
  fill(exchange.begin(), 7);
  exchange.publish(at(1));
  PictureExchange::Taken held;
  ASSERT_TRUE(exchange.take(held));
  fill(exchange.begin(), 8);
  exchange.publish(at(2));  // still waits in the old size
  exchange.resize(16, 8);
  for (std::uint32_t value = 100; value < 104; ++value) {
    const auto view = exchange.begin();
    ASSERT_EQ(view.width, 16);
    ASSERT_EQ(view.height, 8);
    fill(view, value);
  }
  EXPECT_EQ(uniform(held.view), 7u);
  PictureExchange::Taken next;
  ASSERT_TRUE(exchange.take(next));
  EXPECT_EQ(next.view.width, 64);
  EXPECT_EQ(uniform(next.view), 8u);
  for (std::uint32_t value = 200; value < 208; ++value) {  // every slot comes round in the new size
    const auto view = exchange.begin();
    ASSERT_EQ(view.width, 16);
    fill(view, value);
    exchange.publish(at(0));
    ASSERT_TRUE(exchange.take(next));
    EXPECT_EQ(next.view.width, 16);
    EXPECT_EQ(uniform(next.view), value);
  }
}

TEST(PictureExchange, TwoThreadsNeverSeeATornPicture) {
  constexpr std::uint32_t kPictures = 60000;
  PictureExchange exchange;
  exchange.resize(32, 8);
  std::uint64_t replaced = 0;
  std::atomic<bool> refused{false};
  std::thread writer([&] {
    for (std::uint32_t value = 1; value <= kPictures; ++value) {
      if (value % 10000 == 0) exchange.resize(32 + static_cast<int>(value / 10000), 8);
      const auto view = exchange.begin();
      if (view.data == nullptr) {
        refused = true;
        break;
      }
      fill(view, value);
      if (exchange.publish(at(static_cast<int>(value)))) ++replaced;
    }
  });
  std::uint32_t last = 0;
  std::uint64_t torn = 0;
  std::uint64_t backwards = 0;
  PictureExchange::Taken previous{};
  while (last < kPictures && !refused) {
    PictureExchange::Taken taken;
    if (!exchange.take(taken)) {
      std::this_thread::yield();
      continue;
    }
    const auto value = uniform(taken.view);
    if (!value || at(static_cast<int>(*value)) != taken.due) ++torn;
    if (value && *value <= last) ++backwards;
    if (previous.view.data != nullptr && uniform(previous.view) != last) ++torn;  // still ours
    if (value) last = *value;
    previous = taken;
  }
  writer.join();
  EXPECT_FALSE(refused);
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(backwards, 0u);
  EXPECT_EQ(exchange.taken() + replaced, kPictures);
}

}  // namespace
}  // namespace tactus::plugins
