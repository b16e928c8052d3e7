// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/outgoing_queue.h"

#include <algorithm>
#include <chrono>

namespace tactus::media {
namespace {

using periodic::Duration;

constexpr std::size_t kMarks = 4096;
constexpr Duration kLongestWait = std::chrono::milliseconds(500);  // of one wait; it is waited again

}  // namespace

OutgoingQueue::OutgoingQueue(std::size_t capacity, std::size_t unit)
    : m_unit(unit), m_ring(capacity), m_marks(kMarks) {}

std::size_t OutgoingQueue::room() const noexcept {
  const std::uint64_t marks =
      m_marksPut.load(std::memory_order_relaxed) - m_marksTaken.load(std::memory_order_acquire);
  if (marks == m_marks.size()) return 0;
  return m_ring.size() - static_cast<std::size_t>(m_put - m_taken.load(std::memory_order_acquire));
}

void OutgoingQueue::write(std::span<const std::byte> bytes, Duration at) noexcept {
  const auto begin = static_cast<std::size_t>(m_put % m_ring.size());
  const std::size_t first = std::min(bytes.size(), m_ring.size() - begin);
  std::copy_n(bytes.begin(), first, m_ring.begin() + static_cast<std::ptrdiff_t>(begin));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end(), m_ring.begin());
  m_put += bytes.size();
  const std::uint64_t mark = m_marksPut.load(std::memory_order_relaxed);  // ours
  m_marks[mark % m_marks.size()] = {m_put, at};
  m_marksPut.store(mark + 1, std::memory_order_release);
}

bool OutgoingQueue::put(std::span<const std::byte> bytes, Duration at) {
  while (!bytes.empty()) {
    m_emptied.clear();
    if (m_abandoned.load(std::memory_order_relaxed)) return false;
    const std::size_t count = std::min(bytes.size(), room());
    if (count == 0) {
      m_emptied.wait(kLongestWait);
    } else {
      write(bytes.first(count), at);
      bytes = bytes.subspan(count);
    }
  }
  return !m_abandoned.load(std::memory_order_relaxed);
}

void OutgoingQueue::end() noexcept {
  m_ended.store(true, std::memory_order_release);
}

void OutgoingQueue::abandon() noexcept {
  m_abandoned.store(true, std::memory_order_relaxed);
  m_emptied.signal();
}

std::uint64_t OutgoingQueue::allowed(std::uint64_t marks, std::uint64_t wanted,
                                     Duration until) const noexcept {
  std::uint64_t position = m_taken.load(std::memory_order_relaxed);
  for (std::uint64_t i = m_marksTaken.load(std::memory_order_relaxed); i < marks && position < wanted; ++i) {
    const Mark& mark = m_marks[i % m_marks.size()];
    if (mark.at > until) break;
    position = mark.end;
  }
  return std::min(position, wanted);
}

void OutgoingQueue::drop(std::uint64_t marks) noexcept {
  const std::uint64_t taken = m_taken.load(std::memory_order_relaxed);
  std::uint64_t first = m_marksTaken.load(std::memory_order_relaxed);
  while (first < marks && m_marks[first % m_marks.size()].end <= taken) ++first;
  m_marksTaken.store(first, std::memory_order_release);
}

std::optional<std::size_t> OutgoingQueue::take(std::span<std::byte> into, Duration until) noexcept {
  const bool ended = m_ended.load(std::memory_order_acquire);  // before the marks: these are all then
  const std::uint64_t marks = m_marksPut.load(std::memory_order_acquire);
  const std::uint64_t taken = m_taken.load(std::memory_order_relaxed);  // ours
  const std::uint64_t end = marks == 0 ? 0 : m_marks[(marks - 1) % m_marks.size()].end;
  if (ended && taken == end) return std::nullopt;
  const std::uint64_t position = allowed(marks, taken + into.size(), until);
  auto count = static_cast<std::size_t>(position - taken);
  if (!ended || position < end) count -= count % m_unit;
  if (count == 0) return 0;
  const auto begin = static_cast<std::size_t>(taken % m_ring.size());
  const std::size_t first = std::min(count, m_ring.size() - begin);
  std::copy_n(m_ring.begin() + static_cast<std::ptrdiff_t>(begin), first, into.begin());
  std::copy_n(m_ring.begin(), count - first, into.begin() + static_cast<std::ptrdiff_t>(first));
  m_taken.store(taken + count, std::memory_order_release);
  drop(marks);
  m_emptied.signal();
  return count;
}

}  // namespace tactus::media
