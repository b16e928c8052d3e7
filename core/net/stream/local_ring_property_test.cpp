// SPDX-License-Identifier: Apache-2.0
// Any order of operations of both ends: they agree with a queue; and what the other end writes never leads
// outside.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>

#include "core/net/stream/local_ring_fixture.h"
#include "core/net/stream/local_ring_reader.h"
#include "core/net/stream/local_ring_writer.h"

namespace tactus::net {
namespace {

constexpr int kSteps = 100;

struct Record {
  std::uint64_t number;
  std::size_t bytes;
};

std::size_t randomSize(std::size_t largest) {
  const std::size_t most = *rc::gen::element(std::size_t{8}, largest / 4, largest / 2, largest);
  return *rc::gen::resize(rc::kNominalSize,
                          rc::gen::inRange(std::size_t{1}, std::max(most, std::size_t{1}) + 1));
}

/// Both ends of a ring beside a queue that holds what was written and not read.
class Agreement {
 public:
  void step() {
    switch (*rc::gen::element(0, 0, 1, 1, 2, 3)) {
      case 0:
        return write();
      case 1:
        return read();
      case 2:
        return readerWaits();
      default:
        return writerWaits();
    }
  }
  void end() {
    m_writer.close();
    while (!m_expected.empty()) read();
    RC_ASSERT(m_reader.next().empty());
    RC_ASSERT(m_reader.state() == RingState::Ended);
  }

 private:
  void write() {
    const std::size_t bytes = m_writerWaits ? *m_full : randomSize(m_writer.largest());
    m_largestPlace = std::max(m_largestPlace, placeOf(bytes));
    const auto room = m_writer.room(bytes);
    if (room.empty()) {
      RC_ASSERT(m_writer.state() == RingState::Full);
      // One skip, for this record or an earlier one, wastes less than the place of that.
      RC_ASSERT(m_used + placeOf(bytes) + m_largestPlace > m_ring.capacity());
      m_full = bytes;
      return;
    }
    RC_ASSERT(room.size() == bytes);
    if (std::exchange(m_writerWaits, false)) RC_ASSERT(readable(m_writer.descriptor(), 0));
    m_full.reset();
    const std::size_t committed = *rc::gen::element(bytes, bytes, bytes, bytes / 2);
    fillRecord(room.first(committed), m_written);
    m_writer.commit(committed);
    if (committed == 0) return;
    m_expected.push_back({m_written++, committed});
    m_used += placeOf(committed);
    if (std::exchange(m_readerWaits, false)) RC_ASSERT(readable(m_reader.descriptor(), 0));
  }

  void read() {
    const auto record = m_reader.next();
    if (m_expected.empty()) {
      RC_ASSERT(record.empty());
      RC_ASSERT(m_reader.state() == RingState::Empty);
      return emptyRingTakesAll();
    }
    RC_ASSERT(record.size() == m_expected.front().bytes);
    RC_ASSERT(isRecord(record, m_expected.front().number));
    if (*rc::gen::element(true, false)) {
      m_reader.release();
    } else {
      std::vector<std::byte> into(record.size());
      RC_ASSERT(m_reader.take(into) == into.size());
      RC_ASSERT(isRecord(into, m_expected.front().number));
    }
    m_used -= placeOf(m_expected.front().bytes);
    m_expected.pop_front();
  }

  /// Once the reader has read the skip that may precede it.
  void emptyRingTakesAll() {
    if (std::exchange(m_writerWaits, false)) RC_ASSERT(readable(m_writer.descriptor(), 0));
    m_largestPlace = placeOf(m_writer.largest());
    if (m_writer.room(m_writer.largest()).empty()) RC_ASSERT(m_reader.next().empty());
    RC_ASSERT(m_writer.room(m_writer.largest()).size() == m_writer.largest());
    m_writer.commit(0);
    m_full.reset();
  }

  void readerWaits() {
    if (m_reader.state() != RingState::Empty) return;
    m_readerWaits = m_reader.prepareWait();
    RC_ASSERT(!m_readerWaits || m_expected.empty());
  }

  void writerWaits() {
    if (m_full) m_writerWaits = m_writer.prepareWait();
  }

  LocalRing m_ring = LocalRing::create(*rc::gen::element<std::size_t>(64, 128, 192, 1024, 4096)).value();
  LocalRing m_other = LocalRing::open(copiesOf(m_ring), m_ring.capacity()).value();
  LocalRingWriter m_writer{m_ring};
  LocalRingReader m_reader{m_other};
  std::deque<Record> m_expected;
  std::uint64_t m_written = 0;
  std::size_t m_used = 0, m_largestPlace = 0;
  std::optional<std::size_t> m_full;  // the last room() had none for this
  bool m_readerWaits = false, m_writerWaits = false;
};

RC_GTEST_PROP(LocalRingProperty, BothEndsAgreeWithAQueue, ()) {
  Agreement agreement;
  for (int i = 0; i < kSteps; ++i) agreement.step();
  agreement.end();
}

/// Writes as a hostile peer would: words that are nearly right, and any.
void scribble(std::span<std::byte> memory) {
  const std::size_t words = memory.size() / sizeof(std::uint64_t);
  const std::size_t word =
      *rc::gen::element(offsetof(RingHeader, written) / 8, offsetof(RingHeader, read) / 8,
                        offsetof(RingHeader, writerWakesAt) / 8, offsetof(RingHeader, readerWakesAt) / 8,
                        *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, words)));
  std::uint64_t value = 0;
  std::memcpy(&value, memory.data() + word * 8, 8);
  const auto any = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
  value = *rc::gen::element<std::uint64_t>(value + 8, value - 8, value + 1, value + 64, value ^ any, any,
                                           kSkip, 0, memory.size() - sizeof(RingHeader) - 8);
  std::memcpy(memory.data() + word * 8, &value, 8);
}

bool lies(std::span<const std::byte> inner, std::span<const std::byte> outer) {
  return inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size();
}

RC_GTEST_PROP(LocalRingProperty, WhateverAPeerWritesNothingOutsideTheRingIsTouched, ()) {
  const LocalRing ring = LocalRing::create(*rc::gen::element<std::size_t>(64, 128, 192, 1024)).value();
  const LocalRing other = LocalRing::open(copiesOf(ring), ring.capacity()).value();
  LocalRingWriter writer(ring);
  LocalRingReader reader(other);
  const auto ours = ring.memory().subspan(sizeof(RingHeader));
  const auto theirs = other.memory().subspan(sizeof(RingHeader));
  bool writerBroken = false, readerBroken = false;
  for (int i = 0; i < kSteps; ++i) {
    if (*rc::gen::inRange(0, 8) == 7) scribble(ring.memory());
    const auto room = writer.room(randomSize(writer.largest()));
    if (!room.empty()) {
      RC_ASSERT(!writerBroken);
      RC_ASSERT(lies(room, ours));
      std::memset(room.data(), 0xff, room.size());
      writer.commit(room.size());
    } else {
      (void)writer.prepareWait();
      writerBroken = writerBroken || writer.state() == RingState::Broken;
      RC_ASSERT(!writerBroken || writer.state() == RingState::Broken);
    }
    const auto record = reader.next();
    if (!record.empty()) {
      RC_ASSERT(!readerBroken);
      RC_ASSERT(lies(record, theirs));
      if (*rc::gen::element(true, false)) scribble(ring.memory());
      std::vector<std::byte> into(record.size());
      RC_ASSERT(reader.take(into) == into.size());
    } else {
      (void)reader.prepareWait();
      readerBroken = readerBroken || reader.state() == RingState::Broken;
      RC_ASSERT(!readerBroken || reader.state() == RingState::Broken);
    }
  }
}

}  // namespace
}  // namespace tactus::net
