// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/trace/trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace tactus::periodic {
namespace {

const char* nameOf(TraceEvent event) noexcept {
  switch (event) {
    case TraceEvent::Enforce:
      return "enforce";
    case TraceEvent::Run:
      return "run";
    case TraceEvent::Wake:
      return "wake";
    case TraceEvent::Overrun:
      return "overrun";
    case TraceEvent::Miss:
      return "miss";
    case TraceEvent::Drop:
      return "drop";
    case TraceEvent::Demoted:
      return "demoted";
    case TraceEvent::Granted:
      return "granted";
    case TraceEvent::Reserved:
      return "reserved";
    case TraceEvent::Reanchor:
      return "reanchor";
  }
  return "?";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      result += code;
    } else {
      result += c;
    }
  }
  return result;
}

void writeRecord(std::ostream& out, const TraceRecord& record, std::size_t track) {
  char line[256];
  const double begin = inMicroseconds(record.begin.time_since_epoch());
  const auto value = static_cast<long long>(record.value);
  if (record.event == TraceEvent::Enforce || record.event == TraceEvent::Run) {
    std::snprintf(line, sizeof line,
                  ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%zu,\"ts\":%.3f,\"dur\":%.3f,\"args\":"
                  "{\"value\":%lld}}",
                  nameOf(record.event), getpid(), track, begin, inMicroseconds(record.length), value);
  } else {
    std::snprintf(line, sizeof line,
                  ",\n{\"name\":\"%s\",\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,\"tid\":%zu,\"ts\":%.3f,\"args\":{"
                  "\"value\":%lld}}",
                  nameOf(record.event), getpid(), track, begin, value);
  }
  out << line;
}

}  // namespace

void TraceRing::push(const TraceRecord& record) TACTUS_REALTIME {
  // relaxed: only this thread writes the head.
  const std::uint64_t head = m_head.load(std::memory_order_relaxed);
  // acquire: the consumer has finished reading the slot before it is written again.
  if (head - m_tail.load(std::memory_order_acquire) == kCapacity) {
    m_lost.store(m_lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  m_records[head % kCapacity] = record;
  // release: the record is complete before the consumer sees it.
  m_head.store(head + 1, std::memory_order_release);
}

void TraceRing::drain(std::vector<TraceRecord>& into) {
  std::uint64_t tail = m_tail.load(std::memory_order_relaxed);        // only this thread writes the tail
  const std::uint64_t head = m_head.load(std::memory_order_acquire);  // pairs with push()
  for (; tail != head; ++tail) into.push_back(m_records[tail % kCapacity]);
  m_tail.store(tail, std::memory_order_release);  // frees the slots after they were read
}

std::shared_ptr<TraceRing> TraceLog::open(std::string track, std::int32_t tid) {
  auto ring = std::make_shared<TraceRing>();
  const std::lock_guard lock(m_mutex);
  // A ring nobody produces into any more and that recorded nothing is of no use to the export.
  std::erase_if(m_tracks, [](Track& old) {
    if (old.ring.use_count() > 1) return false;
    old.ring->drain(old.records);
    return old.records.empty();
  });
  m_tracks.push_back({std::move(track), tid, ring, {}});
  return ring;
}

void TraceLog::collect() {
  const std::lock_guard lock(m_mutex);
  for (auto& track : m_tracks) track.ring->drain(track.records);
}

void TraceLog::writeJson(std::ostream& out) {
  const std::lock_guard lock(m_mutex);
  out << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
      << "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" << getpid() << ",\"args\":{\"name\":\"tactus\"}}";
  // Each task is a track of its own, numbered from 1: one thread may carry several tasks one after another.
  for (std::size_t i = 0; i < m_tracks.size(); ++i) {
    const auto& track = m_tracks[i];
    out << ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":" << getpid() << ",\"tid\":" << i + 1
        << ",\"args\":{\"name\":\"" << escaped(track.name) << " (" << track.tid << ")\"}}";
    for (const auto& record : track.records) writeRecord(out, record, i + 1);
    if (track.ring->lost() > 0) {
      out << ",\n{\"name\":\"" << track.ring->lost() << " records lost\",\"ph\":\"M\",\"pid\":" << getpid()
          << ",\"tid\":" << i + 1 << "}";
    }
  }
  out << "\n]}\n";
}

}  // namespace tactus::periodic
