// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/qos_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>

namespace tactus::periodic {
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
  const auto watcher = events.watch("watcher", [](const QosEvent&) {});
  std::vector<std::uint64_t> one;
  std::vector<std::uint64_t> two;
  const auto first = events.watch("one", [&](const QosEvent& event) { one.push_back(event.stream); });
  const auto second = events.watch("two", [&](const QosEvent& event) { two.push_back(event.stream); });
  for (std::uint64_t i = 0; i < 100; ++i) {
    QosEvent event;
    event.stream = i;
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
  events.watch("bad", [](const QosEvent&) { throw std::runtime_error("no room"); });
  const auto good = events.watch("good", [&](const QosEvent&) { ++heard; });
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
  events.watch("slow", [&](const QosEvent&) {
    while (!release) std::this_thread::sleep_for(1ms);
    ++slow;
  });
  events.watch("good", [&](const QosEvent&) { ++heard; });
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

TEST(QosEvents, AHandlerTakesThePlaceOfTheDefaultForItsStreamOrForAll) {
  QosEvents events;
  const auto watcher = events.watch("watcher", [](const QosEvent&) {});
  EXPECT_FALSE(events.handled(1));
  const auto leave = [](const QosEvent&) { return std::optional<QosAction>(); };
  const auto one = events.attach("one", leave, 1);
  EXPECT_TRUE(events.handled(1));
  EXPECT_FALSE(events.handled(2));
  const auto all = events.attach("all", leave);
  EXPECT_TRUE(events.handled(2));
  events.unsubscribe(all);
  events.unsubscribe(one);
  EXPECT_FALSE(events.handled(1));
  events.unsubscribe(watcher);
}

TEST(QosEvents, WhatAHandlerWantsWaitsForTheOwnerOfTheStreams) {
  QosEvents events;
  const auto id = events.attach(
      "half",
      [](const QosEvent& event) {
        if (event.kind != QosEvent::Kind::Violation) return std::optional<QosAction>();
        return std::optional(QosAction{.frequency = 0.5});
      },
      7);
  events.publish({.kind = QosEvent::Kind::Thinned, .stream = 7});
  events.publish({.kind = QosEvent::Kind::Violation, .stream = 8});
  events.publish({.kind = QosEvent::Kind::Violation, .stream = 7});
  events.unsubscribe(id);  // once it has heard all
  const auto wanted = events.takeWanted();
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_EQ(wanted[0].stream, 7u);
  EXPECT_EQ(wanted[0].handler, "half");
  EXPECT_EQ(wanted[0].action.frequency, 0.5);
  EXPECT_TRUE(events.takeWanted().empty());
}

TEST(QosEvents, WhatIsOutOfRangeIsNotWantedAndSaid) {
  QosEvents events;
  const auto id = events.attach("bad", [](const QosEvent&) { return std::optional(QosAction{.size = 7}); });
  events.publish({});
  events.unsubscribe(id);
  EXPECT_TRUE(events.takeWanted().empty());
  EXPECT_EQ(
      events.complaints(),
      std::vector<std::string>{"The handler 'bad' is not followed: A limit of the size is above 0 and at "
                               "most 1, and not 7."});
  EXPECT_FALSE(events.want({1, "outside", {.weight = -1}}).ok());
  EXPECT_TRUE(events.want({1, "outside", {.weight = 4}}).ok());
  EXPECT_EQ(events.takeWanted().size(), 1u);
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(events.want({1, "flood", {.weight = 4}}).ok());
  EXPECT_FALSE(events.want({1, "flood", {.weight = 4}}).ok());
}

TEST(QosEvents, WhatIsWantedOfAStreamWithAnOwnerOfItsOwnIsTakenApart) {
  QosEvents events;
  const std::uint64_t one = events.enter(), other = events.enter();
  EXPECT_GE(one, std::uint64_t{1} << 32U);
  EXPECT_NE(one, other);
  ASSERT_TRUE(events.want({1, "a", {.frequency = 0.5}}).ok());
  ASSERT_TRUE(events.want({one, "b", {.frequency = 0.25}}).ok());
  ASSERT_TRUE(events.want({other, "c", {.frequency = 0.75}}).ok());
  const auto rest = events.takeWanted();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].handler, "a");
  const auto wanted = events.takeWanted(one);
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_EQ(wanted[0].action.frequency, 0.25);
  EXPECT_TRUE(events.takeWanted(one).empty());
  events.leave(other);
  EXPECT_TRUE(events.want({other, "c", {.frequency = 0.5}}).ok());
  EXPECT_TRUE(events.takeWanted(other).empty());
  EXPECT_TRUE(events.takeWanted().empty());
}

TEST(QosEvents, AHandlerThatThrewHandlesNothing) {
  QosEvents events;
  events.attach("bad", [](const QosEvent&) -> std::optional<QosAction> { throw std::runtime_error("x"); });
  EXPECT_TRUE(events.handled(3));
  events.publish({});
  EXPECT_TRUE(eventually([&] { return !events.handled(3); }));
}

}  // namespace
}  // namespace tactus::periodic
