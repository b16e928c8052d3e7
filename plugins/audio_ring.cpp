// SPDX-License-Identifier: Apache-2.0
#include "plugins/audio_ring.h"

#include <algorithm>
#include <cstring>

namespace tactus::plugins {

std::uint64_t AudioRing::readPosition() const TACTUS_REALTIME {
  // acquire: what the reader copied out is copied; its space may be written again.
  return std::max(m_consumed.load(std::memory_order_acquire), m_discarded.load(std::memory_order_relaxed));
}

std::size_t AudioRing::waiting() const TACTUS_REALTIME {
  const std::uint64_t position = readPosition();
  // relaxed: a number only. Read after the position, hence never behind it for long; a stale one counts as
  // empty.
  const std::uint64_t written = m_written.load(std::memory_order_relaxed);
  return static_cast<std::size_t>(written - std::min(position, written));
}

void AudioRing::write(const std::byte* data, std::size_t bytes) TACTUS_REALTIME {
  // relaxed: this thread alone writes it.
  const std::uint64_t position = m_written.load(std::memory_order_relaxed);
  const std::size_t offset = position % m_bytes.size();
  const std::size_t first = std::min(bytes, m_bytes.size() - offset);
  std::memcpy(m_bytes.data() + offset, data, first);
  std::memcpy(m_bytes.data(), data + first, bytes - first);
  if (m_dry.exchange(false, std::memory_order_relaxed)) m_gaps.fetch_add(1, std::memory_order_relaxed);
  // release: the samples are there before they are counted.
  m_written.store(position + bytes, std::memory_order_release);
}

std::size_t AudioRing::read(std::byte* into, std::size_t bytes, std::size_t prime) TACTUS_REALTIME {
  const std::uint64_t position = readPosition();
  // acquire: the samples up to here are in the ring.
  const std::uint64_t written = m_written.load(std::memory_order_acquire);
  const std::size_t there = static_cast<std::size_t>(written - std::min(position, written));
  if (!m_primed && there < prime) return 0;
  m_primed = true;
  const std::size_t count = std::min(bytes, there);
  // A copy that the kernel stops for as long as the ring lasts may find newer samples in its place when they
  // were given up meanwhile: a click after a gap of that length, nothing worse.
  const std::size_t offset = position % m_bytes.size();
  const std::size_t first = std::min(count, m_bytes.size() - offset);
  std::memcpy(into, m_bytes.data() + offset, first);
  std::memcpy(into + first, m_bytes.data(), count - first);
  if (count < bytes) {
    m_primed = false;
    m_dry.store(true, std::memory_order_relaxed);
  }
  // release: the space is free only after it was read.
  m_consumed.store(position + count, std::memory_order_release);
  return count;
}

void AudioRing::discard(std::size_t bytes) TACTUS_REALTIME {
  const std::uint64_t written = m_written.load(std::memory_order_relaxed);
  const std::uint64_t target = std::min<std::uint64_t>(readPosition() + bytes, written);
  // relaxed: no data hangs on it; the reader skips to it with its next look.
  std::uint64_t now = m_discarded.load(std::memory_order_relaxed);
  while (now < target && !m_discarded.compare_exchange_weak(now, target, std::memory_order_relaxed)) {
  }
}

}  // namespace tactus::plugins
