// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "core/net/stream/stream_contract.h"
#include "core/periodic/trace/format.h"

namespace tactus::net {
namespace {

std::string milliseconds(periodic::Duration value) {
  return periodic::format("%.6g ms", periodic::inMilliseconds(value));
}

std::string rateOf(const StreamContract& contract) {
  return contract.rate ? periodic::format("%.6g buffers/s", contract.rate->perSecond()) : "none";
}

std::string yesOrNo(bool value) {
  return value ? "yes" : "no";
}

}  // namespace

std::string mismatchOf(const StreamContract& ours, const StreamContract& theirs) {
  std::string sentence;
  const auto compare = [&](const char* what, bool same, std::string mine, std::string other) {
    if (!same && sentence.empty())
      sentence = periodic::format("The contracts differ: %s is %s here and %s there.", what, mine.c_str(),
                                  other.c_str());
  };
  compare("the transport", ours.transport == theirs.transport, std::string(nameOf(ours.transport)),
          std::string(nameOf(theirs.transport)));
  compare("the largest buffer", ours.largestBuffer == theirs.largestBuffer,
          std::to_string(ours.largestBuffer) + " bytes", std::to_string(theirs.largestBuffer) + " bytes");
  compare("the rate", ours.rate == theirs.rate, rateOf(ours), rateOf(theirs));
  compare("the workahead", ours.workahead == theirs.workahead, std::to_string(ours.workahead) + " buffers",
          std::to_string(theirs.workahead) + " buffers");
  compare("reliable", ours.reliable == theirs.reliable, yesOrNo(ours.reliable), yesOrNo(theirs.reliable));
  compare("isochronous", ours.isochronous == theirs.isochronous, yesOrNo(ours.isochronous),
          yesOrNo(theirs.isochronous));
  compare("the jitter", jitterOf(ours) == jitterOf(theirs), milliseconds(jitterOf(ours)),
          milliseconds(jitterOf(theirs)));
  compare("the latency", latencyOf(ours) == latencyOf(theirs), milliseconds(latencyOf(ours)),
          milliseconds(latencyOf(theirs)));
  compare("the tolerated loss", ours.toleratedLoss == theirs.toleratedLoss,
          std::to_string(ours.toleratedLoss) + " of 10,000",
          std::to_string(theirs.toleratedLoss) + " of 10,000");
  return sentence;
}

}  // namespace tactus::net
