// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/stray_threads.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using Threads = std::vector<pid_t>;

TEST(StrayThreads, EachIsLookedAtOnceAndThoseOfTasksAreNot) {
  StrayThreads strays;
  EXPECT_EQ(strays.fresh(Threads{1, 2, 3}, {2}), (Threads{1, 3}));
  EXPECT_EQ(strays.fresh(Threads{1, 2, 3, 4}, {2}), Threads{4});
  EXPECT_EQ(strays.fresh(Threads{1, 2, 3, 4}, {}), Threads{2}) << "its task let it go";
}

TEST(StrayThreads, AnIdThatRecursIsAnotherThread) {
  StrayThreads strays;
  EXPECT_EQ(strays.fresh(Threads{1, 2}, {}), (Threads{1, 2}));
  EXPECT_EQ(strays.fresh(Threads{1}, {}), Threads{});
  EXPECT_EQ(strays.fresh(Threads{1, 2}, {}), Threads{2});
}

}  // namespace
}  // namespace tactus::periodic
