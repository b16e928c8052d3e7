// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/feed_hub.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

/// Counts groups and packets, and does on each call what the test says.
class Counting : public PacketConsumer {
 public:
  explicit Counting(std::function<void()> onGroup = [] {}) : m_onGroup(std::move(onGroup)) {}
  void consume(std::span<const std::span<const std::byte>> packets) noexcept override {
    m_groups.fetch_add(1);
    m_packets.fetch_add(static_cast<int>(packets.size()));
    m_onGroup();
  }
  [[nodiscard]] int groups() const { return m_groups.load(); }
  [[nodiscard]] int packets() const { return m_packets.load(); }

 private:
  const std::function<void()> m_onGroup;
  std::atomic<int> m_groups{0};
  std::atomic<int> m_packets{0};
};

const std::array<std::byte, 12> kPacket{};
const std::array<std::span<const std::byte>, 3> kGroup{kPacket, kPacket, kPacket};

TEST(FeedHub, EachConsumerGetsEachGroupWhileItIsThere) {
  FeedHub hub;
  Counting first, second;
  hub.deliver(kGroup);
  hub.add(first);
  hub.deliver(kGroup);
  hub.add(second);
  hub.deliver(kGroup);
  hub.remove(first);
  hub.deliver(kGroup);
  EXPECT_EQ(first.groups(), 2);
  EXPECT_EQ(first.packets(), 6);
  EXPECT_EQ(second.groups(), 2);
  EXPECT_EQ(hub.size(), 1U);
}

TEST(FeedHub, ConsumerAddedTwiceIsCalledOnceAndOneThatIsNotThereCanBeRemoved) {
  FeedHub hub;
  Counting consumer, stranger;
  hub.add(consumer);
  hub.add(consumer);
  hub.remove(stranger);
  hub.deliver(kGroup);
  EXPECT_EQ(consumer.groups(), 1);
}

TEST(FeedHub, ConsumerRemovedDuringAGroupTakesNobodysTurn) {
  FeedHub hub;
  Counting first, last;
  Counting middle([&] { hub.remove(first); });
  hub.add(first);
  hub.add(middle);
  hub.add(last);
  hub.deliver(kGroup);
  hub.deliver(kGroup);
  EXPECT_EQ(first.groups(), 1);
  EXPECT_EQ(middle.groups(), 2);
  EXPECT_EQ(last.groups(), 2);
}

TEST(FeedHub, ConsumerAddedDuringAGroupGetsItOnce) {
  FeedHub hub;
  Counting late;
  Counting first([&] { hub.add(late); });
  hub.add(first);
  hub.deliver(kGroup);
  EXPECT_EQ(late.groups(), 1);
}

TEST(FeedHub, RemoveWaitsForTheCallThatIsUnderWay) {
  FeedHub hub;
  std::promise<void> entered, release;
  std::atomic<bool> left{false};
  Counting slow([&] {
    entered.set_value();
    release.get_future().wait();
    left.store(true);
  });
  hub.add(slow);
  std::thread feed([&] { hub.deliver(kGroup); });
  entered.get_future().wait();
  std::promise<bool> removed;
  std::thread remover([&] {
    hub.remove(slow);
    removed.set_value(left.load());
  });
  while (hub.size() != 0) std::this_thread::yield();  // the remover has begun to wait, or is about to
  release.set_value();
  EXPECT_TRUE(removed.get_future().get());
  remover.join();
  feed.join();
}

TEST(FeedHub, ConsumerThatBlocksHoldsUpNobodysLeaving) {
  FeedHub hub;
  std::promise<void> entered, release;
  Counting before, after;
  Counting slow([&] {
    entered.set_value();
    release.get_future().wait();
  });
  hub.add(before);
  hub.add(slow);
  hub.add(after);
  std::thread feed([&] { hub.deliver(kGroup); });
  entered.get_future().wait();
  hub.remove(before);  // both return although the group is still under way
  hub.remove(after);
  EXPECT_EQ(after.groups(), 0);
  release.set_value();
  feed.join();
  EXPECT_EQ(slow.groups(), 1);
}

TEST(FeedHub, ConsumersComeAndGoWhilePacketsFlow) {
  FeedHub hub;
  Counting stays;
  hub.add(stays);
  std::atomic<bool> quit{false};
  std::atomic<int> delivered{0};
  std::thread feed([&] {
    while (!quit.load()) {
      hub.deliver(kGroup);
      delivered.fetch_add(1);
    }
  });
  std::vector<std::thread> guests;
  for (int guest = 0; guest < 3; ++guest)
    guests.emplace_back([&] {
      for (int visit = 0; visit < 300; ++visit) {
        std::atomic<bool> here{true};
        std::atomic<bool> calledWhenGone{false};
        {
          Counting consumer([&] { calledWhenGone.store(calledWhenGone.load() || !here.load()); });
          hub.add(consumer);
          while (consumer.groups() == 0) std::this_thread::yield();
          hub.remove(consumer);
          here.store(false);
        }
        EXPECT_FALSE(calledWhenGone.load());
      }
    });
  for (auto& guest : guests) guest.join();
  quit.store(true);
  feed.join();
  EXPECT_EQ(stays.groups(), delivered.load());
  EXPECT_EQ(hub.size(), 1U);
}

}  // namespace
}  // namespace tactus::media
