// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/qos_sentence.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "core/net/link/bit_rate.h"
#include "core/periodic/trace/format.h"

namespace tactus::media {
namespace {

bool isThinned(const Thinning& thinning) noexcept {
  return thinning.frequency < 1 || thinning.lastRung || thinning.size < 1 || thinning.smaller;
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
  if (fare.thinning.frequency >= 1 && fare.thinning.smaller) return "shows a smaller picture";
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

using Place = SourceLimit::Place;
using Shown = SourceLimit::Shown;

/// Share of lost packets from which on the loss is named.
constexpr double kMuchLost = 0.05;

/// With two digits: it is an estimate, and a sentence that changes all the time cannot be read.
std::string rateInWords(double bits) {
  bits = std::clamp(bits, 0.0, static_cast<double>(net::BitRate::kLargest));
  const double step = std::pow(10, std::floor(std::log10(std::max(bits, 10.0))) - 1);
  return net::BitRate::perSecond(std::llround(std::round(bits / step) * step)).inWords();
}

std::string_view nameOf(Shown shown) noexcept {
  switch (shown) {
    case Shown::Whole:
      return "every picture";
    case Shown::SmallerPicture:
      return "a smaller picture";
    case Shown::FewerPictures:
      return "fewer pictures";
    case Shown::NoPicture:
      return "no picture";
  }
  return "every picture";
}

std::string lineReason(const std::string& network, const SourceLimit& limit) {
  if (limit.carried) return network + " carries " + rateInWords(*limit.carried);
  if (limit.lost >= kMuchLost)
    return network + periodic::format(" loses %.0f %% of the packets", limit.lost * 100);
  return network + " carries too little";
}

std::string programReason(const std::string& program, Shown shown) {
  if (shown == Shown::NoPicture) return program + " sends none";
  return program + (shown == Shown::SmallerPicture ? " sends no larger one" : " sends no more");
}

/// `sender` is "their", or "your" in what is written to the sender.
std::string reasonOf(const SourceLimit& limit, const std::string& sender) {
  switch (limit.place) {
    case Place::OwnLine:
      return lineReason("your network", limit);
    case Place::TheirLine:
      return lineReason(sender + " network", limit);
    case Place::TheirComputer:
      return sender + " computer is busy";
    case Place::TheirProgram:
      return programReason(sender + " program", limit.shown);
    case Place::None:
      break;
  }
  return {};
}

}  // namespace

std::string_view nameOf(LastRung rung) noexcept {
  switch (rung) {
    case LastRung::Keyframes:
      return "keyframes only";
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

QosExplanation explain(std::string_view name, const SourceLimit& limit) {
  if (limit.place == Place::None) return {};
  const bool ofLine = limit.place == Place::OwnLine || limit.place == Place::TheirLine;
  return {ofLine ? QosCause::Network : QosCause::Sender, "'" + std::string(name) + "' shows " +
                                                             std::string(nameOf(limit.shown)) + ": " +
                                                             reasonOf(limit, "their") + "."};
}

bool isTheirs(const SourceLimit& limit) noexcept {
  return limit.place != Place::None && limit.place != Place::OwnLine;
}

std::string sentenceToSender(const SourceLimit& limit) {
  if (!isTheirs(limit)) return {};
  return "I see " + std::string(nameOf(limit.shown)) + " of you: " + reasonOf(limit, "your") + ".";
}

}  // namespace tactus::media
