// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/task_contract.h"

namespace tactus::periodic {

using namespace std::chrono_literals;

std::string_view nameOf(Stage stage) noexcept {
  switch (stage) {
    case Stage::Source:
      return "source";
    case Stage::VideoDecode:
      return "video decode";
    case Stage::AudioDecode:
      return "audio decode";
    case Stage::VideoDisplay:
      return "video display";
    case Stage::Audio:
      return "audio";
    case Stage::Render:
      return "render";
    case Stage::Other:
      break;
  }
  return "other";
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
