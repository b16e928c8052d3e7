// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/packet_store.h"

#include <algorithm>
#include <utility>

namespace tactus::plugins::av {
namespace {

using periodic::Duration;
using namespace std::chrono_literals;

constexpr Duration kLongestWait = 500ms;    // each wait looks again at least so often
constexpr std::size_t kPacketItself = 512;  // bytes; a film may be of packets without any of their own

std::size_t weightOf(const AVPacket& packet) noexcept {
  return static_cast<std::size_t>(packet.size) + kPacketItself;
}

}  // namespace

Duration PacketStore::instant(const AVPacket& packet, Duration otherwise) noexcept {
  if (packet.dts != AV_NOPTS_VALUE) return Duration(packet.dts);
  return packet.pts != AV_NOPTS_VALUE ? Duration(packet.pts) : otherwise;
}

void PacketStore::take(int stream, bool waitedFor) {
  const std::lock_guard lock(m_mutex);
  Queue& queue = m_queues[stream];
  queue.taken = true;
  queue.waitedFor = waitedFor;
  m_room.signal();
}

void PacketStore::leave(int stream) {
  const std::lock_guard lock(m_mutex);
  Queue& queue = m_queues[stream];
  queue.taken = queue.waitedFor = false;
  queue.came.signal();
}

bool PacketStore::isSparseLocked(const Queue& queue) const {
  return queue.packets.empty() && m_read - queue.read > m_bounds.sparse;
}

Duration PacketStore::aheadOf(const Queue& queue) {
  if (queue.packets.empty()) return Duration{0};
  return queue.read - instant(*queue.packets.front(), queue.read);
}

bool PacketStore::hasRoomLocked() const {
  if (m_bytes >= m_bounds.bytes) return false;
  return std::any_of(m_queues.begin(), m_queues.end(), [this](const auto& entry) {
    const Queue& queue = entry.second;
    return queue.waitedFor && !isSparseLocked(queue) && aheadOf(queue) < m_bounds.ahead;
  });
}

bool PacketStore::waitForRoom() {
  for (;;) {
    {
      const std::lock_guard lock(m_mutex);
      if (m_interrupted) return false;
      if (hasRoomLocked()) return true;
      m_room.clear();
    }
    m_room.wait(kLongestWait);
  }
}

bool PacketStore::waitForTurn(periodic::TimeSource& time, periodic::TimePoint turn) {
  for (;;) {
    {
      const std::lock_guard lock(m_mutex);
      if (m_interrupted) return false;
      if (isAwaitedLocked()) return true;
      m_room.clear();
    }
    const Duration left = turn - time.now();
    if (left <= Duration::zero()) return true;
    m_room.wait(std::min(left, kLongestWait));
  }
}

bool PacketStore::isAwaited() const {
  const std::lock_guard lock(m_mutex);
  return isAwaitedLocked();
}

bool PacketStore::isAwaitedLocked() const {
  return std::any_of(m_queues.begin(), m_queues.end(), [](const auto& entry) {
    return entry.second.waiting > 0 && entry.second.packets.empty();
  });
}

void PacketStore::put(int stream, PacketPtr packet) {
  const std::lock_guard lock(m_mutex);
  if (m_interrupted) return;
  Queue& queue = m_queues[stream];
  queue.read = std::max(queue.read, instant(*packet, queue.read));
  m_read = std::max(m_read, queue.read);
  if (packet->pts != AV_NOPTS_VALUE)
    queue.end = std::max(queue.end, Duration(packet->pts + packet->duration));
  m_bytes += weightOf(*packet);
  queue.packets.push_back(std::move(packet));
  queue.came.signal();
  for (auto& [other, waiting] : m_queues)
    if (waiting.taken && isSparseLocked(waiting)) waiting.came.signal();
}

void PacketStore::end() {
  const std::lock_guard lock(m_mutex);
  m_ended = true;
  for (auto& [stream, queue] : m_queues) queue.came.signal();
}

/// Of streams that nobody takes.
void PacketStore::letGoLocked(Duration before) {
  for (auto& [stream, queue] : m_queues) {
    if (queue.taken) continue;
    while (!queue.packets.empty()) {
      const AVPacket& first = *queue.packets.front();
      if (instant(first, before) + Duration(first.duration) >= before) break;
      m_bytes -= weightOf(first);
      queue.packets.pop_front();
    }
  }
}

PacketStore::Taken PacketStore::next(int stream, std::optional<Duration> patience) {
  Queue* queue = nullptr;
  const auto latest = periodic::MonotonicClock::now() + patience.value_or(Duration{0});
  Duration left{0};
  for (;;) {
    {
      const std::lock_guard lock(m_mutex);
      queue = &m_queues[stream];
      if (m_interrupted || !queue->taken) return {};
      if (!queue->packets.empty()) {
        PacketPtr packet = popLocked(*queue);
        letGoLocked(instant(*packet, Duration{0}));
        m_room.signal();
        return {Taken::What::Packet, std::move(packet), {}};
      }
      if (m_ended) return {Taken::What::End, nullptr, {}};
      if (isSparseLocked(*queue)) {
        queue->read = m_read;
        return {Taken::What::Gap, nullptr, m_read};
      }
      left = latest - periodic::MonotonicClock::now();
      if (patience && left <= Duration{0}) return {Taken::What::Starved, nullptr, {}};
      queue->came.clear();
      ++queue->waiting;
      m_room.signal();
    }
    queue->came.wait(patience ? std::min(left, kLongestWait) : kLongestWait);
    const std::lock_guard lock(m_mutex);
    --queue->waiting;
  }
}

PacketPtr PacketStore::popLocked(Queue& queue) {
  PacketPtr packet = std::move(queue.packets.front());
  queue.packets.pop_front();
  m_bytes -= weightOf(*packet);
  return packet;
}

PacketPtr PacketStore::poll(int stream) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_queues.find(stream);
  if (found == m_queues.end() || m_interrupted || found->second.packets.empty()) return nullptr;
  m_room.signal();
  return popLocked(found->second);
}

void PacketStore::interrupt() {
  const std::lock_guard lock(m_mutex);
  m_interrupted = true;
  m_room.signal();
  for (auto& [stream, queue] : m_queues) queue.came.signal();
}

void PacketStore::flush(Duration at) {
  const std::lock_guard lock(m_mutex);
  for (auto& [stream, queue] : m_queues) {
    queue.packets.clear();
    queue.read = queue.end = at;
  }
  m_bytes = 0;
  m_read = at;
  m_ended = m_interrupted = false;
}

bool PacketStore::hasRead(Duration instant) const {
  const std::lock_guard lock(m_mutex);
  return m_ended || m_read >= instant || !hasRoomLocked();
}

Duration PacketStore::end(int stream) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_queues.find(stream);
  return found != m_queues.end() ? found->second.end : Duration{0};
}

double PacketStore::filled(Duration wanted) const {
  const std::lock_guard lock(m_mutex);
  if (m_ended || !hasRoomLocked()) return 1;
  double least = 1;
  for (const auto& [stream, queue] : m_queues)
    if (queue.waitedFor && !isSparseLocked(queue))
      least = std::min(least, periodic::inSeconds(aheadOf(queue)) / periodic::inSeconds(wanted));
  return least;
}

std::size_t PacketStore::bytes() const {
  const std::lock_guard lock(m_mutex);
  return m_bytes;
}

Duration PacketStore::ahead(int stream) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_queues.find(stream);
  return found != m_queues.end() ? aheadOf(found->second) : Duration{0};
}

}  // namespace tactus::plugins::av
