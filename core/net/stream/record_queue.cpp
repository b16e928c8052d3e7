// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/record_queue.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::TimePoint;

Result<RecordQueue> RecordQueue::create(std::size_t largestBuffer, std::size_t buffers) {
  if (largestBuffer < 1 || largestBuffer > kLargestBuffer || buffers < 1)
    return Error{ErrorCode::InvalidArgument,
                 periodic::format("No stream has %zu buffers of %zu bytes.", buffers, largestBuffer)};
  try {
    return RecordQueue(largestBuffer, buffers);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable, periodic::format("There is no memory for %zu buffers of %zu bytes.",
                                                          buffers, largestBuffer)};
  }
}

RecordQueue::RecordQueue(std::size_t largestBuffer, std::size_t buffers)
    : m_largestBuffer(largestBuffer),
      m_memory(capacityFor(largestBuffer, buffers) + kStreamHeaderSize),
      m_records(recordsOf(capacity())) {}

/// Of a ring of so many bytes: a record has a byte of payload at least, but for the end, which has its place.
std::size_t RecordQueue::recordsOf(std::size_t capacity) noexcept {
  return std::min(kMostRecords, capacity / (kStreamHeaderSize + 1)) + 1;
}

std::size_t RecordQueue::bytesOf(std::size_t largestBuffer, std::size_t buffers) noexcept {
  const std::size_t capacity = capacityFor(largestBuffer, buffers);
  return capacity + kStreamHeaderSize + recordsOf(capacity) * sizeof(Record);
}

std::span<std::byte> RecordQueue::room() TACTUS_REALTIME {
  if (!m_place) m_place = place();
  if (!m_place) return {};
  return std::span(m_memory).subspan(*m_place + kStreamHeaderSize, m_largestBuffer);
}

bool RecordQueue::push(const StreamHeader& header, TimePoint uselessAt) TACTUS_REALTIME {
  if (m_ended || header.length > m_largestBuffer) return false;
  if (header.length > 0 && room().empty()) return false;
  const std::size_t begin = header.length > 0 ? *m_place : capacity();
  m_place.reset();
  encode(header, std::span(m_memory).subspan(begin).first<kStreamHeaderSize>());
  const std::size_t size = kStreamHeaderSize + header.length;
  m_records[(m_first + m_count) % m_records.size()] = {begin, size, uselessAt};
  ++m_count;
  m_waitingBytes += size;
  m_ended = header.length == 0;
  return true;
}

/// Where the next record begins.
std::optional<std::size_t> RecordQueue::place() const TACTUS_REALTIME {
  if (m_ended || m_count + 1 >= m_records.size()) return std::nullopt;  // the last one is the end's
  if (m_count == 0) return 0;
  const Record& first = at(0);
  const Record& last = at(m_count - 1);
  const std::size_t tail = last.begin + last.size;
  if (last.begin < first.begin)  // they go on at the front of the memory
    return first.begin - tail >= largest() ? std::optional(tail) : std::nullopt;
  if (capacity() - tail >= largest()) return tail;
  return first.begin >= largest() ? std::optional<std::size_t>(0) : std::nullopt;
}

std::size_t RecordQueue::parts(std::size_t most, TimePoint now, std::array<iovec, 2>& into) TACTUS_REALTIME {
  into = {};
  std::size_t total = 0, part = 0, end = 0;
  for (std::size_t i = 0; i < m_count && total < most; ++i) {
    const Record& record = at(i);
    const std::size_t skipped = i == 0 ? m_begun : 0;
    if (skipped == 0 && record.uselessAt <= now) break;
    if (total > 0 && record.begin != end && ++part == into.size()) break;
    const std::size_t bytes = std::min(record.size - skipped, most - total);
    if (into[part].iov_len == 0) into[part].iov_base = m_memory.data() + record.begin + skipped;
    into[part].iov_len += bytes;
    total += bytes;
    end = record.begin + record.size;
  }
  return total;
}

RecordQueue::Left RecordQueue::advance(std::size_t bytes) TACTUS_REALTIME {
  assert(bytes <= m_waitingBytes);
  Left left;
  m_waitingBytes -= bytes;
  m_begun += bytes;
  while (m_count > 0 && m_begun >= at(0).size) {
    ++left.buffers;
    left.bytes += at(0).size - kStreamHeaderSize;
    m_begun -= at(0).size;
    forgetFirst();
  }
  return left;
}

std::size_t RecordQueue::giveUp(TimePoint now) TACTUS_REALTIME {
  std::size_t late = 0;
  for (; m_count > 0 && m_begun == 0 && at(0).uselessAt <= now; ++late) {
    m_waitingBytes -= at(0).size;
    forgetFirst();
  }
  return late;
}

TimePoint RecordQueue::uselessAt() const TACTUS_REALTIME {
  return m_count > 0 && m_begun == 0 ? at(0).uselessAt : TimePoint::max();
}

std::size_t RecordQueue::clear() TACTUS_REALTIME {
  m_waitingBytes = m_begun = 0;
  m_first = 0;
  m_place.reset();
  return std::exchange(m_count, 0);
}

void RecordQueue::forgetFirst() TACTUS_REALTIME {
  m_first = (m_first + 1) % m_records.size();
  --m_count;
}

}  // namespace tactus::net
