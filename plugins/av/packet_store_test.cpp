// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/packet_store.h"

#include <gtest/gtest.h>

#include <thread>

namespace tactus::plugins::av {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using What = PacketStore::Taken::What;

constexpr int kPictures = 0, kSound = 1, kOtherSound = 2;

PacketPtr packetAt(Duration at, int bytes = 100) {
  PacketPtr packet(av_packet_alloc());
  EXPECT_EQ(av_new_packet(packet.get(), bytes), 0);
  packet->pts = packet->dts = at.count();
  packet->duration = Duration(40ms).count();
  return packet;
}

class Stored : public ::testing::Test {
 protected:
  Stored() {
    m_store.take(kPictures, true);
    m_store.take(kSound, true);
  }
  /// Whether there is room without waiting for it.
  bool hasRoom() {
    bool room = false;
    std::thread asks([&] { room = m_store.waitForRoom(); });
    std::this_thread::yield();
    m_store.interrupt();
    asks.join();
    return room;
  }
  PacketStore m_store{PacketStore::Bounds{1s, 100'000, 3s}};
};

TEST_F(Stored, PacketsAreTakenInTheirOrderAndThenTheEnd) {
  m_store.put(kPictures, packetAt(0ms));
  m_store.put(kPictures, packetAt(40ms));
  m_store.end();
  EXPECT_EQ(m_store.next(kPictures).packet->pts, 0);
  EXPECT_EQ(Duration(m_store.next(kPictures).packet->pts), 40ms);
  EXPECT_EQ(m_store.next(kPictures).what, What::End);
  EXPECT_EQ(m_store.next(kSound).what, What::End);
}

TEST_F(Stored, WhoHasWaitedLongEnoughStarves) {
  EXPECT_EQ(m_store.next(kPictures, 0ms).what, What::Starved);
  EXPECT_EQ(m_store.next(kPictures, 1ms).what, What::Starved);
  m_store.put(kPictures, packetAt(0ms));
  EXPECT_EQ(m_store.next(kPictures, 0ms).what, What::Packet);
  m_store.end();
  EXPECT_EQ(m_store.next(kPictures, 0ms).what, What::End);
}

TEST_F(Stored, IsFilledAsFarAsTheStreamThatHasLeast) {
  EXPECT_DOUBLE_EQ(m_store.filled(400ms), 0);
  for (const Duration at : {0ms, 100ms, 200ms}) m_store.put(kPictures, packetAt(at));
  EXPECT_DOUBLE_EQ(m_store.filled(400ms), 0) << "there is no sound yet";
  for (const Duration at : {0ms, 100ms}) m_store.put(kSound, packetAt(at));
  EXPECT_DOUBLE_EQ(m_store.filled(400ms), 0.25);
  EXPECT_DOUBLE_EQ(m_store.filled(100ms), 1);
  m_store.end();
  EXPECT_DOUBLE_EQ(m_store.filled(400ms), 1) << "more does not come";
}

TEST_F(Stored, AFlushForgetsPacketsAndTheEnd) {
  m_store.put(kPictures, packetAt(0ms));
  m_store.end();
  m_store.flush(7s);
  m_store.put(kPictures, packetAt(7s));
  EXPECT_EQ(Duration(m_store.next(kPictures).packet->pts), 7s);
  EXPECT_EQ(m_store.bytes(), 0u);
}

TEST_F(Stored, AWaitForAPacketEndsWhenItComes) {
  PacketStore::Taken taken;
  std::thread takes([&] { taken = m_store.next(kPictures); });
  m_store.put(kPictures, packetAt(0ms));
  takes.join();
  EXPECT_EQ(taken.what, What::Packet);
}

TEST_F(Stored, AnInterruptEndsWaitsUntilTheFlush) {
  std::thread takes([&] { EXPECT_EQ(m_store.next(kPictures).what, What::Interrupted); });
  m_store.interrupt();
  takes.join();
  m_store.put(kPictures, packetAt(0ms));  // read before the seek: let go
  EXPECT_EQ(m_store.next(kPictures).what, What::Interrupted);
  m_store.flush(0s);
  m_store.end();
  EXPECT_EQ(m_store.next(kPictures).what, What::End);
}

TEST_F(Stored, AStreamThatHasNothingWhileOthersGoOnGetsAGap) {
  for (Duration at = 0ms; at <= 3s; at += 40ms) m_store.put(kSound, packetAt(at));
  m_store.put(kSound, packetAt(3040ms));
  const auto taken = m_store.next(kPictures);
  EXPECT_EQ(taken.what, What::Gap);
  EXPECT_EQ(taken.until, 3040ms);
}

TEST_F(Stored, PacketsThatNobodyTakesGoOnceTheOthersHavePassedThem) {
  for (Duration at = 0ms; at < 400ms; at += 40ms) {
    m_store.put(kSound, packetAt(at));
    m_store.put(kOtherSound, packetAt(at));
  }
  for (int i = 0; i < 6; ++i) (void)m_store.next(kSound);
  // The sixth began at 200 ms; of the other stream the one that ends there is the first kept.
  m_store.take(kOtherSound, true);
  EXPECT_EQ(Duration(m_store.next(kOtherSound).packet->pts), 160ms);
}

TEST_F(Stored, WhoLeavesAStreamWaitsForItNoMore) {
  std::thread takes([&] { EXPECT_EQ(m_store.next(kSound).what, What::Interrupted); });
  m_store.leave(kSound);
  takes.join();
}

TEST_F(Stored, ThereIsRoomUntilEachStreamIsFarEnoughAhead) {
  for (Duration at = 0ms; at <= 1s; at += 40ms) m_store.put(kPictures, packetAt(at));
  EXPECT_EQ(m_store.ahead(kPictures), 1s);
  EXPECT_TRUE(m_store.waitForRoom()) << "sound has nothing yet";
  for (Duration at = 0ms; at <= 1s; at += 40ms) m_store.put(kSound, packetAt(at));
  EXPECT_FALSE(hasRoom());
}

TEST_F(Stored, ThereIsNoRoomBeyondTheBytes) {
  m_store.put(kPictures, packetAt(0ms, 100'000));
  EXPECT_FALSE(hasRoom());
}

TEST_F(Stored, PacketsOfOneByteAtOneInstantFillItAsWell) {
  for (int i = 0; i < 200; ++i) m_store.put(kPictures, packetAt(0ms, 1));
  EXPECT_FALSE(hasRoom());
}

}  // namespace
}  // namespace tactus::plugins::av
