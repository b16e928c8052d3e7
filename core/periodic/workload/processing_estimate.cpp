// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/workload/processing_estimate.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace tactus::periodic {
namespace {

// relaxed: a counter with one writer; the histograms are atomic themselves.
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::int64_t kLongest = 3'600'000'000'000;  // an hour, in ns

/// The next tab-separated field of `line`, as a number from 0 to kLongest.
std::optional<std::int64_t> takeNumber(std::string_view& line) {
  const std::size_t tab = line.find('\t');
  const std::string_view field = line.substr(0, tab);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size() || value < 0 || value > kLongest)
    return std::nullopt;
  line = tab == std::string_view::npos ? std::string_view{} : line.substr(tab + 1);
  return value;
}

}  // namespace

void ProcessingEstimate::record(Duration cpu) TACTUS_REALTIME {
  const std::uint64_t packets = m_packets.load(kRelaxed);
  auto& window = m_windows[packets / kWindow % 2];
  if (packets % kWindow == 0) window.clear();
  window.record(cpu);
  m_packets.store(packets + 1, kRelaxed);
}

std::optional<ProcessingTimes> ProcessingEstimate::figures(double quantile) const noexcept {
  const std::uint64_t packets = m_packets.load(kRelaxed);
  if (packets < kTrustworthy) return std::nullopt;
  ProcessingTimes times;
  times.packets = packets;
  for (const auto& window : m_windows) {
    const auto figures = window.snapshot();
    if (figures.count == 0) continue;
    times.worst = std::max(times.worst, figures.maximum);
    // Of a window just begun, a quantile says nothing yet.
    if (figures.count >= kTrustworthy) times.typical = std::max(times.typical, window.quantile(quantile));
  }
  return times;
}

void ProcessingMemory::load(std::string_view text) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text = newline == std::string_view::npos ? std::string_view{} : text.substr(newline + 1);
    const auto typical = takeNumber(line);
    const auto worst = typical ? takeNumber(line) : std::nullopt;
    const auto packets = worst ? takeNumber(line) : std::nullopt;
    if (!packets || line.empty() || *typical > *worst || *worst == 0) continue;
    learn(std::string(line), {Duration(*typical), Duration(*worst), static_cast<std::uint64_t>(*packets)});
  }
}

std::string ProcessingMemory::save() const {
  std::vector<std::pair<std::uint64_t, std::string>> lines;  // the least recently used first
  for (const auto& [kind, known] : m_kinds) {
    lines.emplace_back(known.used, std::to_string(known.times.typical.count()) + '\t' +
                                       std::to_string(known.times.worst.count()) + '\t' +
                                       std::to_string(known.times.packets) + '\t' + kind + '\n');
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& [used, line] : lines) text += line;
  return text;
}

std::optional<ProcessingTimes> ProcessingMemory::find(const std::string& kind) const {
  const auto found = m_kinds.find(kind);
  if (found == m_kinds.end()) return std::nullopt;
  return found->second.times;
}

void ProcessingMemory::learn(const std::string& kind, const ProcessingTimes& times) {
  if (kind.empty() || kind.find_first_of("\t\n") != std::string::npos || times.worst <= Duration::zero())
    return;
  m_kinds[kind] = {times, ++m_uses};
  if (m_kinds.size() <= kKinds) return;
  m_kinds.erase(std::min_element(m_kinds.begin(), m_kinds.end(),
                                 [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
}

}  // namespace tactus::periodic
