// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_times.h"

#include <algorithm>
#include <chrono>

namespace tactus::plugins::av {
namespace {

using periodic::Duration;
using namespace std::chrono_literals;

constexpr Duration kBackwards = 500ms;  // what a stream's stamps may run backwards in one part
constexpr Duration kForwards = 10s;     // and what nothing was sent for, or streams lie apart

}  // namespace

/// Its own, the newest, or a new one.
std::size_t FilmTimes::partOf(const Stream& stream, Duration at) const {
  if (!m_end) return stream.part;
  const auto distance = [&](std::size_t part) { return std::chrono::abs(at + m_parts[part] - *m_end); };
  const auto follows = [&](std::size_t part) {
    return distance(part) <= kForwards &&
           at + m_parts[part] >= stream.end.value_or(*m_end - kForwards) - kBackwards;
  };
  const std::size_t newest = m_parts.size() - 1;
  const bool old = follows(stream.part);
  if (follows(newest) && (!old || distance(newest) < distance(stream.part))) return newest;
  return old ? stream.part : m_parts.size();
}

Duration FilmTimes::offset(int stream, std::optional<Duration> at, Duration length) {
  Stream& its = m_streams.try_emplace(stream, Stream{m_resumed, {}}).first->second;
  if (m_mayJump && at) {
    its.part = partOf(its, *at);
    if (its.part == m_parts.size()) m_parts.push_back(*m_end - *at);
    its.end = *at + m_parts[its.part] + length;
    m_end = std::max(m_end.value_or(*its.end), *its.end);
  }
  m_part = its.part;
  return m_parts[its.part];
}

void FilmTimes::resume(std::size_t part) {
  m_streams.clear();
  m_end.reset();
  m_part = m_resumed = std::min(part, m_parts.size() - 1);
}

}  // namespace tactus::plugins::av
