// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/kernel/processors.h"

#include <sched.h>

namespace tactus::periodic {

std::vector<int> allowedCpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

void keepOn(pid_t tid, int cpu, const std::vector<int>& all) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu >= 0) {
    CPU_SET(cpu, &set);
  } else {
    for (const int each : all) CPU_SET(each, &set);
  }
  (void)!sched_setaffinity(tid, sizeof set, &set);
}

}  // namespace tactus::periodic
