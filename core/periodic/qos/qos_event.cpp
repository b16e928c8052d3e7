// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/qos_event.h"

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

Result<void> checkLimit(const char* what, const std::optional<double>& limit) {
  if (!limit || (*limit > 0 && *limit <= 1)) return {};
  return Error{ErrorCode::InvalidArgument,
               format("A limit of the %s is above 0 and at most 1, and not %g.", what, *limit)};
}

}  // namespace

std::string_view nameOf(QosCause cause) noexcept {
  switch (cause) {
    case QosCause::None:
      return "none";
    case QosCause::Streams:
      return "other streams";
    case QosCause::OtherPrograms:
      return "other programs";
    case QosCause::Source:
      return "source";
    case QosCause::Display:
      return "display";
    case QosCause::Handler:
      return "handler";
    case QosCause::Network:
      return "network";
    case QosCause::Sender:
      return "sender";
    case QosCause::Processor:
      return "processor";
  }
  return "none";
}

std::string_view nameOf(QosEvent::Kind kind) noexcept {
  switch (kind) {
    case QosEvent::Kind::Violation:
      return "violation";
    case QosEvent::Kind::Recovered:
      return "recovered";
    case QosEvent::Kind::Thinned:
      return "thinned";
    case QosEvent::Kind::LastRung:
      return "last rung";
    case QosEvent::Kind::Whole:
      return "whole";
    case QosEvent::Kind::Refused:
      return "refused";
    case QosEvent::Kind::Admitted:
      return "admitted";
    case QosEvent::Kind::Smaller:
      return "smaller";
    case QosEvent::Kind::Limited:
      return "limited";
  }
  return "violation";
}

Result<void> validate(const QosAction& action) {
  if (auto checked = checkLimit("frequency", action.frequency); !checked.ok()) return checked;
  if (auto checked = checkLimit("size", action.size); !checked.ok()) return checked;
  if (action.leastFrequency && !isLeastFrequency(*action.leastFrequency))
    return Error{ErrorCode::InvalidArgument,
                 format("f_min is a share, from 0 to 1, and not %g.", *action.leastFrequency)};
  if (action.weight && !isWeight(*action.weight))
    return Error{ErrorCode::InvalidArgument,
                 format("A weight is above 0 and at most 1000, and not %g.", *action.weight)};
  if (!action.frequency && !action.size && !action.leastFrequency && !action.weight)
    return Error{ErrorCode::InvalidArgument, "An action names a frequency, a size, an f_min or a weight."};
  return {};
}

}  // namespace tactus::periodic
