// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: the table behind Scheduler and Task.

#include <string>
#include <vector>

#include "core/periodic/admission/reservation_table.h"
#include "core/periodic/task/event_queue.h"
#include "core/periodic/task/task_body.h"

namespace tactus::periodic {

/// The tasks and what is promised to each (HeiTS, "Scheduling Cache"). Everything under the table's lock.
/// Real-time-safe: no.
class TaskTable {
 public:
  TaskTable(KernelClassGate& gate, EventQueue& events);

  [[nodiscard]] const std::vector<Task::Body*>& tasks() const noexcept { return m_tasks; }
  [[nodiscard]] Task::Body* findLocked(std::uint64_t id) const noexcept;
  [[nodiscard]] std::uint64_t nextId() noexcept { return m_nextId++; }
  void addLocked(Task::Body& body) { m_tasks.push_back(&body); }
  /// Keeps what was learned of it and gives its reservation back.
  void removeLocked(Task::Body& body);

  /// What a task asks of admission, by its contract and by what its packets cost.
  [[nodiscard]] ReservationContract reservationOf(const Task::Body& body) const;
  /// Its reservation; null where it holds none.
  [[nodiscard]] const ReservationEntry* admittedLocked(const Task::Body& body) const;
  /// Admission for a task as it is now, by a new reservation or a change of its own.
  [[nodiscard]] Result<void, AdmissionRefusal> admitLocked(Task::Body& body);
  /// The same, and tells. Refused: the task's record says why.
  Result<void, AdmissionRefusal> reserveLocked(Task::Body& body);
  void releaseLocked(Task::Body& body);
  /// Task::amend().
  [[nodiscard]] Result<void, AdmissionRefusal> amendLocked(Task::Body& body, const ContractPatch& patch);
  void setWorkersLocked(Task::Body& body, std::span<const pid_t> tids);
  /// What was measured of the task's packets becomes its reservation, where it differs enough; a refused task
  /// asks again.
  void followCostLocked(Task::Body& body, TimePoint now);

  void setPolicyLocked(AdmissionPolicy policy);
  /// The processors that the process may use come and go. True: others than before.
  [[nodiscard]] bool followProcessorsLocked();

  /// What packets cost, by kind of work, is loaded from and kept as text.
  void loadLearnedLocked(std::string_view text) { m_memory.load(text); }
  [[nodiscard]] std::string learnedLocked();
  /// What earlier runs know of a task that is new.
  void recallLocked(Task::Body& body) const;

  [[nodiscard]] const ReservationTable& reservations() const noexcept { return m_reservations; }
  [[nodiscard]] const AdmissionPolicy& policy() const noexcept { return m_reservations.policy(); }

 private:
  void learnLocked(const Task::Body& body);
  void measureLocked(Task::Body& body, TimePoint now);
  void tellLossesLocked(const std::vector<ReservationId>& lost, const char* reason);

  KernelClassGate& m_gate;
  EventQueue& m_events;
  std::vector<Task::Body*> m_tasks;  // each removes itself
  ReservationTable m_reservations;
  ProcessingMemory m_memory;
  std::vector<int> m_wantedCpus;  // by setPolicyLocked(); empty = whatever the process may use
  std::uint64_t m_nextId = 1;
};

}  // namespace tactus::periodic
