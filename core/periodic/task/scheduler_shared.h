// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: what a Scheduler and its tasks share.

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/kernel/process_memory.h"
#include "core/periodic/task/class_assignment.h"
#include "core/periodic/task/dispatcher.h"
#include "core/periodic/task/memory_share.h"
#include "core/periodic/task/watchdog.h"

namespace tactus::periodic {

[[nodiscard]] inline std::optional<MemoryShare::Reading> readMemory() {
  const auto memory = readProcessMemory();
  if (!memory) return std::nullopt;
  return MemoryShare::Reading{static_cast<double>(memory->free), static_cast<double>(memory->ours)};
}

struct Scheduler::Shared {
  Shared(TimeSource& timeSource, KernelClassGate& kernelGate, TraceLog& traceLog, MemoryShare::Read read = {})
      : memory(std::make_shared<MemoryShare>(read ? std::move(read) : MemoryShare::Read(readMemory))),
        time(timeSource),
        gate(kernelGate),
        trace(traceLog),
        table(gate, events),
        classes(gate, table, events),
        dispatcher(gate, table),
        watchdog(gate, table, classes, events) {}

  const std::shared_ptr<MemoryShare> memory;  // shared with whoever holds a share
  TimeSource& time;
  KernelClassGate& gate;
  TraceLog& trace;

  // Between threads.
  EventQueue events;
  DispatchAlarm alarm;

  PriorityInheritanceMutex mutex;  // the table's lock, of everything below
  TaskTable table;
  ClassAssignment classes;
  Dispatcher dispatcher;
  Watchdog watchdog;
};

}  // namespace tactus::periodic
