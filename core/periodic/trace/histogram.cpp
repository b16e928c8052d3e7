// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/trace/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tactus::periodic {
namespace {

constexpr int kHalf = DurationHistogram::kBuckets / 2;
constexpr std::uint64_t kLargest = 100'000'000;  // microseconds

/// 0 ... 15 us: one bucket each; above, 16 buckets per power of two.
int magnitudeIndex(std::uint64_t microseconds) noexcept {
  microseconds = std::min(microseconds, kLargest);
  if (microseconds < 16) return static_cast<int>(microseconds);
  const int shift = static_cast<int>(std::bit_width(microseconds)) - 5;
  return (shift + 1) * 16 + static_cast<int>((microseconds >> shift) - 16);
}

/// The middle of a magnitude bucket, in nanoseconds.
std::int64_t middleOf(int index) noexcept {
  if (index < 16) return index * 1000 + 500;
  const int shift = index / 16 - 1;
  const std::int64_t low = (16 + index % 16) * (std::int64_t{1} << shift);
  return low * 1000 + (std::int64_t{1} << shift) * 500;
}

// relaxed everywhere below: the buckets are counters for statistics, no other data hangs on them, and the
// only writer is one thread.
constexpr auto kRelaxed = std::memory_order_relaxed;

void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) noexcept {
  counter.store(counter.load(kRelaxed) + amount, kRelaxed);
}

}  // namespace

static_assert(kLargest < (std::uint64_t{1} << 27), "the largest magnitude fits its half of the buckets");

void DurationHistogram::record(Duration value) TACTUS_REALTIME {
  const std::int64_t count = value.count();
  const bool negative = count < 0;
  const std::uint64_t magnitude =
      (negative ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count)) / 1000;
  const int index = magnitudeIndex(magnitude);
  add(m_buckets[static_cast<std::size_t>(negative ? kHalf - 1 - index : kHalf + index)], 1);
  add(m_count, 1);
  m_sum.store(m_sum.load(kRelaxed) + count, kRelaxed);
  if (count < m_minimum.load(kRelaxed)) m_minimum.store(count, kRelaxed);
  if (count > m_maximum.load(kRelaxed)) m_maximum.store(count, kRelaxed);
}

void DurationHistogram::clear() TACTUS_REALTIME {
  for (auto& bucket : m_buckets) bucket.store(0, kRelaxed);
  m_count.store(0, kRelaxed);
  m_sum.store(0, kRelaxed);
  m_minimum.store(INT64_MAX, kRelaxed);
  m_maximum.store(INT64_MIN, kRelaxed);
}

namespace {

using Counts = std::array<std::uint64_t, DurationHistogram::kBuckets>;

/// The middle of the bucket of the rank-th smallest record.
Duration valueAt(const Counts& counts, std::uint64_t rank) noexcept {
  std::uint64_t seen = 0;
  for (int i = 0; i < DurationHistogram::kBuckets; ++i) {
    seen += counts[static_cast<std::size_t>(i)];
    if (seen >= rank) return Duration(i >= kHalf ? middleOf(i - kHalf) : -middleOf(kHalf - 1 - i));
  }
  return Duration::max();
}

}  // namespace

DurationHistogram::Snapshot DurationHistogram::snapshot() const noexcept {
  Counts counts;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = m_buckets[i].load(kRelaxed);
    total += counts[i];
  }
  Snapshot result;
  result.count = total;
  if (total == 0) return result;
  result.minimum = Duration(m_minimum.load(kRelaxed));
  result.maximum = Duration(m_maximum.load(kRelaxed));
  result.mean = Duration(m_sum.load(kRelaxed) / static_cast<std::int64_t>(total));
  const auto quantileOf = [&](std::uint64_t perMille) {
    const std::uint64_t rank = std::max<std::uint64_t>(1, (total * perMille + 999) / 1000);
    return std::clamp(valueAt(counts, rank), result.minimum, result.maximum);
  };
  result.p1 = quantileOf(10);
  result.p50 = quantileOf(500);
  result.p99 = quantileOf(990);
  result.p999 = quantileOf(999);
  return result;
}

Duration DurationHistogram::quantile(double q) const noexcept {
  Counts counts;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) total += counts[i] = m_buckets[i].load(kRelaxed);
  if (total == 0) return Duration{0};
  const auto rank =
      static_cast<std::uint64_t>(std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(total)));
  return std::clamp(valueAt(counts, std::max<std::uint64_t>(1, rank)), Duration(m_minimum.load(kRelaxed)),
                    Duration(m_maximum.load(kRelaxed)));
}

}  // namespace tactus::periodic
