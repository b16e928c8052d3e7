// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/processor_times.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

/// Share of one processor's time that was used since the beginning, as ticks: used and all.
std::pair<double, double> ticksOf(int cpu) {
  std::ifstream stat("/proc/stat");
  std::string name;
  const std::string wanted = "cpu" + std::to_string(cpu);
  while (stat >> name && name != wanted) stat.ignore(4096, '\n');
  double used = 0;
  double all = 0;
  double value = 0;
  for (int field = 0; field < 8 && stat >> value; ++field) {
    all += value;
    if (field != 3 && field != 4) used += value;
  }
  return {used, all};
}

TEST(ProcessorTimes, ThoseThatTheProgramMayNotUseDoNotCount) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof before, &before), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) cpus.push_back(cpu);
  if (cpus.size() < 2) GTEST_SKIP() << "one processor";
  const auto keepOn = [](pid_t tid, int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(tid, sizeof one, &one);
  };
  std::atomic<bool> stop{false};
  std::thread other([&] {
    (void)keepOn(0, cpus[1]);
    while (!stop) {
    }
  });
  EXPECT_EQ(keepOn(getpid(), cpus[0]), 0);
  ProcessorTimes times;
  const auto [used, all] = ticksOf(cpus[0]);
  (void)times.use();
  std::this_thread::sleep_for(500ms);
  const ProcessorUse use = times.use();
  const auto [usedThen, allThen] = ticksOf(cpus[0]);
  stop = true;
  other.join();
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof before, &before), 0);
  const double share = (usedThen - used) / std::max(1.0, allThen - all);
  EXPECT_NEAR(use.all, share, 0.1);
  EXPECT_NEAR(use.busiest, share, 0.1);
}

}  // namespace
}  // namespace tactus::media
