// SPDX-License-Identifier: Apache-2.0
// The reader's thread as a task, in a time that stands until the test moves it.
#include "plugins/av/film_reader.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/periodic/task/scheduler.h"
#include "media/playback/test_films.h"
#include "plugins/cranked_clock.h"

namespace tactus::plugins::av {
namespace {

using namespace std::chrono_literals;
using media::testing::film;
using media::testing::numberedFilm;
using media::testing::numberedPictures;
using media::testing::plainFilm;
using media::testing::words;
using periodic::Duration;
using What = PacketStore::Taken::What;

constexpr auto kPatience = 60s;
constexpr int kPictures = 200;              // at 25 a second
constexpr std::uint64_t kWorkahead = 50;    // two seconds
constexpr Duration kPeriod = 36'363'636ns;  // a tenth faster

class ReaderTest : public ::testing::Test, public FilmReader::Listener {
 protected:
  ~ReaderTest() override {
    if (m_reader) m_reader->stop();
  }
  void read(const std::filesystem::path& path) {
    ASSERT_FALSE(path.empty());
    m_reader = std::make_unique<FilmReader>(path.string(), 10s, *this);
    m_reader->start();
    ASSERT_TRUE(eventually([&] { return m_opened.load(); }));
  }
  static bool eventually(const std::function<bool()>& condition) {
    const auto until = periodic::MonotonicClock::now() + kPatience;
    for (; !condition(); std::this_thread::yield())
      if (periodic::MonotonicClock::now() > until) return false;
    return true;
  }
  /// Takes all that is there and waits for nothing, so that there is room always.
  void empty() {
    for (const int stream : m_streams)
      while (m_reader->store().poll(stream)) ++m_taken;
  }
  /// Whether so many packets are read, and no more, however many are taken.
  bool stopsAt(std::uint64_t packets) {
    const bool reached = eventually([&] {
      empty();
      return m_reads.load() >= packets;
    });
    for (int i = 0; i < 100; ++i) {
      std::this_thread::yield();
      empty();
    }
    return reached && m_reads.load() == packets;
  }

  plugins::testing::CrankedClock m_clock;
  periodic::TraceLog m_trace;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler m_scheduler{m_clock, *m_gate, m_trace, false};
  std::unique_ptr<FilmReader> m_reader;
  std::shared_ptr<periodic::Task> m_task;  // shared with the reader
  std::vector<int> m_streams;
  std::atomic<bool> m_opened{false}, m_atEnd{false};
  std::atomic<std::uint64_t> m_reads{0};
  std::atomic<int> m_sought{0};
  std::uint64_t m_taken = 0;

 private:
  std::shared_ptr<periodic::Task> onBegin() override {
    periodic::TaskContract contract;
    contract.name = "reader";
    m_task = std::move(m_scheduler.adopt(std::move(contract), periodic::currentThreadId())).value();
    return m_task;
  }
  void onFinish() override {}
  void onOpened(const Demuxer& opened) override {
    for (const FilmStream& stream : opened.streams()) {
      m_streams.push_back(stream.index);
      m_reader->store().take(stream.index, true);
    }
    m_opened.store(true);
  }
  void onRefused(const Error& why) override { ADD_FAILURE() << why.message; }
  void onBrokeOff(const std::string& why) override { ADD_FAILURE() << why; }
  void onRead(Duration) override { ++m_reads; }
  void onTags(const Demuxer&, AVPacket&) override {}
  void onEnd(Duration) override { m_atEnd.store(true); }
  void onStoreEnded() override {}
  void onSeeking() override {}
  void onSought(Duration) override { ++m_sought; }
};

TEST_F(ReaderTest, ReadsAtMostWPlusTRPacketsInAnyTime) {
  read(numberedPictures(kPictures));
  ASSERT_TRUE(stopsAt(kWorkahead)) << m_reads.load();
  EXPECT_EQ(m_task->contract().lbap.workahead, kWorkahead);
  std::uint64_t expected = kWorkahead;
  for (const std::uint64_t periods : {1, 3, 1, 20, 7, 1, 1, 33, 50, 2}) {
    m_clock.advance(static_cast<std::int64_t>(periods) * (kPeriod + 1ns));
    expected += periods;
    ASSERT_TRUE(stopsAt(expected)) << m_reads.load() << " and not " << expected;
  }
  m_clock.advance(60s);
  ASSERT_TRUE(eventually([&] {
    empty();
    return m_atEnd.load();
  }));
  EXPECT_EQ(m_reads.load(), std::uint64_t{kPictures});
}

TEST_F(ReaderTest, WhatIsNotReadInItsTimeIsReadAheadLaterButNoMoreThanW) {
  read(numberedPictures(kPictures));
  ASSERT_TRUE(stopsAt(kWorkahead));
  m_clock.advance(60s);
  ASSERT_TRUE(stopsAt(2 * kWorkahead)) << m_reads.load();
}

TEST_F(ReaderTest, WhoWaitsForAPacketGetsItWhateverWasRead) {
  read(numberedPictures(kPictures));
  ASSERT_TRUE(stopsAt(kWorkahead));
  for (auto taken = m_taken; taken < kPictures; ++taken)
    ASSERT_EQ(m_reader->store().next(0, kPatience).what, What::Packet);
  EXPECT_EQ(m_reader->store().next(0, kPatience).what, What::End);
  EXPECT_EQ(m_clock.reading(), 0ns);
}

TEST_F(ReaderTest, ASeekEndsTheWaitAndBeginsAnew) {
  read(numberedPictures(kPictures));
  ASSERT_TRUE(stopsAt(kWorkahead));
  m_reader->seek({.target = 2s});
  ASSERT_TRUE(eventually([&] { return m_sought.load() == 1; }));
  EXPECT_TRUE(stopsAt(2 * kWorkahead)) << m_reads.load();
  m_reader->seek({.target = 3s, .toKeyframe = true});
  ASSERT_TRUE(eventually([&] { return m_sought.load() == 2; }));
  EXPECT_TRUE(stopsAt(3 * kWorkahead)) << m_reads.load() << " with the keyframe that tells where it begins";
}

TEST_F(ReaderTest, TheStopEndsTheWait) {
  read(numberedPictures(kPictures));
  ASSERT_TRUE(stopsAt(kWorkahead));
  m_reader->stop();
  EXPECT_EQ(m_reads.load(), kWorkahead);
}

TEST_F(ReaderTest, TheWayToASeeksTargetIsFree) {
  read(film("onekeyframe.mkv", words("-f lavfi -i testsrc2=s=64x64:r=25:d=8 -c:v libx264 -preset ultrafast "
                                     "-pix_fmt yuv420p -g 1000 -bf 0")));
  ASSERT_TRUE(stopsAt(kWorkahead));
  m_reader->seek({.target = 7s});
  ASSERT_TRUE(eventually([&] {
    empty();
    return m_atEnd.load();
  }));
  EXPECT_EQ(m_reads.load(), kWorkahead + kPictures) << "the second before its end is no more than W";
}

TEST_F(ReaderTest, AnotherSpeedAmendsTheContract) {
  read(numberedPictures(kPictures));
  ASSERT_TRUE(stopsAt(kWorkahead));
  m_reader->setSpeed(2);
  m_reader->seek({.target = 1s});
  ASSERT_TRUE(stopsAt(2 * kWorkahead));
  EXPECT_NEAR(m_task->contract().lbap.rate.perSecond(), 55, 1e-3);
  EXPECT_EQ(m_task->contract().lbap.workahead, kWorkahead);
  m_clock.advance(kPeriod + 2ns);
  EXPECT_TRUE(stopsAt(2 * kWorkahead + 2)) << m_reads.load();
}

TEST_F(ReaderTest, AllStreamsOfAFilmAreReadByOneContract) {
  read(plainFilm(5));
  ASSERT_TRUE(eventually([&] {
    empty();
    return m_reads.load() >= 154;
  }));
  const auto lbap = m_task->contract().lbap;
  EXPECT_NEAR(lbap.rate.perSecond(), 1.1 * (30 + 48'000.0 / 1024), 0.1);
  EXPECT_EQ(lbap.workahead, 154u);
  EXPECT_LE(m_reads.load(), lbap.workahead + 6) << "what lies before the film's beginning is free";
}

TEST_F(ReaderTest, ARateThatNoHeaderTellsIsMeasured) {
  read(numberedFilm(kPictures));  // how long packets of FLAC are is not told
  ASSERT_TRUE(eventually([&] {
    empty();
    return m_task->contract().lbap.workahead < 80;
  })) << m_reads.load();
  EXPECT_NEAR(m_task->contract().lbap.rate.perSecond(), 1.1 * (25 + 48'000.0 / 4608), 3);
  EXPECT_LE(m_reads.load(), 154u) << "what is taken for granted until then holds as well";
}

}  // namespace
}  // namespace tactus::plugins::av
