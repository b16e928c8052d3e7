// SPDX-License-Identifier: Apache-2.0
// Calls that nothing ends.
#include "plugins/av/abandonable_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <string>

#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {
namespace {

/// What a call waits for, whoever is cancelled.
class Barrier {
 public:
  void pass() {
    m_reached = true;
    m_reached.notify_all();
    m_open.wait(false);
  }
  void awaitCaller() { m_reached.wait(false); }
  void open() {
    m_open = true;
    m_open.notify_all();
  }

 private:
  std::atomic<bool> m_reached{false}, m_open{false};
};

/// Gives "0123456789"; its first read waits.
class Digits final : public ByteSource {
 public:
  explicit Digits(Barrier& barrier, std::promise<void> ends = {})
      : m_barrier(barrier), m_ends(std::move(ends)) {}
  ~Digits() override { m_ends.set_value(); }
  int read(std::span<std::uint8_t> into) override {
    if (m_reads++ == 0) m_barrier.pass();
    const std::size_t count = std::min({into.size(), std::size_t{4}, kDigits.size() - m_position});
    std::copy_n(kDigits.begin() + static_cast<std::ptrdiff_t>(m_position), count, into.begin());
    m_position += count;
    return static_cast<int>(count);
  }
  bool seek(std::int64_t position) override {
    m_position = static_cast<std::size_t>(position);
    return true;
  }
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(kDigits.size()); }
  [[nodiscard]] bool seekable() const override { return true; }

 private:
  inline static const std::string kDigits = "0123456789";
  Barrier& m_barrier;
  std::promise<void> m_ends;
  int m_reads = 0;
  std::size_t m_position = 0;
};

class AbandonableSourceTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<ByteSource> opened() {
    return AbandonableSource::open(
               [this](const std::shared_ptr<Cancellation>&) -> Result<std::unique_ptr<ByteSource>> {
                 return std::unique_ptr<ByteSource>(std::make_unique<Digits>(barrier, std::move(ends)));
               },
               cancellation)
        .value();
  }
  /// Reads while nobody but its barrier lets it.
  void leaveARead(ByteSource& source) {
    auto left = std::async(std::launch::async, [&] {
      std::array<std::uint8_t, 8> into{};
      return source.read(into);
    });
    barrier.awaitCaller();
    cancellation->raise();
    EXPECT_EQ(left.get(), AVERROR_EXIT);
    cancellation->lower();
  }
  static std::string readOf(ByteSource& source, std::size_t most) {
    std::string into(most, ' ');
    const int count = source.read({reinterpret_cast<std::uint8_t*>(into.data()), into.size()});
    into.resize(static_cast<std::size_t>(std::max(count, 0)));
    return into;
  }
  Barrier barrier;
  std::promise<void> ends;
  std::future<void> end = ends.get_future();
  std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();  // shared with the source
};

TEST_F(AbandonableSourceTest, WhatAnAbandonedReadBroughtComesWithTheNext) {
  const auto source = opened();
  EXPECT_EQ(source->size(), 10);
  EXPECT_TRUE(source->seekable());
  leaveARead(*source);
  barrier.open();
  EXPECT_EQ(readOf(*source, 3), "012");
  EXPECT_EQ(readOf(*source, 3), "3");
  EXPECT_EQ(readOf(*source, 9), "4567");
  EXPECT_EQ(readOf(*source, 9), "89");
  EXPECT_EQ(readOf(*source, 9), "");
}

TEST_F(AbandonableSourceTest, ASeekForgetsWhatAnAbandonedReadBrought) {
  const auto source = opened();
  leaveARead(*source);
  barrier.open();
  EXPECT_TRUE(source->seek(7));
  EXPECT_EQ(readOf(*source, 9), "789");
}

TEST_F(AbandonableSourceTest, AnotherCallWaitsForTheAbandonedOneAndIsCancelledAsWell) {
  const auto source = opened();
  leaveARead(*source);
  cancellation->raise();
  EXPECT_FALSE(source->seek(2));
  EXPECT_EQ(readOf(*source, 9), "");
  cancellation->lower();
  barrier.open();
  EXPECT_TRUE(source->seek(2));
  EXPECT_EQ(readOf(*source, 2), "23");
  EXPECT_EQ(readOf(*source, 9), "45");
}

TEST_F(AbandonableSourceTest, ASourceGoesWhileACallIsAbandoned) {
  auto source = opened();
  leaveARead(*source);
  source.reset();
  EXPECT_EQ(end.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  barrier.open();
  end.wait();
}

TEST_F(AbandonableSourceTest, AnOpeningIsLeftAsWell) {
  auto opening = std::async(std::launch::async, [&] {
    return AbandonableSource::open(
               [this](const std::shared_ptr<Cancellation>& inner) -> Result<std::unique_ptr<ByteSource>> {
                 barrier.pass();
                 EXPECT_TRUE(inner->raised());
                 ends.set_value();
                 return Error{ErrorCode::Timeout, "Too late."};
               },
               cancellation)
        .ok();
  });
  barrier.awaitCaller();
  cancellation->raise();
  EXPECT_FALSE(opening.get());
  barrier.open();
  end.wait();
}

}  // namespace
}  // namespace tactus::plugins::av
