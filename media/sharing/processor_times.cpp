// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/processor_times.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace tactus::media {

ProcessorUse ProcessorTimes::use() {
  cpu_set_t allowed;  // of the program's first thread: others are kept on one
  const bool known = sched_getaffinity(getpid(), sizeof allowed, &allowed) == 0;
  std::ifstream stat("/proc/stat");
  ProcessorUse use;
  Times sum;
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    int cpu = -1;
    if (std::sscanf(line.c_str(), "cpu%d", &cpu) != 1 || cpu < 0 || cpu >= CPU_SETSIZE) continue;  // all
    if (known && !CPU_ISSET(cpu, &allowed)) continue;
    std::istringstream fields(line.substr(line.find(' ')));
    Times now;
    std::uint64_t value = 0;
    for (int field = 0; field < 8 && fields >> value; ++field) {  // the guests' time is in the user's
      now.all += value;
      if (field != 3 && field != 4) now.used += value;  // neither idle nor waiting for a disk
    }
    const auto [before, first] = m_last.try_emplace(cpu, now);
    const Times passed{now.used - std::min(now.used, before->second.used),
                       now.all - std::min(now.all, before->second.all)};
    before->second = now;
    if (first || passed.all == 0) continue;
    use.busiest = std::max(use.busiest, static_cast<double>(passed.used) / static_cast<double>(passed.all));
    sum.used += passed.used;
    sum.all += passed.all;
  }
  if (sum.all > 0) use.all = static_cast<double>(sum.used) / static_cast<double>(sum.all);
  return use;
}

}  // namespace tactus::media
