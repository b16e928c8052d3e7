// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/write_loop.h"

#include <algorithm>

#include "core/periodic/task/owned_thread.h"

namespace tactus::net {

using periodic::TimePoint;

std::optional<LoopEnded> WriteLoop::run(periodic::Task& task, LoopWake& wake) {
  try {
    while (!wake.isRaised()) {
      if (auto broken = m_end.broken()) return LoopEnded{.sentence = std::move(broken->sentence)};
      if (m_ending && m_end.isEmpty()) return LoopEnded{.byStream = true};
      if (m_ending || m_end.room().empty()) {
        m_end.flush();
        const bool goesOn = m_ending ? m_end.isEmpty() : !m_end.room().empty();
        if (!goesOn) wake.wait(m_end.wait());
        continue;
      }
      if (m_contract.rate) sendMeanwhile(task, wake);
      if (!periodic::OwnedThread::begin(task)) break;
      const Made made = m_contract.rate ? make(task.time().now()) : makeTurn(task, wake);
      if (m_contract.rate || made != Made::Buffer) m_end.flush();
      task.complete();
      // Nobody paces a stream without a rate that has nothing to send.
      if (made == Made::Nothing && !m_contract.rate)
        wake.wait(m_end.wait(), task.time().now() + kPeriodWithoutRate);
    }
    m_end.flush();
    return std::nullopt;
  } catch (...) {
    m_end.flush();
    return handlerThrew(task);
  }
}

/// What is left of earlier buffers leaves while the next is not due.
void WriteLoop::sendMeanwhile(periodic::Task& task, LoopWake& wake) {
  while (!wake.isRaised() && !m_end.isEmpty() && !m_end.broken()) {
    const TimePoint release = task.poll().release;
    if (release <= task.time().now()) return;
    wake.wait(m_end.wait(), release);
    m_end.flush();
  }
}

/// Buffers of a stream without a rate, as many as there is room for. Nobody paces them, so that they are one
/// packet of the task: what a packet costs the scheduler, several small buffers share.
WriteLoop::Made WriteLoop::makeTurn(periodic::Task& task, LoopWake& wake) {
  TimePoint now = task.time().now();
  const TimePoint until = now + kLongestTurn;
  Made made = make(now);
  while (made == Made::Buffer && !wake.isRaised() && !m_end.room().empty()) {
    now = task.time().now();
    if (now >= until) break;
    made = make(now);
  }
  return made;
}

WriteLoop::Made WriteLoop::make(TimePoint now) {
  const std::span<std::byte> room = m_end.room();
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
