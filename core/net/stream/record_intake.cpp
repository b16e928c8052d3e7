// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/record_intake.h"

#include <cassert>
#include <cstring>
#include <new>

#include "core/periodic/trace/format.h"

namespace tactus::net {

Result<RecordIntake> RecordIntake::create(const StreamExpectation& expected) {
  if (expected.largestBuffer < 1 || expected.largestBuffer > kLargestBuffer)
    return Error{ErrorCode::InvalidArgument,
                 periodic::format("The largest buffer of a stream has 1 to %zu bytes, not %zu.",
                                  kLargestBuffer, expected.largestBuffer)};
  try {
    return RecordIntake(expected);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable,
                 periodic::format("There is no memory for a buffer of %zu bytes.", expected.largestBuffer)};
  }
}

RecordIntake::RecordIntake(const StreamExpectation& expected)
    : m_expected{expected.session, expected.largestBuffer, expected.largestBuffer},
      m_memory(capacityFor(expected.largestBuffer)) {}

std::span<std::byte> RecordIntake::room() TACTUS_REALTIME {
  if (isWhole() || m_fault) return {};
  if (m_begin > 0) {  // only part of a record is left: it moves to the front
    std::memmove(m_memory.data(), m_memory.data() + m_begin, m_end - m_begin);
    m_end -= m_begin;
    m_begin = 0;
  }
  const bool isLarge = m_header && size() >= kLarge;
  const std::size_t until = isLarge ? size() + kStreamHeaderSize : m_memory.size();
  return std::span(m_memory).first(until).subspan(m_end);
}

void RecordIntake::filled(std::size_t bytes) TACTUS_REALTIME {
  assert(bytes <= m_memory.size() - m_end);
  m_end += bytes;
  decodeFirst();
}

std::optional<StreamPiece> RecordIntake::first() const TACTUS_REALTIME {
  if (!isWhole()) return std::nullopt;
  return StreamPiece{*m_header, std::span(m_memory).subspan(m_begin + kStreamHeaderSize, m_header->length)};
}

void RecordIntake::release() TACTUS_REALTIME {
  if (!isWhole()) return;
  m_begin += size();
  if (m_begin == m_end) m_begin = m_end = 0;
  m_header.reset();
  decodeFirst();
}

void RecordIntake::decodeFirst() TACTUS_REALTIME {
  if (m_header || m_fault || m_end - m_begin < kStreamHeaderSize) return;
  const auto decoded = decodeHeader(std::span(m_memory).subspan(m_begin, kStreamHeaderSize), m_expected);
  if (decoded.ok())
    m_header = decoded.value();
  else
    m_fault = decoded.error();
}

}  // namespace tactus::net
