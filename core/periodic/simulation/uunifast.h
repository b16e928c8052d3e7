// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/periodic/admission/admission.h"

namespace tactus::periodic {

/// Random task sets for properties and experiments: utilisations by UUniFast (Bini, Buttazzo 2005), unbiased
/// over all sets of `n` tasks with this sum; periods log-uniform within [shortest, longest]; deadlines =
/// periods.
inline std::vector<Demand> uunifast(std::mt19937_64& random, int n, double sum,
                                    Duration shortest = std::chrono::milliseconds(5),
                                    Duration longest = std::chrono::milliseconds(100)) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Demand> demands;
  const double span = std::log(static_cast<double>(longest.count()) / static_cast<double>(shortest.count()));
  for (int i = n; i > 0; --i) {
    const double rest = i > 1 ? sum * std::pow(uniform(random), 1.0 / (i - 1)) : 0;
    const double period = static_cast<double>(shortest.count()) * std::exp(span * uniform(random));
    Demand demand;
    // Whole microseconds keep hyperperiods of the simulator's runs in reach and cost no generality.
    demand.period = std::chrono::microseconds(std::llround(period * 1e-3));
    demand.processing = std::max(
        Duration{1000}, Duration(std::llround((sum - rest) * static_cast<double>(demand.period.count()))));
    demands.push_back(demand);
    sum = rest;
  }
  return demands;
}

}  // namespace tactus::periodic
