// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Linear bounded arrivals in bytes: in any interval of duration t at most `burst + t * rate` bytes, and one
/// packet (HeiTS, "QoS and Workload Model"; Cruz 1991, (sigma, rho)).
struct ByteContract {
  BitRate rate;           ///< above 0
  std::size_t burst = 0;  ///< W, in bytes

  friend bool operator==(const ByteContract&, const ByteContract&) noexcept = default;
};

/// The regulator of one stream of packets of any size: l(0) = a(0); l(i+1) = max(a(i+1), l(i) + s(i)/R), and
/// packet i is released at l(i) - W/R. Owns no clock. Thread-safe: no. Real-time-safe: yes.
class ByteRegulator {
 public:
  explicit ByteRegulator(const ByteContract& contract) noexcept : m_contract(contract) {}

  /// The earliest instant at which a packet that arrived then keeps the contract.
  [[nodiscard]] periodic::TimePoint release(periodic::TimePoint arrival) const TACTUS_REALTIME {
    return logical(arrival) - m_contract.rate.timeOf(m_contract.burst);
  }
  /// Accounts for a packet that passes.
  void pass(periodic::TimePoint arrival, std::size_t bytes) TACTUS_REALTIME {
    m_next = logical(arrival) + m_contract.rate.timeOf(bytes);
  }
  /// The past keeps its logical arrival time; what comes goes by the new contract.
  void change(const ByteContract& contract) TACTUS_REALTIME { m_contract = contract; }
  [[nodiscard]] const ByteContract& contract() const noexcept { return m_contract; }

 private:
  [[nodiscard]] periodic::TimePoint logical(periodic::TimePoint arrival) const TACTUS_REALTIME {
    return m_next && *m_next > arrival ? *m_next : arrival;
  }
  ByteContract m_contract;
  std::optional<periodic::TimePoint> m_next;  // l(i) + s(i)/R of the last packet
};

}  // namespace tactus::net
