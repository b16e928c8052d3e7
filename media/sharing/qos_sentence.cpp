// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/qos_sentence.h"

#include <cctype>
#include <cstdio>

namespace tactus::media {
namespace {

bool isThinned(const Thinning& thinning) noexcept {
  return thinning.frequency < 1 || thinning.lastRung || thinning.size < 1;
}

QosCause causeOf(const WindowFare& fare) noexcept {
  const bool thinned = isThinned(fare.thinning);
  if (fare.waitsForSource) return QosCause::Source;
  if (!fare.limitedBy.empty()) return QosCause::Handler;
  if (!fare.machineIsFull && (!thinned || fare.stretched)) return QosCause::Display;
  if (!thinned && fare.displayIsLate) return QosCause::Display;
  return fare.othersFillIt ? QosCause::OtherPrograms : QosCause::Streams;
}

/// "High", as the menus have it.
std::string labelOf(Priority priority) {
  std::string label(nameOf(priority));
  label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return label;
}

std::string reasonOf(QosCause cause, const WindowFare& fare, const std::optional<WindowRival>& rival) {
  switch (cause) {
    case QosCause::Handler:
      return "'" + std::string(fare.limitedBy) + "' asked for it";
    case QosCause::Source:
      return "its source delivers too slowly";
    case QosCause::Display:
      return "the display takes its pictures too late";
    case QosCause::OtherPrograms:
      return "other programs use the processors";
    case QosCause::Streams:
    case QosCause::Network:
    case QosCause::Sender:
    case QosCause::Processor:  // causeOf() names none of these three
    case QosCause::None:
      break;
  }
  if (!rival) return "the processors are not fast enough for it";
  return "the processors are busy with '" + std::string(rival->name) + "' at " + labelOf(rival->priority);
}

std::string whatItShows(const WindowFare& fare) {
  if (fare.thinning.lastRung) return "shows " + std::string(nameOf(fare.lastRung));
  if (!isThinned(fare.thinning)) return "shows pictures late";
  char text[96];
  if (fare.thinning.frequency >= 1) {
    std::snprintf(text, sizeof text, "shows its pictures at %.0f %% of their size", fare.thinning.size * 100);
    return text;
  }
  const double rate = fare.nominalRate * fare.thinning.frequency;
  if (fare.nominalRate > 0) {
    std::snprintf(text, sizeof text, "shows %.*f of %.3g pictures a second", rate < 5 ? 1 : 0, rate,
                  fare.nominalRate);
  } else {
    std::snprintf(text, sizeof text, "shows %.0f %% of its pictures", fare.thinning.frequency * 100);
  }
  return text;
}

}  // namespace

std::string_view nameOf(LastRung rung) noexcept {
  switch (rung) {
    case LastRung::Keyframes:
      return "keyframes only";
    case LastRung::SmallerLayer:
      return "a smaller picture";
    case LastRung::SoundAlone:
      return "no picture";
  }
  return "keyframes only";
}

QosExplanation explain(const WindowFare& fare, const std::optional<WindowRival>& rival) {
  const QosCause cause = causeOf(fare);
  return {cause, "'" + std::string(fare.name) + "' " + whatItShows(fare) + ": " +
                     reasonOf(cause, fare, rival) + "."};
}

}  // namespace tactus::media
