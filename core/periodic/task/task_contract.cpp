// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/task_contract.h"

namespace tactus::periodic {

using namespace std::chrono_literals;

TaskContract contractOf(Stage stage) {
  const StageRow& row = rowOf(stage);
  TaskContract contract;
  contract.name = row.name;
  contract.stage = stage;
  contract.lbap.rate = row.rate;
  contract.service = row.service;
  contract.processing = row.processing;
  return contract;
}

Result<void> validate(const TaskContract& contract) {
  const auto bad = [](const char* sentence) { return Error{ErrorCode::InvalidArgument, sentence}; };
  if (!(contract.cpuCap > 0 && contract.cpuCap <= 1))
    return bad("A task's share of a CPU must be above 0 and at most 1.");
  if (contract.lbap.workahead < 1) return bad("A task's workahead must be at least one packet.");
  if (contract.deadline < Duration::zero()) return bad("A task's deadline cannot be negative.");
  if (contract.processing < Duration::zero()) return bad("A task's processing time cannot be negative.");
  if (!(contract.quantile > 0 && contract.quantile <= 1))
    return bad("A quantile must be above 0 and at most 1.");
  if (!(contract.frequency > 0 && contract.frequency <= 1))
    return bad("A task's frequency must be above 0 and at most 1.");
  if (contract.threads < 1) return bad("A task has at least one thread.");
  if (contract.spin < Duration::zero() || contract.spin > 200us)
    return bad("A task may spin for at most 200 us before a packet.");
  return {};
}

namespace {

template <typename T>
bool write(const std::optional<T>& wanted, T& field) {
  if (!wanted || *wanted == field) return false;
  field = *wanted;
  return true;
}

}  // namespace

bool ContractPatch::applyTo(TaskContract& contract) const {
  bool changed = write(lbap, contract.lbap);
  changed = write(deadline, contract.deadline) || changed;
  changed = write(processing, contract.processing) || changed;
  changed = write(service, contract.service) || changed;
  changed = write(quantile, contract.quantile) || changed;
  changed = write(frequency, contract.frequency) || changed;
  changed = write(cpus, contract.cpus) || changed;
  changed = write(aboveOrdinary, contract.aboveOrdinary) || changed;
  return write(preferred, contract.preferred) || changed;
}

}  // namespace tactus::periodic
