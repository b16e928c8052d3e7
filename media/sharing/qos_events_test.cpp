// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/qos_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

bool eventually(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

TEST(QosEvents, EveryHandlerHearsEveryEventInOrder) {
  QosEvents events;
  const auto watcher = events.subscribe(
      "watcher", [](const QosEvent&) {}, QosEvents::Role::Watches);
  EXPECT_FALSE(events.handled());
  std::vector<std::uint64_t> one;
  std::vector<std::uint64_t> two;
  const auto first = events.subscribe("one", [&](const QosEvent& event) { one.push_back(event.window); });
  const auto second = events.subscribe("two", [&](const QosEvent& event) { two.push_back(event.window); });
  EXPECT_TRUE(events.handled());
  for (std::uint64_t i = 0; i < 100; ++i) {
    QosEvent event;
    event.window = i;
    events.publish(event);
  }
  events.unsubscribe(first);  // what was published before is told first
  events.unsubscribe(second);
  events.unsubscribe(watcher);
  EXPECT_EQ(one.size(), 100u);
  EXPECT_EQ(one, two);
  EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
  EXPECT_TRUE(events.complaints().empty());
}

TEST(QosEvents, OneThatThrowsIsLetGoAndTheOthersGoOn) {
  QosEvents events;
  std::atomic<int> heard{0};
  events.subscribe("bad", [](const QosEvent&) { throw std::runtime_error("no room"); });
  const auto good = events.subscribe("good", [&](const QosEvent&) { ++heard; });
  for (int i = 0; i < 10; ++i) events.publish({});
  EXPECT_TRUE(eventually([&] { return heard == 10; }));
  std::vector<std::string> complaints;
  EXPECT_TRUE(eventually([&] {
    for (auto& each : events.complaints()) complaints.push_back(std::move(each));
    return !complaints.empty();
  }));
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_EQ(complaints[0], "The handler 'bad' failed (no room) and gets no more events.");
  events.unsubscribe(good);
}

TEST(QosEvents, OneThatBlocksHoldsUpNobodyAndMissesEvents) {
  QosEvents events;
  std::atomic<bool> release{false};
  std::atomic<int> slow{0};
  std::atomic<int> heard{0};
  events.subscribe("slow", [&](const QosEvent&) {
    while (!release) std::this_thread::sleep_for(1ms);
    ++slow;
  });
  events.subscribe("good", [&](const QosEvent&) { ++heard; });
  for (int i = 0; i < 300; ++i) {
    events.publish({});
    ASSERT_TRUE(eventually([&] { return heard == i + 1; }));
  }
  const auto complaints = events.complaints();
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_EQ(complaints[0], "The handler 'slow' is too slow and misses events.");
  release = true;
  EXPECT_TRUE(eventually([&] { return slow >= 256; }));
}

}  // namespace
}  // namespace tactus::media
