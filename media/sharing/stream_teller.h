// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "media/sharing/governed_stream.h"

namespace tactus::media {

/// What a stream is to be told; a field without a value stays as it was told before.
struct StreamOrder {
  std::optional<Thinning> thinning = {};
  std::optional<StreamService> service = {};
  std::optional<bool> held = {};

  [[nodiscard]] bool empty() const noexcept { return !thinning && !service && !held; }
  /// The newer order's fields replace these.
  void add(StreamOrder newer);
};

/// Calls streams: asks for their figures, and tells them what was decided, on one ordinary thread. No lock is
/// held across a call, so a stream, or whom it tells, may call the governor; one whose change of state takes
/// long delays the streams after it and nobody else. Thread-safe: yes. Real-time-safe: no.
class StreamTeller {
 public:
  StreamTeller() = default;
  /// Ends the thread; orders that are left are not told.
  ~StreamTeller();
  StreamTeller(const StreamTeller&) = delete;
  StreamTeller& operator=(const StreamTeller&) = delete;

  /// Starts the thread. Before that deliver() tells.
  void start();
  /// `stream` must live until remove().
  void add(std::uint64_t id, GovernedStream& stream);
  /// The stream is not called any more. Waits for a call of this stream that is under way, unless it is
  /// called from within it. An unknown number does nothing.
  void remove(std::uint64_t id);
  /// Queues an order; of several the newest holds. Takes no lock of a stream. An unknown number does nothing.
  void post(std::uint64_t id, StreamOrder order);
  /// Tells what is queued in the calling thread, unless the thread of start() does.
  void deliver();
  /// Figures of all streams.
  [[nodiscard]] std::map<std::uint64_t, LoadFigures> ask();

 private:
  struct Entry {
    GovernedStream* stream = nullptr;
    StreamOrder order;
    bool told = false;     // a thread is telling it
    bool removed = false;  // it is not called any more
    std::vector<std::thread::id> callers;
  };
  using EntryPtr =
      std::shared_ptr<Entry>;  // shared with the calls under way, which outlive remove() from within
  template <typename Call>
  void call(std::unique_lock<periodic::PriorityInheritanceMutex>& lock, Entry& entry, const Call& made);
  [[nodiscard]] EntryPtr nextLocked() const;
  void tellAll(std::unique_lock<periodic::PriorityInheritanceMutex>& lock);
  void run();

  periodic::PriorityInheritanceMutex m_mutex;       // guards what follows; held for moments
  std::condition_variable_any m_ordered, m_called;  // an order came; a call ended
  std::map<std::uint64_t, EntryPtr> m_entries;
  bool m_quit = false;
  std::thread m_thread;
};

}  // namespace tactus::media
