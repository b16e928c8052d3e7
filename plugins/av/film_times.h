// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::plugins::av {

/// Places a container's packets in the film's time. Where stamps begin anew in the middle (recordings joined
/// end to end, chained Ogg), what follows is a further part, which begins where the one before ends.
/// Thread-safe: no.
class FilmTimes {
 public:
  /// `begin`: the film's, in the container's time. `mayJump`: as stamps of the container's format may.
  FilmTimes(periodic::Duration begin, bool mayJump) : m_parts{-begin}, m_mayJump(mayJump) {}

  /// What is added to the stamps of a packet, which is decoded at `at` in the container's time. Once a
  /// packet, in the order of reading.
  [[nodiscard]] periodic::Duration offset(int stream, std::optional<periodic::Duration> at,
                                          periodic::Duration length);
  [[nodiscard]] bool mayJump() const noexcept { return m_mayJump; }
  /// The part to which the packet placed last belongs.
  [[nodiscard]] std::size_t part() const noexcept { return m_part; }
  [[nodiscard]] std::size_t parts() const noexcept { return m_parts.size(); }
  /// After a seek: what comes next is of this part.
  void resume(std::size_t part);

 private:
  struct Stream {
    std::size_t part = 0;
    std::optional<periodic::Duration> end;  ///< of its last packet
  };
  [[nodiscard]] std::size_t partOf(const Stream& stream, periodic::Duration at) const;

  std::vector<periodic::Duration> m_parts;  ///< what is added to their stamps
  bool m_mayJump;
  std::map<int, Stream> m_streams;
  std::optional<periodic::Duration> m_end;  ///< of all packets
  std::size_t m_part = 0, m_resumed = 0;
};

}  // namespace tactus::plugins::av
