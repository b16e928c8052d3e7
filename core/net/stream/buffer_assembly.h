// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/net/stream/stream_wire.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What a BufferAssembly is for.
struct AssemblyOptions {
  std::size_t largestBuffer = 0;          ///< bytes; 1 ... kLargestBuffer
  std::size_t pieceSize = kPiecePayload;  ///< as in StreamExpectation; above 0
  std::size_t window = 8;                 ///< buffers; 2 ... kLargestWindow
  periodic::Duration patience{0};  ///< how long a whole buffer waits for an earlier one; at most an hour
  bool reliable = false;           ///< no buffer is given up
  /// Consecutive numbers that confirm a jump, at least 1; 1 where the transport keeps order and only the peer
  /// can be wrong.
  std::uint32_t confirming = 3;

  static constexpr std::size_t kLargestWindow = 256;
};

/// What became of a piece.
enum class Added : std::uint8_t {
  Stored,
  Whole,      ///< stored, and its buffer is complete
  Again,      ///< it was here already
  TooLate,    ///< its buffer was delivered or given up
  Full,       ///< no room until the next buffer is released; a reliable stream's caller keeps the piece
  Stray,      ///< its number is far from those that are expected, and not yet believed
  Malformed,  ///< it cannot be a piece of the stream, or contradicts its buffer's first piece
};

/// A buffer that next() gave. Its bytes stay as they are until release() or restart().
struct AssembledBuffer {
  std::uint32_t number = 0;
  periodic::Duration made = {};      ///< on the sender's monotonic clock
  periodic::TimePoint arrived = {};  ///< its last piece
  bool end = false;                  ///< the end of the stream, without bytes
  std::span<const std::byte> bytes = {};
};

/// Figures since the beginning. `whole + lost` is by how much the number that is expected went forward.
struct AssemblyFigures {
  std::uint64_t whole = 0;       ///< buffers released, the end included
  std::uint64_t lost = 0;        ///< buffers given up
  std::uint64_t incomplete = 0;  ///< of those, buffers of which pieces came
  std::uint64_t again = 0, tooLate = 0, full = 0, stray = 0, malformed = 0;  ///< pieces, by Added

  friend bool operator==(const AssemblyFigures&, const AssemblyFigures&) noexcept = default;
};

/// Pieces into buffers, in the order of their numbers (RTSS 4.1: data are delivered in the order in which
/// they were generated; late and incomplete data are discarded unless the stream is reliable).
///
/// A window of buffers has its memory from the start. The first buffer of the window is the next in order. If
/// it is not whole, it is given up, with those after it up to the first whole one, as soon as
///
///   - a later buffer has been whole for `patience`, or
///   - a piece comes for which the window has no room, because it begins at a buffer that is not whole.
///
/// A buffer that is whole is never given up: where it takes the room, the new piece is refused. A reliable
/// stream gives up nothing.
///
/// Numbers come from a peer. One that is more than half a window beyond the latest, or more than kLate
/// behind, changes nothing until `confirming` consecutive numbers came with no piece of the window between
/// them (RFC 3550, A.1, has the same rule); then the stream goes on there. A reliable stream does not jump.
///
/// Pure: owns no thread, clock or socket. Thread-safe: no (one thread, the stream's). Real-time-safe: yes,
/// all but create().
class BufferAssembly {
 public:
  /// Numbers this little behind are late, not a jump.
  static constexpr std::int32_t kLate = 1000;

  /// Allocates and touches all memory; expects number 0. InvalidArgument for options out of range;
  /// Unavailable without memory.
  [[nodiscard]] static Result<BufferAssembly> create(const AssemblyOptions& options);
  /// How much memory create() takes for valid options.
  [[nodiscard]] static std::size_t bytesOf(const AssemblyOptions& options) noexcept;

  /// A piece that came at `now`; its bytes are copied. All outcomes are a peer's doing and none is an error.
  Added add(const StreamPiece& piece, periodic::TimePoint now) TACTUS_REALTIME;
  /// The next buffer in order, if it is whole; gives up what misses by `now`. Nullopt: not before wakeAt(),
  /// or while the caller holds one.
  [[nodiscard]] std::optional<AssembledBuffer> next(periodic::TimePoint now) TACTUS_REALTIME;
  /// The caller is done with the buffer that next() gave; without one it does nothing.
  void release() TACTUS_REALTIME;
  /// When to ask next() again if no piece comes; TimePoint::max(): after the next piece, or after release()
  /// while the caller holds a buffer. An instant that has passed: at once.
  [[nodiscard]] periodic::TimePoint wakeAt() const TACTUS_REALTIME;
  /// Forgets all buffers, uncounted, and expects `number`: the handshake or a sender that resumes tells it.
  void restart(std::uint32_t number) TACTUS_REALTIME;

  [[nodiscard]] std::uint32_t expected() const noexcept { return m_expected; }
  /// The caller has a buffer that next() gave.
  [[nodiscard]] bool isHeld() const noexcept { return m_held; }
  [[nodiscard]] const AssemblyFigures& figures() const noexcept { return m_figures; }

 private:
  enum class SlotState : std::uint8_t { Empty, Begun, Whole };
  struct Slot {
    SlotState state = SlotState::Empty;
    StreamHeader header = {};  // of its first piece
    std::size_t missing = 0;   // pieces
    periodic::TimePoint wholeAt = {};
  };
  /// Consecutive numbers outside the window.
  struct Run {
    std::uint32_t last = 0, count = 0;
  };

  explicit BufferAssembly(const AssemblyOptions& options);

  [[nodiscard]] static std::size_t wordsOf(const AssemblyOptions& options) noexcept;
  [[nodiscard]] std::size_t indexOf(std::size_t ahead) const noexcept {
    return (m_first + ahead) % m_slots.size();
  }
  [[nodiscard]] std::int32_t aheadOf(std::uint32_t number) const noexcept {
    return static_cast<std::int32_t>(number - m_expected);
  }
  [[nodiscard]] bool isInWindow(std::uint32_t number) const noexcept {
    return number - m_expected < m_slots.size();
  }
  [[nodiscard]] Added place(const StreamPiece& piece, periodic::TimePoint now) TACTUS_REALTIME;
  [[nodiscard]] std::optional<Added> reach(std::uint32_t number) TACTUS_REALTIME;
  [[nodiscard]] bool confirms(std::uint32_t number) TACTUS_REALTIME;
  void jump(std::uint32_t number) TACTUS_REALTIME;
  Added store(std::size_t index, const StreamPiece& piece, periodic::TimePoint now) TACTUS_REALTIME;
  void giveUpFirst() TACTUS_REALTIME;
  void moveOn() TACTUS_REALTIME;
  [[nodiscard]] std::optional<periodic::TimePoint> patientUntil() const TACTUS_REALTIME;

  AssemblyOptions m_options;
  std::vector<std::byte> m_memory;     // a buffer for each slot
  std::vector<std::uint64_t> m_marks;  // a bit for each piece of each slot: it is here
  std::vector<Slot> m_slots;           // a ring
  std::size_t m_first = 0;             // slot of the number that is expected
  std::uint32_t m_expected = 0;
  // The number after the latest in the window. m_expected ... + window: what is given up is followed by a
  // whole buffer, or by a number at most half a window beyond this one.
  std::uint32_t m_beyond = 0;
  bool m_held = false;  // the caller has the first slot's buffer
  Run m_run;
  AssemblyFigures m_figures;
};

}  // namespace tactus::net
