// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/net/stream/buffer_assembly.h"
#include "core/net/stream/stream_wire.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What to wait for with poll(2): `events` at `descriptor`, or `until`, whichever comes first. A descriptor
/// of -1: nothing but the instant.
struct EndWait {
  int descriptor = -1;
  short events = 0;
  periodic::TimePoint until = periodic::TimePoint::max();

  /// Not at all: there is something to do. The instant has passed, and the time to it is a Duration.
  [[nodiscard]] static constexpr EndWait atOnce() noexcept { return {.until = periodic::TimePoint()}; }
};

/// Why an end will never send or receive again; a sentence for a person.
struct EndBroken {
  std::string sentence = {};
};

/// Figures of a sending end since it began.
struct SendingFigures {
  std::uint64_t sent = 0, sentBytes = 0;  ///< buffers that left whole, their payload
  std::uint64_t late = 0;    ///< buffers of which pieces waited too long for the link, and were given up
  std::uint64_t failed = 0;  ///< buffers that the kernel refused
};

/// Where the buffers of a write port leave: a transport (RTSS, section 3, "Transport Layer Interface"). Also
/// what lies in a pipeline and has no socket of ours: packets go to it, a descriptor says when there is room.
///
/// Calls come from one thread, the port's. None waits. Real-time-safe: yes, all but the constructors, the
/// destructor and broken().
class SendingEnd {
 public:
  virtual ~SendingEnd() = default;
  SendingEnd() = default;
  SendingEnd(const SendingEnd&) = delete;
  SendingEnd& operator=(const SendingEnd&) = delete;

  /// Room for the next buffer, as long as the largest, to be filled in place; the same until send(). Empty:
  /// not now: wait(), then flush(), then ask again.
  [[nodiscard]] virtual std::span<std::byte> room() TACTUS_REALTIME = 0;
  /// The first `header.length` bytes of room() leave under this header, now or with flush(). `header.offset`
  /// is 0. For the end of the stream the length is 0.
  virtual void send(const StreamHeader& header) TACTUS_REALTIME = 0;
  /// Sends what is left of earlier buffers, as far as it goes now. Called before the port waits.
  virtual void flush() TACTUS_REALTIME = 0;
  /// What to wait for until flush() has more to do, or room() has room again; without either: nothing. At
  /// once where room() had none when it was last asked, and has some by now; and if it broke.
  [[nodiscard]] virtual EndWait wait() const TACTUS_REALTIME = 0;
  /// Whether all that was sent has left, or was given up.
  [[nodiscard]] virtual bool isEmpty() const TACTUS_REALTIME = 0;
  /// Absent: it works.
  [[nodiscard]] virtual std::optional<EndBroken> broken() const = 0;
  [[nodiscard]] virtual SendingFigures figures() const TACTUS_REALTIME = 0;
  /// The weight of the stream on its link, from now on; without a link, or where it is out of range, nothing
  /// changes. Any thread. Real-time-safe: no.
  virtual void setWeight(double /*weight*/) {}
};

/// Where the buffers of a read port come from. Calls come from one thread, the port's. None waits.
/// Real-time-safe: yes, all but the constructors, the destructor and broken(). What comes is a peer's and is
/// checked here.
class ReceivingEnd {
 public:
  virtual ~ReceivingEnd() = default;
  ReceivingEnd() = default;
  ReceivingEnd(const ReceivingEnd&) = delete;
  ReceivingEnd& operator=(const ReceivingEnd&) = delete;

  /// Takes what has come, as much as there is room for.
  virtual void receive(periodic::TimePoint now) TACTUS_REALTIME = 0;
  /// The next buffer in order; gives up what misses by `now` (BufferAssembly::next()).
  [[nodiscard]] virtual std::optional<AssembledBuffer> next(periodic::TimePoint now) TACTUS_REALTIME = 0;
  /// The caller is done with the buffer that next() gave.
  virtual void release() TACTUS_REALTIME = 0;
  /// What to wait for until receive() or next() has more. At once where next() has a buffer, or release()
  /// has made room for what receive() could take.
  [[nodiscard]] virtual EndWait wait() const TACTUS_REALTIME = 0;
  /// Absent: it works. A peer that closes without the end of the stream breaks it, one that sends what no
  /// stream sends does, too, where order is the transport's.
  [[nodiscard]] virtual std::optional<EndBroken> broken() const = 0;
  [[nodiscard]] virtual AssemblyFigures figures() const TACTUS_REALTIME = 0;
  /// Grows whenever receive() or next() took data of the stream, whole buffers or not.
  [[nodiscard]] virtual std::uint64_t came() const TACTUS_REALTIME = 0;
};

}  // namespace tactus::net
