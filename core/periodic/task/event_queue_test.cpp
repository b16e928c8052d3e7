// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/event_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace tactus::periodic {
namespace {

using Kind = SchedulerEvent::Kind;

SchedulerEvent numbered(std::uint64_t number) {
  return {Kind::Demoted, number, "task", "a sentence that is too long to be kept inside a string object"};
}

TEST(EventQueue, WhatWasPostedBeforeTheStopIsDeliveredInOrder) {
  EventQueue queue;
  std::vector<std::uint64_t> told;
  queue.subscribe([&](const SchedulerEvent& event) { told.push_back(event.taskId); });
  for (std::uint64_t i = 1; i <= 3; ++i) queue.post(numbered(i));
  queue.stop();
  queue.deliver();
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(EventQueue, AFullQueueLosesTheNewestAndSaysSo) {
  EventQueue queue;
  std::vector<std::uint64_t> told;
  std::string loss;
  queue.subscribe([&](const SchedulerEvent& event) {
    if (event.kind == Kind::EventsLost)
      loss = event.sentence;
    else
      told.push_back(event.taskId);
  });
  for (std::uint64_t i = 0; i < EventQueue::kCapacity + 7; ++i) queue.post(numbered(i));
  queue.stop();
  queue.deliver();
  EXPECT_EQ(told.size(), EventQueue::kCapacity);
  EXPECT_EQ(told.back(), EventQueue::kCapacity - 1);
  EXPECT_EQ(loss, "7 events were lost: they came faster than they could be told.");
}

TEST(EventQueue, EveryListenerHearsEveryEventUntilItUnsubscribes) {
  EventQueue queue;
  std::vector<std::uint64_t> one, two;
  const auto first = queue.subscribe([&](const SchedulerEvent& event) { one.push_back(event.taskId); });
  std::thread companion([&] { queue.deliver(); });
  std::promise<void> heard;
  queue.subscribe([&](const SchedulerEvent& event) {
    two.push_back(event.taskId);
    if (event.taskId == 1) heard.set_value();
  });
  queue.post(numbered(1));
  heard.get_future().wait();
  queue.unsubscribe(first);  // waits for the delivery
  queue.unsubscribe(99);
  queue.post(numbered(2));
  queue.stop();
  companion.join();
  EXPECT_EQ(one, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(two, (std::vector<std::uint64_t>{1, 2}));
}

TEST(EventQueue, EventsCrossToTheCompanionWhole) {
  EventQueue queue;
  std::uint64_t told = 0, lost = 0, broken = 0;
  queue.subscribe([&](const SchedulerEvent& event) {
    if (event.kind == Kind::EventsLost) {
      lost += std::stoull(event.sentence);
    } else {
      ++told;
      broken += event.sentence == numbered(0).sentence ? 0 : 1;
    }
  });
  std::thread companion([&] { queue.deliver(); });
  for (std::uint64_t i = 0; i < 20'000; ++i) queue.post(numbered(i));
  queue.stop();
  companion.join();
  EXPECT_EQ(broken, 0u);
  EXPECT_EQ(told + lost, 20'000u);
  EXPECT_GE(told, EventQueue::kCapacity);
}

}  // namespace
}  // namespace tactus::periodic
