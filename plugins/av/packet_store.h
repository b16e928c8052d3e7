// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/av/av_handle.h"
#include "plugins/event_descriptor.h"

namespace tactus::plugins::av {

/// What was read ahead, by stream: one thread reads and puts, one a stream takes. Packets of every stream are
/// kept, so that another one can be chosen at once; those of streams that nobody takes are let go once what
/// is taken has passed them. Times are nanoseconds. Thread-safe: yes. Real-time-safe: take() waits, and holds
/// a lock with priority inheritance for moments.
class PacketStore {
 public:
  struct Bounds {
    periodic::Duration ahead = std::chrono::seconds(2);  ///< of each stream that is taken
    std::size_t bytes = std::size_t{64} << 20;           ///< of all, with what a packet takes itself
    /// A stream that has had nothing for so long, while others went on, is not waited for.
    periodic::Duration sparse = std::chrono::seconds(3);
  };
  explicit PacketStore(Bounds bounds) noexcept : m_bounds(bounds) {}

  /// Somebody takes the stream's packets, or nobody does any more. `waitedFor`: reading goes on for its sake.
  void take(int stream, bool waitedFor);
  void leave(int stream);

  /// Blocks until there is room; false once interrupted.
  [[nodiscard]] bool waitForRoom();
  /// Blocks until the instant, or until somebody waits for a packet; false once interrupted.
  [[nodiscard]] bool waitForTurn(periodic::TimeSource& time, periodic::TimePoint turn);
  /// Somebody waits in next() for a packet that is not there.
  [[nodiscard]] bool isAwaited() const;
  void put(int stream, PacketPtr packet);
  /// The film's end: what is there may be taken, then Taken::End.
  void end();

  struct Taken {
    enum class What { Packet, Gap, End, Interrupted, Starved } what = What::Interrupted;
    PacketPtr packet;
    periodic::Duration until{0};  ///< Gap: nothing begins before it
  };
  /// Blocks for the stream's next packet. Interrupted also when the stream is left; Starved once nothing has
  /// come for `patience`.
  [[nodiscard]] Taken next(int stream, std::optional<periodic::Duration> patience = {});
  /// The stream's next packet if it is there already, else null.
  [[nodiscard]] PacketPtr poll(int stream);

  /// Ends all waits, until flush().
  void interrupt();
  /// Forgets all packets and the end; what comes next begins about `at`.
  void flush(periodic::Duration at);

  /// Whether all was read that lies before the instant in the film, or as much as there is room for.
  [[nodiscard]] bool hasRead(periodic::Duration instant) const;
  /// How much of `wanted` each stream that is waited for has at least, 0 to 1; 1 where nothing more will be
  /// read.
  [[nodiscard]] double filled(periodic::Duration wanted) const;
  /// Where the last of the stream's packets ends that was put.
  [[nodiscard]] periodic::Duration end(int stream) const;
  [[nodiscard]] std::size_t bytes() const;
  /// Of a stream's packets that are there, from the first to the last; zero without any.
  [[nodiscard]] periodic::Duration ahead(int stream) const;

 private:
  struct Queue {
    std::deque<PacketPtr> packets;
    bool taken = false, waitedFor = false;
    periodic::Duration read{0};  ///< up to here
    periodic::Duration end{0};   ///< of what is shown or heard of them
    int waiting = 0;             ///< threads in next()
    EventDescriptor came;
  };
  [[nodiscard]] bool hasRoomLocked() const;
  [[nodiscard]] bool isAwaitedLocked() const;
  [[nodiscard]] bool isSparseLocked(const Queue& queue) const;
  [[nodiscard]] static periodic::Duration aheadOf(const Queue& queue);
  void letGoLocked(periodic::Duration before);
  [[nodiscard]] PacketPtr popLocked(Queue& queue);
  static periodic::Duration instant(const AVPacket& packet, periodic::Duration otherwise) noexcept;

  const Bounds m_bounds;
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  std::map<int, Queue> m_queues;                       // nodes stay where they are
  EventDescriptor m_room;
  std::size_t m_bytes = 0;
  periodic::Duration m_read{0};  ///< the furthest of all streams
  bool m_ended = false, m_interrupted = false;
};

}  // namespace tactus::plugins::av
