// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tactus::periodic {

/// Something happened to a task that somebody should know. Delivered outside real time.
struct SchedulerEvent {
  enum class Kind {
    Demoted,
    Restored,
    RefusedClass,   ///< the kernel took or refused the real-time class
    NotAdmitted,    ///< no reservation, or it was lost
    Admitted,       ///< a reservation after all
    Overrun,        ///< packets used up their reserved time and were demoted
    EndlessLoop,    ///< one packet went on and on
    NeverEnforces,  ///< processor time, but no packets
    OffRate,        ///< far more or fewer packets than declared
    ThreadEnded,  ///< a thread ended while its task held a reservation, and was not to (TaskContract::mayEnd)
    ProcessorsChanged,  ///< the processors that may be used are others
    EventsLost,         ///< more events came than could be told
  } kind;
  std::uint64_t taskId = 0;
  std::string taskName;
  std::string sentence;  ///< "video decode (h264) used 93 % of a CPU and runs at normal priority for 1 s"
};

}  // namespace tactus::periodic
