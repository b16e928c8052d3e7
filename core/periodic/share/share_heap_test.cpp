// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/share/share_heap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace tactus::periodic {
namespace {

struct Number {
  int value = 0;
  ShareHeapPlace place = {};
};
struct Less {
  bool operator()(const Number& a, const Number& b) const noexcept { return a.value < b.value; }
};
using Heap = ShareHeap<Number, Less>;

std::vector<int> drain(Heap& heap) {
  std::vector<int> values;
  while (!heap.isEmpty()) {
    values.push_back(heap.first().value);
    heap.remove(heap.first());
  }
  return values;
}

TEST(ShareHeapTest, TheLeastComesFirst) {
  std::vector<Number> numbers{{3}, {1}, {2}};
  Heap heap{Less{}};
  heap.reserve(3);
  for (auto& each : numbers) heap.add(each);
  EXPECT_EQ(heap.size(), 3u);
  EXPECT_EQ(drain(heap), (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(numbers[0].place.isInHeap());
}

TEST(ShareHeapTest, AnElementLeavesFromTheMiddle) {
  std::vector<Number> numbers{{1}, {5}, {2}, {6}, {7}, {3}, {4}};
  Heap heap{Less{}};
  heap.reserve(numbers.size());
  for (auto& each : numbers) heap.add(each);
  heap.remove(numbers[1]);
  EXPECT_FALSE(numbers[1].place.isInHeap());
  EXPECT_EQ(drain(heap), (std::vector<int>{1, 2, 3, 4, 6, 7}));
}

RC_GTEST_PROP(ShareHeapProperty, AfterAnyChangesTheOrderIsSorted, ()) {
  std::vector<Number> numbers(*rc::gen::inRange<std::size_t>(1, 40));
  Heap heap{Less{}};
  heap.reserve(numbers.size());
  const int steps = *rc::gen::inRange(1, 200);
  for (int step = 0; step < steps; ++step) {
    Number& number = numbers[*rc::gen::inRange<std::size_t>(0, numbers.size())];
    const bool leaves = *rc::gen::inRange(0, 3) == 0;
    if (number.place.isInHeap() && leaves) {
      heap.remove(number);
      continue;
    }
    number.value = *rc::gen::inRange(0, 50);
    number.place.isInHeap() ? heap.update(number) : heap.add(number);
  }
  std::vector<int> expected;
  for (const auto& each : numbers)
    if (each.place.isInHeap()) expected.push_back(each.value);
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(drain(heap) == expected);
}

}  // namespace
}  // namespace tactus::periodic
