// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/record_intake.h"

#include <cassert>
#include <cstring>
#include <new>

#include "core/periodic/trace/format.h"

namespace tactus::net {

Result<RecordIntake> RecordIntake::create(const StreamExpectation& expected, std::size_t window) {
  if (expected.largestBuffer < 1 || expected.largestBuffer > kLargestBuffer || window < 1)
    return Error{ErrorCode::InvalidArgument,
                 periodic::format("No stream has %zu buffers of %zu bytes.", window, expected.largestBuffer)};
  try {
    return RecordIntake(expected, window);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable, periodic::format("There is no memory for %zu buffers of %zu bytes.",
                                                          window, expected.largestBuffer)};
  }
}

RecordIntake::RecordIntake(const StreamExpectation& expected, std::size_t window)
    : m_expected{expected.session, expected.largestBuffer, expected.largestBuffer},
      m_memory(capacityFor(expected.largestBuffer, window)),
      m_whole(window) {}

std::size_t RecordIntake::bytesOf(std::size_t largestBuffer, std::size_t window) noexcept {
  return capacityFor(largestBuffer, window) + window * sizeof(Whole);
}

/// Whether the record that has begun has a place where it is, with the header that follows a large one.
bool RecordIntake::fits() const TACTUS_REALTIME {
  const std::size_t size = m_header ? sizeOf(*m_header) : kStreamHeaderSize;
  return m_begun + size + kStreamHeaderSize <= m_memory.size();
}

bool RecordIntake::hasRoom() const TACTUS_REALTIME {
  return !m_fault && m_count < m_whole.size() && (m_count == 0 || fits());
}

std::span<std::byte> RecordIntake::room() TACTUS_REALTIME {
  if (!hasRoom()) return {};
  if (m_count == 0 && m_begun > 0) moveToFront();
  const bool isLarge = m_header && sizeOf(*m_header) >= kLarge;
  const std::size_t until = isLarge ? m_begun + sizeOf(*m_header) + kStreamHeaderSize : m_memory.size();
  return std::span(m_memory).first(until).subspan(m_end);
}

void RecordIntake::filled(std::size_t bytes, periodic::TimePoint now) TACTUS_REALTIME {
  assert(bytes <= m_memory.size() - m_end);
  m_end += bytes;
  m_filled = now;
  look();
}

std::optional<WholeRecord> RecordIntake::first() const TACTUS_REALTIME {
  if (m_count == 0) return std::nullopt;
  const Whole& whole = m_whole[m_first];
  const auto bytes = std::span(m_memory).subspan(m_begin + kStreamHeaderSize, whole.header.length);
  return WholeRecord{{whole.header, bytes}, whole.arrived};
}

void RecordIntake::release() TACTUS_REALTIME {
  if (m_count == 0) return;
  m_begin += sizeOf(m_whole[m_first].header);
  m_first = (m_first + 1) % m_whole.size();
  --m_count;
  look();
  if (!fits()) moveToFront();
}

/// While nobody uses a record.
void RecordIntake::moveToFront() TACTUS_REALTIME {
  std::memmove(m_memory.data(), m_memory.data() + m_begin, m_end - m_begin);
  m_begun -= m_begin;
  m_end -= m_begin;
  m_begin = 0;
}

/// Finds whole records, up to the window. While some were not looked at nothing is read: what it finds came
/// with the last filled().
void RecordIntake::look() TACTUS_REALTIME {
  while (m_count < m_whole.size() && !m_fault && m_end - m_begun >= kStreamHeaderSize) {
    if (!m_header) {
      const auto bytes = std::span(m_memory).subspan(m_begun, kStreamHeaderSize);
      const auto decoded = decodeHeader(bytes, m_expected);
      if (!decoded.ok()) {
        m_fault = decoded.error();
        return;
      }
      m_header = decoded.value();
    }
    if (m_end - m_begun < sizeOf(*m_header)) return;
    m_whole[(m_first + m_count) % m_whole.size()] = {*m_header, m_filled};
    ++m_count;
    m_begun += sizeOf(*m_header);
    m_header.reset();
  }
}

}  // namespace tactus::net
