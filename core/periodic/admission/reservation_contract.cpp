// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/reservation_contract.h"

#include <algorithm>
#include <cmath>

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr double kRounding = 1e-9;
constexpr Duration kLongest = 1h;

Duration times(Duration duration, double factor) noexcept {
  return Duration(std::llround(static_cast<double>(duration.count()) * factor));
}

Error invalid(const ReservationContract& contract, const std::string& what) {
  return {ErrorCode::InvalidArgument, (contract.name.empty() ? "This task" : contract.name) + " " + what};
}

}  // namespace

Result<void> validate(const ReservationContract& contract) {
  if (!(contract.frequency > 0 && contract.frequency <= 1))  // so that NaN fails, too
    return invalid(contract, "asks for a frequency that is not above 0 and at most 1.");
  if (contract.workahead < 1 || contract.workahead > 1'000'000)
    return invalid(contract, "asks for a workahead that is not within 1 and 1000000 packets.");
  if (contract.threads < 1 || contract.threads > 1024)
    return invalid(contract, "asks for a number of threads that is not within 1 and 1024.");
  if (contract.deadline < Duration::zero() || contract.deadline > kLongest)
    return invalid(contract, "asks for a deadline that is negative or beyond an hour.");
  if (std::any_of(contract.cpus.begin(), contract.cpus.end(), [](int cpu) { return cpu < 0; }))
    return invalid(contract, "names a processor below 0.");
  if (contract.service == ServiceClass::BestEffort) return {};
  if (contract.worst <= Duration::zero() || contract.worst > kLongest)
    return invalid(contract, "declares a processing time that is not above zero and at most an hour.");
  if (contract.typical < Duration::zero() || contract.typical > contract.worst)
    return invalid(contract, "declares a typical processing time that is negative or above its worst case.");
  for (const Demand& demand : demandsOf(contract)) {
    if (demand.processing > demand.deadline)
      return invalid(contract, format("cannot need %.3g ms of processing within %.3g ms.",
                                      inMilliseconds(demand.processing), inMilliseconds(demand.deadline)));
  }
  return {};
}

std::vector<Demand> demandsOf(const ReservationContract& contract) {
  if (contract.service == ServiceClass::BestEffort) return {};
  const Duration period = contract.rate.period();
  const bool quantile = contract.service == ServiceClass::Statistical && contract.typical > Duration::zero();
  const double skip = 1 / contract.frequency;
  Demand demand;
  demand.period = times(period * contract.threads, skip);
  demand.processing = quantile ? contract.typical : contract.worst;
  // The k-th processed packet is floor(k/f) periods or up to one more after the first: jitter, unless even.
  demand.jitter = std::abs(skip - std::round(skip)) < kRounding ? Duration{0} : period;
  const Duration deadline = contract.deadline > Duration::zero() ? contract.deadline : period;
  demand.deadline = deadline + period * (contract.threads - 1) + demand.jitter;
  demand.burst = (contract.workahead + static_cast<std::uint32_t>(contract.threads) - 1) /
                 static_cast<std::uint32_t>(contract.threads);
  if (demand.jitter > Duration::zero() && demand.burst == 1) demand.separation = period * contract.threads;
  return std::vector<Demand>(static_cast<std::size_t>(contract.threads), demand);
}

bool asksForLess(const ReservationContract& now, const ReservationContract& before, const Demand& granted,
                 std::size_t threads) {
  const auto demands = demandsOf(now);
  if (before.service != now.service || before.cpus != now.cpus || before.preferred != now.preferred ||
      before.worksAhead != now.worksAhead || demands.size() != threads || demands.empty())
    return false;
  const Demand& next = demands.front();
  if (next.processing > granted.processing || next.burst > granted.burst) return false;
  const bool fewer = before.frequency == 1 && before.rate.period() == now.rate.period() &&
                     now.deadline == before.deadline && now.threads == before.threads;
  return fewer || (next.separation >= granted.separation && next.period >= granted.period &&
                   next.deadline >= granted.deadline && next.jitter <= granted.jitter);
}

}  // namespace tactus::periodic
