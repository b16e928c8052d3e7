// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// A number of bytes.
enum class ByteCount : std::uint64_t {};

/// Linear Bounded Arrival Process (HeiTS, "QoS and Workload Model"; Cruz 1991): in any interval of duration t
/// at most `workahead + t * rate` packets of at most `maxPacketSize` bytes each.
struct LbapContract {
  Rate rate;
  /// W >= 1: packets that may pass without waiting. 1 is the paper's standard mode: strictly one per period.
  std::uint32_t workahead = 1;
  /// S. Larger packets pass but are counted as violations.
  ByteCount maxPacketSize{UINT64_MAX};

  friend bool operator==(const LbapContract&, const LbapContract&) noexcept = default;
};

enum class Conformance {
  Critical,   ///< the logical arrival time has passed
  Workahead,  ///< ahead of its logical arrival time, within W: may be processed early
  Violation,  ///< would break W + tR (or S): a blocking caller has to wait
};

struct Verdict {
  TimePoint logicalArrival;  ///< l(i)
  TimePoint release;         ///< earliest instant at which passing the packet keeps W + tR
  Conformance conformance;
};

/// The regulator of one stream: l(0) = a(0); l(i+1) = max(a(i+1), l(i) + 1/R).
/// Owns no clock. Thread-safe: no (one thread, the stream's). Real-time-safe: yes, all but the constructor.
class LbapRegulator {
 public:
  explicit LbapRegulator(LbapContract contract) noexcept : m_contract(contract) {}

  /// What arrive() would answer for a packet arriving at `now`; changes nothing (the paper's LBAP_poll).
  /// `spacing` replaces 1/R for this packet (variable-rate streams know their own); non-positive = use 1/R.
  [[nodiscard]] Verdict poll(TimePoint now, std::optional<Duration> spacing = {},
                             ByteCount size = ByteCount{0}) const TACTUS_REALTIME;
  /// Accounts for a packet arriving at `now` (the bookkeeping of the paper's LBAP_enforce).
  Verdict arrive(TimePoint now, std::optional<Duration> spacing = {},
                 ByteCount size = ByteCount{0}) TACTUS_REALTIME;
  /// The next packet is the first of a new stream: l = a. After pause, seek, flush.
  void reanchor() TACTUS_REALTIME { m_last.reset(); }
  /// Takes effect with the next packet.
  void change(LbapContract contract) TACTUS_REALTIME { m_contract = contract; }
  [[nodiscard]] const LbapContract& contract() const noexcept { return m_contract; }

 private:
  LbapContract m_contract;
  std::optional<TimePoint> m_last;  // l(i) of the last packet
};

}  // namespace tactus::periodic
