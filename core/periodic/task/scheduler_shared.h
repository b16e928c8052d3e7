// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: what a Scheduler and its tasks share.

#include <atomic>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/task/class_assignment.h"
#include "core/periodic/task/dispatcher.h"
#include "core/periodic/task/watchdog.h"

namespace tactus::periodic {

struct Scheduler::Shared {
  Shared(TimeSource& timeSource, KernelClassGate& kernelGate, TraceLog& traceLog)
      : time(timeSource),
        gate(kernelGate),
        trace(traceLog),
        table(gate, events),
        classes(gate, table, events),
        dispatcher(gate, table),
        watchdog(gate, table, classes, events) {}

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
