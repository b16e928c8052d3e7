// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/admission_refusal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

using Reason = Shortfall::Reason;

std::string wordsFor(const Shortfall& shortfall) {
  const std::string exact(nameOf(AdmissionTest::ExactResponse));
  switch (shortfall.reason) {
    case Reason::NoProcessor:
      return "none of the processors it names may be used";
    case Reason::Capacity:
      return format("processor %d, the freest, has %.0f %% left of the %.0f %% that may be reserved",
                    shortfall.cpu, std::max(0.0, shortfall.limit - shortfall.others) * 100,
                    shortfall.limit * 100);
    case Reason::TooFewLevels:
      return format("the kernel grants %.0f priority levels, too few to tell %zu tasks apart",
                    shortfall.limit, shortfall.tasks);
    case Reason::TestFailed:
      break;
  }
  if (std::isinf(shortfall.load))
    return format("processor %d would be overloaded (%s)", shortfall.cpu, exact.c_str());
  return format("on processor %d a packet could take %.1f ms where %.1f ms are allowed (%s)", shortfall.cpu,
                shortfall.load * 1e3, shortfall.limit * 1e3, exact.c_str());
}

}  // namespace

AdmissionRefusal AdmissionRefusal::of(Error error) {
  AdmissionRefusal refusal;
  refusal.code = error.code;
  refusal.sentence = std::move(error.message);
  return refusal;
}

AdmissionRefusal refusalOf(const ReservationContract& contract, const Shortfall& shortfall) {
  AdmissionRefusal refusal;
  if (shortfall.reason == Reason::TestFailed || shortfall.reason == Reason::TooFewLevels)
    refusal.test = AdmissionTest::ExactResponse;
  refusal.cpu = shortfall.cpu;
  refusal.load = shortfall.load;
  refusal.limit = shortfall.limit;
  refusal.sentence = format("%s needs %.0f %% of a processor at %.3g packets a second; %s.",
                            contract.name.empty() ? "This task" : contract.name.c_str(),
                            utilisation(demandsOf(contract)) * 100,
                            contract.rate.perSecond() * contract.frequency, wordsFor(shortfall).c_str());
  return refusal;
}

void addOffers(AdmissionRefusal& refusal, std::vector<Offer> offers) {
  refusal.offers = std::move(offers);
  const std::size_t count = refusal.offers.size();
  if (count == 0) return;
  refusal.sentence += " It would fit ";
  for (std::size_t i = 0; i < count; ++i)
    refusal.sentence += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + refusal.offers[i].sentence;
  refusal.sentence += ".";
}

}  // namespace tactus::periodic
