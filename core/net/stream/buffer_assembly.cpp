// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/buffer_assembly.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::Duration;
using periodic::TimePoint;

namespace {

constexpr Duration kLongestPatience = std::chrono::hours(1);
constexpr std::size_t kWordBits = 64;

Error invalid(std::string sentence) {
  return {ErrorCode::InvalidArgument, std::move(sentence)};
}

}  // namespace

Result<BufferAssembly> BufferAssembly::create(const AssemblyOptions& options) {
  if (options.largestBuffer < 1 || options.largestBuffer > kLargestBuffer)
    return invalid(periodic::format("The largest buffer of a stream has 1 to %zu bytes, not %zu.",
                                    kLargestBuffer, options.largestBuffer));
  if (options.pieceSize < 1) return invalid("A piece of a buffer has at least one byte.");
  if (options.window < 2 || options.window > AssemblyOptions::kLargestWindow)
    return invalid(periodic::format("A window has 2 to %zu buffers, not %zu.",
                                    AssemblyOptions::kLargestWindow, options.window));
  if (options.patience < Duration::zero() || options.patience > kLongestPatience)
    return invalid("A buffer waits for an earlier one for at most an hour.");
  if (options.confirming < 1) return invalid("A jump is confirmed by at least one number.");
  try {
    return BufferAssembly(options);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable, periodic::format("There is no memory for %zu buffers of %zu bytes.",
                                                          options.window, options.largestBuffer)};
  }
}

BufferAssembly::BufferAssembly(const AssemblyOptions& options)
    : m_options(options),
      m_memory(options.window * options.largestBuffer),
      m_marks(options.window * wordsOf(options)),
      m_slots(options.window) {}

std::size_t BufferAssembly::wordsOf(const AssemblyOptions& options) noexcept {
  return (pieceCountOf(options.largestBuffer, options.pieceSize) + kWordBits - 1) / kWordBits;
}

std::size_t BufferAssembly::bytesOf(const AssemblyOptions& options) noexcept {
  return options.window * (options.largestBuffer + wordsOf(options) * sizeof(std::uint64_t) + sizeof(Slot));
}

Added BufferAssembly::add(const StreamPiece& piece, TimePoint now) TACTUS_REALTIME {
  const Added added = place(piece, now);
  switch (added) {
    case Added::Stored:
    case Added::Whole:
      m_run = {};
      break;
    case Added::Again:
      ++m_figures.again;
      break;
    case Added::TooLate:
      ++m_figures.tooLate;
      break;
    case Added::Full:
      ++m_figures.full;
      break;
    case Added::Stray:
      ++m_figures.stray;
      break;
    case Added::Malformed:
      ++m_figures.malformed;
      break;
  }
  return added;
}

Added BufferAssembly::place(const StreamPiece& piece, TimePoint now) TACTUS_REALTIME {
  const StreamHeader& header = piece.header;
  // Asked again, so that no bytes go beyond a buffer, whatever the caller checked.
  if (faultOf(header, m_options.largestBuffer, m_options.pieceSize) ||
      piece.bytes.size() != pieceSizeOf(header, m_options.pieceSize))
    return Added::Malformed;
  if (!isInWindow(header.number))
    if (const auto refused = reach(header.number)) return *refused;
  const Added added = store(indexOf(header.number - m_expected), piece, now);
  const std::uint32_t beyond = header.number + 1;
  if (added != Added::Malformed && beyond - m_expected > m_beyond - m_expected) m_beyond = beyond;
  return added;
}

/// Moves the window to a number that it does not have, or says why not.
std::optional<Added> BufferAssembly::reach(std::uint32_t number) TACTUS_REALTIME {
  const std::int32_t ahead = aheadOf(number);
  if (ahead < 0 && ahead >= -kLate) return Added::TooLate;
  const bool follows = ahead > 0 && number - m_beyond <= m_slots.size() / 2;
  if (!follows) {
    if (m_options.reliable || !confirms(number)) return Added::Stray;
    if (patientUntil()) return Added::Full;  // what is whole is delivered first
    jump(number);
    return std::nullopt;
  }
  if (m_options.reliable) return Added::Full;
  while (!isInWindow(number) && m_slots[m_first].state != SlotState::Whole) giveUpFirst();
  return isInWindow(number) ? std::nullopt : std::optional(Added::Full);
}

/// Whether enough consecutive numbers say that the stream goes on there.
bool BufferAssembly::confirms(std::uint32_t number) TACTUS_REALTIME {
  if (m_run.count > 0 && number - m_run.last == 1) {
    m_run = {number, m_run.count + 1};
  } else if (m_run.last - number >= m_run.count) {  // no other piece of a buffer that was counted
    m_run = {number, 1};
  }
  return m_run.count >= m_options.confirming;
}

void BufferAssembly::jump(std::uint32_t number) TACTUS_REALTIME {
  const auto begun = static_cast<std::uint64_t>(std::count_if(
      m_slots.begin(), m_slots.end(), [](const Slot& slot) { return slot.state == SlotState::Begun; }));
  // A sender that went back has not sent what lies between.
  const std::int32_t ahead = aheadOf(number);
  m_figures.lost += ahead > 0 ? static_cast<std::uint64_t>(ahead) : begun;
  m_figures.incomplete += begun;
  restart(number);
}

Added BufferAssembly::store(std::size_t index, const StreamPiece& piece, TimePoint now) TACTUS_REALTIME {
  Slot& slot = m_slots[index];
  const StreamHeader& header = piece.header;
  const std::size_t words = wordsOf(m_options);
  std::uint64_t* marks = m_marks.data() + index * words;
  if (slot.state == SlotState::Empty) {
    slot = {SlotState::Begun, header, pieceCountOf(header.length, m_options.pieceSize), {}};
    std::fill_n(marks, words, 0);
  } else if (header.length != slot.header.length || header.made != slot.header.made) {
    return Added::Malformed;
  }
  const std::size_t number = header.offset / m_options.pieceSize;
  const std::uint64_t mark = std::uint64_t{1} << (number % kWordBits);
  if ((marks[number / kWordBits] & mark) != 0) return Added::Again;
  marks[number / kWordBits] |= mark;
  if (!piece.bytes.empty())
    std::memcpy(m_memory.data() + index * m_options.largestBuffer + header.offset, piece.bytes.data(),
                piece.bytes.size());
  if (--slot.missing > 0) return Added::Stored;
  slot.state = SlotState::Whole;
  slot.wholeAt = now;
  return Added::Whole;
}

void BufferAssembly::giveUpFirst() TACTUS_REALTIME {
  ++m_figures.lost;
  if (m_slots[m_first].state == SlotState::Begun) ++m_figures.incomplete;
  moveOn();
}

void BufferAssembly::moveOn() TACTUS_REALTIME {
  m_slots[m_first].state = SlotState::Empty;
  m_first = indexOf(1);
  ++m_expected;
}

/// When the first buffer is given up: the earliest whole one after it has waited; nullopt: none is whole.
std::optional<TimePoint> BufferAssembly::patientUntil() const TACTUS_REALTIME {
  std::optional<TimePoint> earliest;
  for (const Slot& slot : m_slots)
    if (slot.state == SlotState::Whole && (!earliest || slot.wholeAt < *earliest)) earliest = slot.wholeAt;
  if (earliest) *earliest += m_options.patience;
  return earliest;
}

std::optional<AssembledBuffer> BufferAssembly::next(TimePoint now) TACTUS_REALTIME {
  if (m_held) return std::nullopt;
  if (m_slots[m_first].state != SlotState::Whole) {
    const auto until = patientUntil();
    if (m_options.reliable || !until || *until > now) return std::nullopt;
    while (m_slots[m_first].state != SlotState::Whole) giveUpFirst();
  }
  m_held = true;
  const Slot& slot = m_slots[m_first];
  return AssembledBuffer{
      m_expected, slot.header.made, slot.wholeAt, slot.header.end,
      std::span<const std::byte>(m_memory).subspan(m_first * m_options.largestBuffer, slot.header.length)};
}

void BufferAssembly::release() TACTUS_REALTIME {
  if (!m_held) return;
  m_held = false;
  ++m_figures.whole;
  moveOn();
}

TimePoint BufferAssembly::wakeAt() const TACTUS_REALTIME {
  if (m_held) return TimePoint::max();
  if (m_slots[m_first].state == SlotState::Whole) return m_slots[m_first].wholeAt;
  return m_options.reliable ? TimePoint::max() : patientUntil().value_or(TimePoint::max());
}

void BufferAssembly::restart(std::uint32_t number) TACTUS_REALTIME {
  for (Slot& slot : m_slots) slot.state = SlotState::Empty;
  m_expected = number;
  m_beyond = number;
  m_held = false;
  m_run = {};
}

}  // namespace tactus::net
