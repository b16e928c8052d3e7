// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/periodic/time/believed_rate.h"
#include "core/periodic/time/rate.h"
#include "core/periodic/workload/lbap.h"
#include "plugins/av/demuxer.h"

namespace tactus::plugins::av {

/// How many packets a second a film has, of all its streams, and the LBAP of the thread that reads it: W is
/// what its store holds ahead, R a tenth more than the film has at the speed that it is played at. Owns no
/// clock. Thread-safe: no. Real-time-safe: yes.
class ReadPace {
 public:
  /// `ahead`: how much of the film is read before it is needed.
  explicit ReadPace(periodic::Duration ahead) noexcept : m_ahead(ahead) {}

  /// What the headers say: the sum over pictures and sound; absent where one of them says nothing.
  [[nodiscard]] static std::optional<periodic::Rate> declaredBy(const std::vector<FilmStream>& streams);

  /// A film of this rate, as declared.
  void begin(std::optional<periodic::Rate> declared) noexcept;
  /// What is read next does not follow what was read before.
  void flush() noexcept { m_from.reset(); }
  void setSpeed(double speed) noexcept { m_speed = speed; }
  /// Notes a packet of pictures or sound at this instant of the film; absent: another packet.
  void note(std::optional<periodic::Duration> instant) noexcept;

  [[nodiscard]] periodic::LbapContract lbap() const noexcept;
  /// As measured over the last two seconds of the film, where that differs by more than a tenth from what is
  /// declared.
  [[nodiscard]] const std::optional<periodic::Rate>& rate() const noexcept { return m_rate.rate(); }

 private:
  const periodic::Duration m_ahead;
  double m_speed = 1;
  periodic::BelievedRate m_rate;
  std::optional<periodic::Duration> m_from;  // since then packets are counted
  periodic::Duration m_reached{0};
  std::int64_t m_packets = 0;
};

}  // namespace tactus::plugins::av
