// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/contract_match.h"

#include <algorithm>
#include <string_view>

#include "core/periodic/trace/format.h"

namespace tactus::net {
namespace {

using periodic::format;

std::string differ(std::string_view what, std::string_view one, std::string_view unit,
                   std::string_view other) {
  std::string sentence = "This port's ";
  sentence.append(what).append(" is ").append(one).append(unit);
  return sentence.append(", the other's is ").append(other).append(".");
}

/// `unit`: in the singular.
std::string differ(std::string_view what, std::uint64_t one, std::string_view unit, std::uint64_t other) {
  std::string units = " ";
  units.append(unit).append(one == 1 ? "" : "s");
  return differ(what, std::to_string(one), units, std::to_string(other));
}

/// Exact: 15 digits are the nanoseconds of a day.
std::string differ(std::string_view what, periodic::Duration one, periodic::Duration other) {
  return differ(what, format("%.15g", periodic::inMilliseconds(one)), " ms",
                format("%.15g", periodic::inMilliseconds(other)));
}

std::string differ(std::string_view what, bool one) {
  std::string sentence = "This port's stream is ";
  sentence.append(one ? "" : "not ").append(what);
  return sentence.append(one ? ", the other's is not." : ", the other's is.");
}

/// Exact: "50" or "30000/1001".
std::string textOf(const periodic::Rate& rate) {
  const std::string packets = std::to_string(rate.packets());
  return rate.seconds() == 1 ? packets : packets + "/" + std::to_string(rate.seconds());
}

std::string differ(const std::optional<periodic::Rate>& one, const std::optional<periodic::Rate>& other) {
  if (!one) return "This port has no rate, the other's is " + textOf(*other) + " buffers/s.";
  if (!other) return "This port's rate is " + textOf(*one) + " buffers/s, the other has none.";
  return differ("rate", textOf(*one), " buffers/s", textOf(*other));
}

/// As fractions: a rate need not be in lowest terms.
bool same(const std::optional<periodic::Rate>& one, const std::optional<periodic::Rate>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return one->packets() * other->seconds() == other->packets() * one->seconds();
}

bool isFaster(const periodic::Rate& one, const periodic::Rate& other) {
  return one.packets() * other.seconds() > other.packets() * one.seconds();
}

std::string exceeds(std::string_view what, std::uint64_t one, std::uint64_t most, std::string_view unit) {
  std::string sentence = "This port takes a ";
  sentence.append(what).append(" of at most ").append(std::to_string(most)).append(unit);
  return sentence.append(", the other's is ").append(std::to_string(one)).append(".");
}

}  // namespace

std::string mismatchOf(const StreamContract& ours, const StreamContract& theirs) {
  if (ours.transport != theirs.transport)
    return differ("transport", nameOf(ours.transport), "", nameOf(theirs.transport));
  if (ours.largestBuffer != theirs.largestBuffer)
    return differ("largest buffer", ours.largestBuffer, "byte", theirs.largestBuffer);
  if (!same(ours.rate, theirs.rate)) return differ(ours.rate, theirs.rate);
  if (ours.workahead != theirs.workahead)
    return differ("workahead", ours.workahead, "buffer", theirs.workahead);
  if (ours.isochronous != theirs.isochronous) return differ("isochronous", ours.isochronous);
  if (ours.reliable != theirs.reliable) return differ("reliable", ours.reliable);
  if (jitterOf(ours) != jitterOf(theirs)) return differ("jitter", jitterOf(ours), jitterOf(theirs));
  if (latencyOf(ours) != latencyOf(theirs)) return differ("latency", latencyOf(ours), latencyOf(theirs));
  if (ours.toleratedLoss != theirs.toleratedLoss)
    return differ("tolerated loss", std::to_string(ours.toleratedLoss),
                  format(" of %u buffers", StreamContract::kLossUnit), std::to_string(theirs.toleratedLoss));
  return {};
}

std::string excessOf(const StreamContract& most, const StreamContract& theirs) {
  if (most.transport != theirs.transport)
    return differ("transport", nameOf(most.transport), "", nameOf(theirs.transport));
  if (theirs.largestBuffer > most.largestBuffer)
    return exceeds("largest buffer", theirs.largestBuffer, most.largestBuffer, " bytes");
  if (most.rate && !theirs.rate)
    return "This port takes a rate of at most " + textOf(*most.rate) + " buffers/s, the other has none.";
  if (most.rate && isFaster(*theirs.rate, *most.rate))
    return "This port takes a rate of at most " + textOf(*most.rate) + " buffers/s, the other's is " +
           textOf(*theirs.rate) + ".";
  if (theirs.workahead > most.workahead)
    return exceeds("workahead", theirs.workahead, most.workahead,
                   most.workahead == 1 ? " buffer" : " buffers");
  return {};
}

StreamContract takenOver(const StreamContract& theirs, const StreamContract& own) {
  StreamContract taken = theirs;
  taken.processing = std::min(own.processing, periodOf(theirs));
  return taken;
}

}  // namespace tactus::net
