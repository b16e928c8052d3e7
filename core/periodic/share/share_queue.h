// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// What waits for service: a packet, a thread's turn or a disk block derives from it or has it as a member.
/// The caller owns it and keeps it in place while it waits. Thread-safe: no.
class ShareRequest {
 public:
  ShareRequest() noexcept = default;
  explicit ShareRequest(TimePoint due) noexcept : deadline(due) {}
  ShareRequest(const ShareRequest&) = delete;
  ShareRequest& operator=(const ShareRequest&) = delete;
  ~ShareRequest() { assert(!waits()); }

  /// Whether it is in a queue. Real-time-safe: yes.
  [[nodiscard]] bool waits() const noexcept { return m_queue != nullptr; }

  /// What `ShareOrder::Deadline` goes by. Does not change while the request waits.
  TimePoint deadline{};

 private:
  friend class ShareQueue;
  class ShareQueue* m_queue = nullptr;
  ShareRequest* m_before = nullptr;
  ShareRequest* m_after = nullptr;
  std::uint64_t m_arrival = 0;
};

/// Requests in the order of their arrival, linked by themselves: nothing is allocated, and any of them leaves
/// in O(1). Thread-safe: no. Real-time-safe: yes.
class ShareQueue {
 public:
  ShareQueue() noexcept = default;
  ShareQueue(const ShareQueue&) = delete;
  ShareQueue& operator=(const ShareQueue&) = delete;
  /// The requests that still wait are nobody's then.
  ~ShareQueue() {
    while (m_first != nullptr) remove(*m_first);
  }

  /// `request` waits nowhere. Of two requests the one with the smaller `arrival` came first.
  void append(ShareRequest& request, std::uint64_t arrival) TACTUS_REALTIME {
    assert(!request.waits());
    request.m_queue = this;
    request.m_arrival = arrival;
    request.m_before = m_last;
    (m_last != nullptr ? m_last->m_after : m_first) = &request;
    m_last = &request;
    ++m_length;
  }
  /// `request` waits here.
  void remove(ShareRequest& request) TACTUS_REALTIME {
    assert(request.m_queue == this);
    (request.m_before != nullptr ? request.m_before->m_after : m_first) = request.m_after;
    (request.m_after != nullptr ? request.m_after->m_before : m_last) = request.m_before;
    request.m_queue = nullptr;
    request.m_before = request.m_after = nullptr;
    --m_length;
  }

  /// The request that came first; nullptr: none waits.
  [[nodiscard]] ShareRequest* first() const noexcept { return m_first; }
  [[nodiscard]] std::size_t length() const noexcept { return m_length; }
  [[nodiscard]] static std::uint64_t arrivalOf(const ShareRequest& request) noexcept {
    return request.m_arrival;
  }
  /// The queue in which `request` waits; nullptr: none.
  [[nodiscard]] static ShareQueue* queueOf(const ShareRequest& request) noexcept { return request.m_queue; }

 private:
  ShareRequest* m_first = nullptr;
  ShareRequest* m_last = nullptr;
  std::size_t m_length = 0;
};

}  // namespace tactus::periodic
