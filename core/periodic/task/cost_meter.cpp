// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/cost_meter.h"

#include <algorithm>
#include <cstdlib>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kFewestPackets = 4;  // of several threads: single ones say little
constexpr std::uint64_t kMostPackets = 64;   // of one value, so that it does not fill the window
constexpr std::int64_t kMostPeriods = 1000;  // it was not looked at for long: begin anew
constexpr double kDrift = 0.15;
constexpr Duration kLeastDrift = 50us;

}  // namespace

CostMeter::Measured CostMeter::ofPackets(std::uint64_t packets, Duration cpu) noexcept {
  const std::uint64_t done = packets - std::min(packets, m_packets);
  if (done < kFewestPackets) return {};
  const Measured measured{(cpu - m_cpu) / static_cast<std::int64_t>(done), std::min(done, kMostPackets)};
  restart(packets, cpu);
  return measured;
}

CostMeter::Measured CostMeter::ofPeriods(TimePoint now, Duration period, Duration cpu) noexcept {
  const std::int64_t periods = (now - m_at) / period;
  const bool anew = m_at == TimePoint{} || periods > kMostPeriods;
  if (!anew && periods < 1) return {};
  const Measured measured =
      anew ? Measured{} : Measured{(cpu - m_cpu) / periods, static_cast<std::uint64_t>(periods)};
  m_at = now;
  m_cpu = cpu;
  return measured;
}

void CostMeter::restart(std::uint64_t packets, Duration cpu) noexcept {
  m_packets = packets;
  m_cpu = cpu;
}

bool drifted(Duration reserved, Duration measured) noexcept {
  const auto difference = static_cast<double>(std::abs((measured - reserved).count()));
  return difference > kDrift * static_cast<double>(reserved.count()) &&
         difference > static_cast<double>(kLeastDrift.count());
}

}  // namespace tactus::periodic
