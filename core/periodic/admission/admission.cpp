// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/admission.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace tactus::periodic {
namespace {

constexpr double kFlatLimit = 0.88;
// Utilisations are sums of quotients; a set at a bound must not fail by rounding.
constexpr double kRounding = 1e-9;

/// A demand with its costs, in plain nanoseconds, and 1/T for quick division.
struct Load {
  std::int64_t period, processing, deadline, jitter, burst, separation;
  int level;
  double inverse;
};

std::int64_t deadlineOf(const Demand& demand) noexcept {
  return demand.deadline > Duration::zero() ? demand.deadline.count() : demand.period.count();
}

Load loadOf(const Demand& demand, const DispatchCosts& costs) noexcept {
  const std::int64_t cost = costs.release.count() + 2 * costs.contextSwitch.count();
  return {demand.period.count(),
          demand.processing.count() + cost,
          deadlineOf(demand),
          demand.jitter.count(),
          std::max<std::int64_t>(1, demand.burst),
          demand.burst <= 1 ? demand.separation.count() : 0,
          demand.level,
          1.0 / static_cast<double>(demand.period.count())};
}

/// ceil(time / load.period) for time >= 0: the product is off by one at most, which the products set right.
std::int64_t periodsIn(std::int64_t time, const Load& load) noexcept {
  auto quotient = static_cast<std::int64_t>(static_cast<double>(time) * load.inverse);
  while (quotient * load.period < time) ++quotient;
  while (quotient > 0 && (quotient - 1) * load.period >= time) --quotient;
  return quotient;
}

/// Packets released in any half-open window of this length: the LBAP as an arrival curve.
std::int64_t arrivals(std::int64_t window, const Load& load) noexcept {
  const std::int64_t most = load.burst - 1 + periodsIn(window + load.jitter, load);
  if (load.separation <= 0) return most;
  return std::min(most, (window + load.separation - 1) / load.separation);
}

double density(const Load& load) noexcept {
  return static_cast<double>(load.processing) / static_cast<double>(std::min(load.deadline, load.period));
}

std::vector<Load> loadsOf(std::span<const Demand> demands, const DispatchCosts& costs) {
  std::vector<Load> loads;
  loads.reserve(demands.size());
  for (const auto& demand : demands) loads.push_back(loadOf(demand, costs));
  return loads;
}

/// The longest any packet of `own` takes. Packet q of a busy period that begins with everybody's release at
/// once ends at w(q) = B + (q + 1) C + what is as urgent or more; its logical arrival is q T.
std::optional<std::int64_t> responseOf(std::span<const Load> loads, std::size_t own,
                                       const DispatchCosts& costs) {
  const Load& task = loads[own];
  double rate = 0;  // of everything that runs before the task's next packet
  for (const auto& other : loads)
    rate += other.level >= task.level ? static_cast<double>(other.processing) * other.inverse
                                      : static_cast<double>(costs.release.count()) * other.inverse;
  if (rate > 1 + kRounding) return std::nullopt;
  const std::int64_t blocking = costs.blocking.count();
  std::int64_t longest = 0;
  std::int64_t end = blocking;
  for (int packet = 0; packet < kLongestBusyPeriod; ++packet) {
    end += task.processing;
    for (;;) {
      std::int64_t next = blocking + (packet + 1) * task.processing;
      for (std::size_t i = 0; i < loads.size(); ++i) {
        if (i == own) continue;
        const Load& other = loads[i];
        if (other.level >= task.level) {
          next += arrivals(end, other) * other.processing;
        } else if (costs.release.count() > 0) {
          next += arrivals(end, other) * costs.release.count();
        }
      }
      if (next <= end) break;
      end = next;
      if (end > packet * task.period + task.deadline && end > 64 * task.deadline + task.period)
        return std::nullopt;
    }
    longest = std::max(longest, end - packet * task.period + task.jitter);
    const std::int64_t nextArrival =
        std::max(std::max<std::int64_t>(0, packet + 1 - (task.burst - 1)) * task.period - task.jitter,
                 (packet + 1) * task.separation);
    if (end <= nextArrival) return longest;
  }
  return std::nullopt;
}

TestResult exact(std::span<const Load> loads, const DispatchCosts& costs) {
  TestResult result{true, 0, 1, 0};
  double tightest = -1;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto response = responseOf(loads, i, costs);
    const double ratio = response ? static_cast<double>(*response) / static_cast<double>(loads[i].deadline)
                                  : std::numeric_limits<double>::infinity();
    if (ratio <= tightest) continue;
    tightest = ratio;
    result.worst = i;
    result.load = response ? inSeconds(Duration(*response)) : std::numeric_limits<double>::infinity();
    result.limit = inSeconds(Duration(loads[i].deadline));
    result.fits = response && *response <= loads[i].deadline;
    if (!response) break;
  }
  return result;
}

/// Time that packets with deadlines within `window` of a synchronous release ask for. A burst adds nothing:
/// its packets are released at once, their deadlines follow their logical arrival times.
std::int64_t demandIn(std::int64_t window, std::span<const Load> loads) noexcept {
  std::int64_t sum = 0;
  for (const auto& load : loads) {
    const std::int64_t first = load.deadline - load.jitter;
    if (window >= first) sum += ((window - first) / load.period + 1) * load.processing;
  }
  return sum;
}

std::int64_t lastDeadlineBefore(std::int64_t window, std::span<const Load> loads) noexcept {
  std::int64_t last = 0;
  for (const auto& load : loads) {
    const std::int64_t first = load.deadline - load.jitter;
    if (first >= window) continue;
    last = std::max(last, (window - first - 1) / load.period * load.period + first);
  }
  return last;
}

/// QPA: the demand criterion walked backwards from the longest window that can fail.
TestResult edfDemand(std::span<const Load> loads, const DispatchCosts& costs) {
  double load = 0;
  double slack = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t longest = 0;
  for (const auto& each : loads) {
    const double u = static_cast<double>(each.processing) * each.inverse;
    load += u;
    slack += u * static_cast<double>(std::max<std::int64_t>(0, each.period - each.deadline + each.jitter));
    shortest = std::min(shortest, each.deadline - each.jitter);
    longest = std::max(longest, each.deadline);
  }
  if (loads.empty()) return {true, 0, 1, 0};
  if (shortest <= 0) return {false, load, 1, 0};
  slack += static_cast<double>(costs.blocking.count());
  if (load > 1 - kRounding) {
    // No finite window bounds the criterion; with deadlines no shorter than periods and no bursts U decides.
    const bool implicit =
        costs.blocking == Duration::zero() && std::all_of(loads.begin(), loads.end(), [](const Load& each) {
          return each.deadline >= each.period && each.jitter == 0;
        });
    return {implicit && load <= 1 + kRounding, load, 1, 0};
  }
  std::int64_t window = std::max<std::int64_t>(longest, static_cast<std::int64_t>(slack / (1 - load))) + 1;
  window = lastDeadlineBefore(window, loads);
  for (int step = 0; step < 1'000'000; ++step) {
    const std::int64_t asked = demandIn(window, loads) + costs.blocking.count();
    if (asked > window) return {false, inSeconds(Duration(asked)), inSeconds(Duration(window)), 0};
    if (asked <= shortest) return {true, load, 1, 0};
    window = asked < window ? asked : lastDeadlineBefore(window, loads);
    if (window < shortest) return {true, load, 1, 0};
  }
  return {false, load, 1, 0};
}

bool harmonic(std::span<const Load> loads) {
  std::vector<std::int64_t> periods;
  for (const auto& load : loads) periods.push_back(load.period);
  std::sort(periods.begin(), periods.end());
  for (std::size_t i = 1; i < periods.size(); ++i)
    if (periods[i] % periods[i - 1] != 0) return false;
  return true;
}

}  // namespace

std::string_view nameOf(AdmissionTest test) noexcept {
  switch (test) {
    case AdmissionTest::LiuLayland:
      return "Liu-Layland bound";
    case AdmissionTest::Harmonic:
      return "harmonic bound";
    case AdmissionTest::Hyperbolic:
      return "hyperbolic bound";
    case AdmissionTest::Flat:
      return "flat 0.88";
    case AdmissionTest::ExactResponse:
      return "exact response-time analysis";
    case AdmissionTest::EdfUtilisation:
      return "EDF utilisation";
    case AdmissionTest::EdfDemand:
      break;
  }
  return "EDF demand bound";
}

double utilisation(std::span<const Demand> demands) noexcept {
  double sum = 0;
  for (const auto& demand : demands)
    sum += static_cast<double>(demand.processing.count()) / static_cast<double>(demand.period.count());
  return sum;
}

TestResult test(AdmissionTest which, std::span<const Demand> demands, const DispatchCosts& costs) {
  const std::vector<Load> loads = loadsOf(demands, costs);
  double sum = 0;
  double product = 1;
  for (const auto& load : loads) {
    sum += density(load);
    product *= 1 + density(load);
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, loads.size()));
  const auto bounded = [&](double limit) { return TestResult{sum <= limit + kRounding, sum, limit, 0}; };
  switch (which) {
    case AdmissionTest::LiuLayland:
      return bounded(n * (std::pow(2.0, 1 / n) - 1));
    case AdmissionTest::Harmonic:
      return bounded(harmonic(loads) ? 1 : n * (std::pow(2.0, 1 / n) - 1));
    case AdmissionTest::Hyperbolic:
      return {product <= 2 + kRounding, product - 1, 1, 0};
    case AdmissionTest::Flat:
      return bounded(kFlatLimit);
    case AdmissionTest::ExactResponse:
      return exact(loads, costs);
    case AdmissionTest::EdfUtilisation:
      return bounded(1);
    case AdmissionTest::EdfDemand:
      break;
  }
  return edfDemand(loads, costs);
}

std::optional<Duration> worstResponse(std::span<const Demand> demands, std::size_t index,
                                      const DispatchCosts& costs) {
  const auto response = responseOf(loadsOf(demands, costs), index, costs);
  if (!response) return std::nullopt;
  return Duration(*response);
}

void assignRateMonotonicLevels(std::span<Demand> demands) {
  std::vector<std::size_t> order(demands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return demands[a].period < demands[b].period; });
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    demands[order[rank]].level = static_cast<int>(order.size() - rank);
}

}  // namespace tactus::periodic
