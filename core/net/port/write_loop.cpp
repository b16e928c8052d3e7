// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/write_loop.h"

#include <algorithm>
#include <exception>
#include <string>

#include "core/periodic/task/owned_thread.h"

namespace tactus::net {
std::optional<LoopEnded> WriteLoop::run(periodic::Task& task, LoopWake& wake) {
  try {
    while (!wake.isRaised()) {
      if (auto broken = m_end.broken()) return LoopEnded{.sentence = std::move(broken->sentence)};
      const std::span<std::byte> room = m_end.room();
      if (m_ending || room.empty()) {
        m_end.flush();
        if (m_ending && m_end.isEmpty()) return LoopEnded{.byStream = true};
        if (m_ending || m_end.room().empty()) wake.wait(m_end.wait());
        continue;
      }
      if (!periodic::OwnedThread::begin(task)) break;
      const Made made = make(room, task.time().now());
      if (m_contract.rate || made != Made::Buffer) m_end.flush();
      task.complete();
      // Nobody paces a stream without a rate that has nothing to send.
      if (made == Made::Nothing && !m_contract.rate)
        wake.wait(m_end.wait(), task.time().now() + kPeriodWithoutRate);
    }
    m_end.flush();
    return std::nullopt;
  } catch (const std::exception& thrown) {
    return LoopEnded{.sentence = std::string("The handler threw: ") + thrown.what() + "."};
  } catch (...) {
    return LoopEnded{.sentence = "The handler threw what is no exception."};
  }
}

WriteLoop::Made WriteLoop::make(std::span<std::byte> room, periodic::TimePoint now) {
  m_header.made = now.time_since_epoch();
  const auto filled = m_handler(room);
  if (filled && *filled == 0) return Made::Nothing;
  m_header.length = filled ? static_cast<std::uint32_t>(std::min(*filled, room.size())) : 0;
  m_header.end = m_ending = !filled;
  m_end.send(m_header);
  ++m_header.number;
  if (m_ending) return Made::End;
  m_buffers.store(m_buffers.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  m_bytes.store(m_bytes.load(std::memory_order_relaxed) + m_header.length, std::memory_order_relaxed);
  return Made::Buffer;
}

}  // namespace tactus::net
