// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/simulation/simulator.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr Duration kQuantum = 4ms;
constexpr TimePoint kStart{1000s};
constexpr TimePoint kNever = TimePoint::max();

struct Job {
  SimulatedPacket record;
  TimePoint release;
  Duration left;
  Duration used{0};
  bool begun = false;
};

struct Stream {
  explicit Stream(const SimulatedTask& from) : task(from), regulator(from.lbap) {}
  const SimulatedTask& task;
  LbapRegulator regulator;
  std::int64_t next = 0;  // packet to arrive
  TimePoint nextArrival = kStart;
  std::deque<Job> queue;  // in order: only the front may run

  void scheduleArrival(TimePoint end) {
    const Duration offset = task.arrival ? task.arrival(next) : task.lbap.rate.offsetOf(next);
    nextArrival = kStart + offset;
    if (nextArrival >= end) nextArrival = kNever;
  }
};

class Machine {
 public:
  Machine(const std::vector<SimulatedTask>& tasks, const SimulationSettings& settings)
      : m_settings(settings), m_end(kStart + settings.length) {
    m_result.misses.assign(tasks.size(), 0);
    m_streams.reserve(tasks.size());
    for (const auto& task : tasks) {
      m_streams.emplace_back(task);
      m_streams.back().scheduleArrival(m_end);
    }
  }

  Simulation run() {
    while (m_now < m_end) {
      takeArrivals();
      const auto chosen = choose();
      TimePoint until = std::min(m_end, nextEvent());
      if (!chosen) {
        const bool hogs = m_settings.hogs > 0;
        if (hogs) m_result.hogTime += until - m_now;
        m_now = until;
        continue;
      }
      if (*chosen == m_streams.size()) {  // a hog's turn
        until = std::min(until, m_now + kQuantum);
        m_result.hogTime += until - m_now;
        m_turn = m_turn + 1;
        m_now = until;
        continue;
      }
      work(*chosen, until);
    }
    for (std::size_t i = 0; i < m_streams.size(); ++i)
      for (const auto& job : m_streams[i].queue)
        if (job.record.deadline < m_end) ++m_result.misses[i];
    return std::move(m_result);
  }

 private:
  void takeArrivals() {
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
      auto& stream = m_streams[i];
      while (stream.nextArrival <= m_now) {
        const Verdict verdict = stream.regulator.arrive(stream.nextArrival);
        const Duration deadline =
            stream.task.deadline > Duration::zero() ? stream.task.deadline : stream.task.lbap.rate.period();
        Job job{{i,
                 stream.next,
                 stream.nextArrival,
                 verdict.logicalArrival,
                 {},
                 {},
                 verdict.logicalArrival + deadline},
                m_settings.workahead == WorkaheadMode::Wait ? verdict.logicalArrival : verdict.release,
                stream.task.processing(stream.next)};
        stream.queue.push_back(job);
        ++stream.next;
        stream.scheduleArrival(m_end);
      }
    }
  }

  [[nodiscard]] Band bandFor(const Stream& stream, const Job& job) const {
    const bool critical = m_now >= job.record.logicalArrival || m_settings.workahead != WorkaheadMode::Band;
    const Duration declared = stream.task.declared;
    return bandOf(m_settings.scheme, stream.task.service, critical,
                  declared == Duration::zero() || job.used < declared);
  }

  /// The stream to run; streams.size() = a hog; nullopt = idle.
  [[nodiscard]] std::optional<std::size_t> choose() {
    std::optional<std::size_t> best;
    std::vector<std::size_t> ordinary;
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
      const auto& queue = m_streams[i].queue;
      if (queue.empty() || queue.front().release > m_now) continue;
      if (bandFor(m_streams[i], queue.front()) == Band::Ordinary) ordinary.push_back(i);
      if (!best || precedes(i, *best)) best = i;
    }
    const Band band = best ? bandFor(m_streams[*best], m_streams[*best].queue.front()) : Band::Workahead;
    if (band > Band::Ordinary) return best;
    const std::size_t sharers = ordinary.size() + static_cast<std::size_t>(m_settings.hogs);
    if (sharers == 0) return best;
    const std::size_t turn = m_turn % sharers;
    return turn < ordinary.size() ? ordinary[turn] : m_streams.size();
  }

  [[nodiscard]] bool precedes(std::size_t a, std::size_t b) const {
    const Job& first = m_streams[a].queue.front();
    const Job& second = m_streams[b].queue.front();
    const Band one = bandFor(m_streams[a], first);
    const Band other = bandFor(m_streams[b], second);
    if (one != other) return one > other;
    if (m_settings.earliestDeadlineFirst) {
      if (first.record.deadline != second.record.deadline)
        return first.record.deadline < second.record.deadline;
    } else if (m_streams[a].task.level != m_streams[b].task.level) {
      return m_streams[a].task.level > m_streams[b].task.level;
    }
    return first.release < second.release;
  }

  /// The next instant at which the choice may change without anybody working.
  [[nodiscard]] TimePoint nextEvent() const {
    TimePoint next = kNever;
    for (const auto& stream : m_streams) {
      next = std::min(next, stream.nextArrival);
      if (stream.queue.empty()) continue;
      const Job& job = stream.queue.front();
      if (job.release > m_now) next = std::min(next, job.release);
      if (job.record.logicalArrival > m_now) next = std::min(next, job.record.logicalArrival);
    }
    return next;
  }

  void work(std::size_t index, TimePoint until) {
    auto& stream = m_streams[index];
    Job& job = stream.queue.front();
    if (!job.begun) {
      job.begun = true;
      job.record.begin = m_now;
    }
    until = std::min(until, m_now + job.left);
    const Duration declared = stream.task.declared;
    const bool supervised = declared > Duration::zero() && m_settings.scheme == PriorityScheme::Demotion;
    if (supervised && job.used < declared) until = std::min(until, m_now + (declared - job.used));
    if (bandFor(stream, job) == Band::Ordinary) {
      until = std::min(until, m_now + kQuantum);
      m_turn = m_turn + 1;
    }
    const Duration ran = until - m_now;
    job.left -= ran;
    job.used += ran;
    m_now = until;
    if (job.left > Duration::zero()) {
      if (supervised && job.used >= declared) job.record.demoted = true;
      return;
    }
    job.record.end = m_now;
    if (job.record.end > job.record.deadline) ++m_result.misses[index];
    m_result.packets.push_back(job.record);
    stream.queue.pop_front();
  }

  SimulationSettings m_settings;
  TimePoint m_now = kStart;
  TimePoint m_end;
  std::vector<Stream> m_streams;
  std::size_t m_turn = 0;
  Simulation m_result;
};

}  // namespace

Simulation simulate(const std::vector<SimulatedTask>& tasks, const SimulationSettings& settings) {
  return Machine(tasks, settings).run();
}

}  // namespace tactus::periodic
