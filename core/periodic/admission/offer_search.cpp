// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/offer_search.h"

#include <optional>

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

constexpr int kSteps = 20;

/// The largest scaled contract that fits. What fits at some share fits at any lower one, near enough for an
/// offer.
template <typename Scale>
std::optional<ReservationContract> largest(const WouldFit& fits, const Scale& scaled) {
  int known = 0;
  int fails = kSteps;
  while (fails - known > 1) {
    const int middle = (known + fails) / 2;
    (fits(scaled(static_cast<double>(middle) / kSteps)) ? known : fails) = middle;
  }
  if (known == 0) return std::nullopt;
  return scaled(static_cast<double>(known) / kSteps);
}

}  // namespace

std::vector<Offer> offersFor(const ReservationContract& contract, const WouldFit& fits) {
  std::vector<Offer> offers;
  if (contract.service == ServiceClass::Guaranteed && contract.typical > Duration::zero() &&
      contract.typical < contract.worst) {
    ReservationContract statistical = contract;
    statistical.service = ServiceClass::Statistical;
    if (fits(statistical))
      offers.push_back({Offer::Kind::Statistical, statistical, "as statistical instead of guaranteed"});
  }
  const auto fewer = largest(fits, [&](double factor) {
    ReservationContract lower = contract;
    lower.frequency *= factor;
    return lower;
  });
  if (fewer) {
    const double rate = fewer->rate.perSecond();
    offers.push_back(
        {Offer::Kind::LowerFrequency, *fewer,
         format("at %.3g of its %.3g packets a second", rate * fewer->frequency, rate * contract.frequency)});
  }
  const auto slower = largest(fits, [&](double factor) {
    ReservationContract lower = contract;
    lower.rate = contract.rate.scaled(factor);
    return lower;
  });
  if (slower) {
    offers.push_back({Offer::Kind::LowerRate, *slower,
                      format("with a source of %.3g packets a second", slower->rate.perSecond())});
  }
  return offers;
}

}  // namespace tactus::periodic
