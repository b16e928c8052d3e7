// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/periodic_thread.h"

#include <utility>

namespace tactus::periodic {

Result<std::unique_ptr<PeriodicThread>> PeriodicThread::start(Scheduler& scheduler, TaskContract contract,
                                                              std::function<bool()> iterate) {
  auto owned = OwnedThread::start(scheduler, std::move(contract), [iterate = std::move(iterate)](Task& task) {
    while (task.awaitResume() != Pause::ForGood) {
      if (!OwnedThread::begin(task)) continue;
      if (!iterate()) break;
      task.complete();
    }
  });
  if (!owned.ok()) return owned.error();
  return std::unique_ptr<PeriodicThread>(new PeriodicThread(std::move(owned).value()));
}

}  // namespace tactus::periodic
