// SPDX-License-Identifier: Apache-2.0
// Random networks between a sender and an assembly: what is delivered in all of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "core/net/stream/buffer_assembly.h"
#include "core/net/stream/buffer_assembly_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

constexpr std::size_t kPiece = 10, kLargest = 40;
constexpr Duration kPeriod = 10ms;

/// A piece on its way.
struct Sent {
  std::size_t buffer, piece;
  TimePoint at;
};

/// What a network does to the pieces of some buffers.
struct Network {
  std::uint32_t first = 0;
  std::vector<SentBuffer> buffers;
  std::vector<Sent> arrivals;  // in the order of time

  /// `lossy`: pieces are lost and doubled; `delays`: how late they may come.
  Network(std::size_t count, bool lossy, const std::vector<Duration>& delays) {
    first = *rc::gen::element<std::uint32_t>(0, 5, 0xfffffff0, 0x7ffffff8);
    for (std::size_t i = 0; i < count; ++i) {
      buffers.emplace_back(first + static_cast<std::uint32_t>(i),
                           *rc::gen::element<std::size_t>(1, 10, 25, 40, 0), kPiece);
      const TimePoint made = TimePoint(1h) + kPeriod * static_cast<int>(i);
      for (std::size_t piece = 0; piece < buffers[i].pieces(); ++piece) {
        const int copies = lossy ? *rc::gen::element(1, 1, 1, 1, 1, 2, 0) : 1;
        for (int copy = 0; copy < copies; ++copy)
          arrivals.push_back({i, piece, made + *rc::gen::elementOf(delays)});
      }
    }
    std::stable_sort(arrivals.begin(), arrivals.end(),
                     [](const Sent& one, const Sent& other) { return one.at < other.at; });
    for (std::size_t i = 0; i < arrivals.size(); ++i)  // no two at one instant
      arrivals[i].at += Duration(static_cast<std::int64_t>(i));
  }
  [[nodiscard]] StreamPiece pieceOf(const Sent& sent) const { return buffers[sent.buffer].piece(sent.piece); }
};

/// A reader that takes buffers and checks them.
struct Reader {
  BufferAssembly& assembly;
  const Network& network;
  std::vector<std::size_t> delivered = {};  // places in network.buffers

  bool take(TimePoint now) {
    const auto buffer = assembly.next(now);
    if (!buffer) return false;
    const std::size_t place = buffer->number - network.first;
    RC_ASSERT(place < network.buffers.size());
    RC_ASSERT(sameBytes(buffer->bytes, network.buffers[place].bytes));
    RC_ASSERT(buffer->end == network.buffers[place].bytes.empty());
    RC_ASSERT(buffer->made == network.buffers[place].made);
    RC_ASSERT((delivered.empty() || delivered.back() < place));
    delivered.push_back(place);
    return true;
  }
  /// All that can be taken until `end`, each as soon as it can.
  void takeUntil(TimePoint end) {
    for (TimePoint now{}; now <= end; now = assembly.wakeAt()) {
      while (take(now)) assembly.release();
      RC_ASSERT(assembly.wakeAt() > now);
      if (assembly.wakeAt() == TimePoint::max()) return;
    }
  }
};

BufferAssembly assemblyOf(std::size_t window, Duration patience, std::uint32_t first, bool reliable = false) {
  auto made = BufferAssembly::create({.largestBuffer = kLargest,
                                      .pieceSize = kPiece,
                                      .window = window,
                                      .patience = patience,
                                      .reliable = reliable});
  made.value().restart(first);
  return std::move(made).value();
}

RC_GTEST_PROP(BufferAssemblyProperty, DeliversWhatIsWholeBeforeALaterOneHasWaited, ()) {
  const Network network(*rc::gen::element<std::size_t>(3, 20), *rc::gen::element(true, false),
                        {0ms, 0ms, 1ms, 7ms, 15ms, 33ms, 70ms});
  const Duration patience = *rc::gen::element(0ms, 5ms, 30ms, 100ms);
  BufferAssembly assembly = assemblyOf(64, patience, network.first);  // never full
  Reader reader{assembly, network};
  for (const Sent& sent : network.arrivals) {
    reader.takeUntil(sent.at);
    (void)assembly.add(network.pieceOf(sent), sent.at);
    while (reader.take(sent.at)) assembly.release();
  }
  reader.takeUntil(TimePoint::max() - 1ns);

  // When the last piece of each buffer came first; from the last buffer to the first, whether it is in time.
  std::vector<std::size_t> wanted;
  std::optional<TimePoint> givenUp;
  for (std::size_t i = network.buffers.size(); i-- > 0;) {
    std::map<std::size_t, TimePoint> pieces;
    for (const Sent& sent : network.arrivals)
      if (sent.buffer == i) pieces.emplace(sent.piece, sent.at);
    if (pieces.size() < network.buffers[i].pieces()) continue;
    TimePoint whole{};
    for (const auto& [piece, at] : pieces) whole = std::max(whole, at);
    if (givenUp && whole >= *givenUp) continue;
    wanted.insert(wanted.begin(), i);
    givenUp = std::min(givenUp.value_or(TimePoint::max()), whole + patience);
  }
  RC_ASSERT(reader.delivered == wanted);
}

RC_GTEST_PROP(BufferAssemblyProperty, DeliversOnceAndInOrderWhatItCalledWholeAndCountsAdd, ()) {
  const Network network(*rc::gen::element<std::size_t>(3, 24), true, {0ms, 3ms, 25ms, 60ms});
  const auto window = *rc::gen::element<std::size_t>(2, 3, 8);
  BufferAssembly assembly = assemblyOf(window, *rc::gen::element(0ms, 5ms, 50ms), network.first);
  Reader reader{assembly, network};
  const int lazy = *rc::gen::element(0, 3, 9);  // a buffer is held for so many pieces
  int holds = 0;
  std::map<Added, std::uint64_t> count;
  std::vector<std::size_t> whole;
  for (const Sent& sent : network.arrivals) {
    const Added added = assembly.add(network.pieceOf(sent), sent.at);
    ++count[added];
    if (added == Added::Whole) whole.push_back(sent.buffer);
    if (holds > 0 && --holds > 0) continue;
    assembly.release();
    if (reader.take(sent.at)) holds = lazy;
  }
  assembly.release();
  reader.takeUntil(TimePoint::max() - 1ns);
  std::sort(whole.begin(), whole.end());
  RC_ASSERT(reader.delivered == whole);
  const AssemblyFigures& figures = assembly.figures();
  RC_ASSERT(figures.whole == whole.size());
  RC_ASSERT(figures.whole + figures.lost == assembly.expected() - network.first);
  RC_ASSERT(figures.incomplete <= figures.lost);
  RC_ASSERT(figures.again == count[Added::Again]);
  RC_ASSERT(figures.tooLate == count[Added::TooLate]);
  RC_ASSERT(figures.full == count[Added::Full]);
  RC_ASSERT(figures.stray == count[Added::Stray]);
  RC_ASSERT((figures.malformed == 0u && count[Added::Malformed] == 0u));
}

RC_GTEST_PROP(BufferAssemblyProperty, AReliableStreamDeliversAllThatIsOfferedUntilItIsTaken, ()) {
  const Network network(*rc::gen::element<std::size_t>(3, 20), false, {0ms, 12ms, 45ms});
  BufferAssembly assembly = assemblyOf(*rc::gen::element<std::size_t>(2, 5, 16), 0ms, network.first, true);
  Reader reader{assembly, network};
  std::vector<Sent> waiting = network.arrivals;
  for (std::size_t rounds = 0; !waiting.empty(); ++rounds) {
    RC_ASSERT(rounds <= network.buffers.size());
    std::vector<Sent> refused;
    for (const Sent& sent : waiting) {
      const Added added = assembly.add(network.pieceOf(sent), sent.at);
      if (added == Added::Full || added == Added::Stray) refused.push_back(sent);
      if (*rc::gen::element(true, false) && reader.take(sent.at)) assembly.release();
    }
    while (reader.take(TimePoint(2h))) assembly.release();
    waiting = refused;
  }
  RC_ASSERT(reader.delivered.size() == network.buffers.size());
  RC_ASSERT(assembly.figures().lost == 0u);
}

RC_GTEST_PROP(BufferAssemblyProperty, NumbersFarAwayBetweenGenuinePiecesChangeNothing, ()) {
  const Network network(20, false, {0ms, 3ms});
  BufferAssembly assembly = assemblyOf(8, 20ms, network.first);
  Reader reader{assembly, network};
  const SentBuffer forged(0, 10, kPiece);
  for (const Sent& sent : network.arrivals) {
    StreamPiece piece = forged.piece(0);
    piece.header.number =
        network.first +
        *rc::gen::element<std::uint32_t>(100, 101, 102, 9000, 0x7fffffff, 0x80000000, 0x80000001, 0xffff0000);
    RC_ASSERT(assembly.add(piece, sent.at) == Added::Stray);
    const Added added = assembly.add(network.pieceOf(sent), sent.at);
    RC_ASSERT(added == Added::Stored || added == Added::Whole);
    while (reader.take(sent.at)) assembly.release();
  }
  RC_ASSERT(reader.delivered.size() == network.buffers.size());
}

/// A piece as a peer without good will sends it: any number near the window, and fields that may not fit.
StreamPiece hostilePiece(std::uint32_t expected, std::span<const std::byte> bytes) {
  StreamPiece piece;
  piece.header.number = expected + *rc::gen::element<std::uint32_t>(0, 1, 2, 3, 4, 5, 9, 0xffffffff, 70'000);
  piece.header.length = *rc::gen::element<std::uint32_t>(0, 1, 10, 39, 40, 41, 0xffffffff);
  piece.header.offset = *rc::gen::element<std::uint32_t>(0, 0, 10, 20, 30, 40, 5, 0xfffffff6);
  piece.header.end = piece.header.length == 0;
  piece.bytes = bytes.first(*rc::gen::element<std::size_t>(0, 1, 9, 10, 10, 10, 11, 50));
  return piece;
}

RC_GTEST_PROP(BufferAssemblyProperty, HostilePiecesDoNotTouchABufferThatIsHeldNorStopTheStream, ()) {
  BufferAssembly assembly = assemblyOf(4, 5ms, 0);
  const SentBuffer mine(0, kLargest, kPiece);
  for (std::size_t piece = 0; piece < mine.pieces(); ++piece)
    (void)assembly.add(mine.piece(piece), TimePoint(1h));
  const auto held = assembly.next(TimePoint(1h));
  RC_ASSERT(held.has_value());
  const std::vector<std::byte> hostile(64, std::byte{0xee});
  const int count = *rc::gen::element(5, 40);
  for (int i = 0; i < count; ++i) {
    (void)assembly.add(hostilePiece(assembly.expected(), hostile), TimePoint(1h));
    RC_ASSERT(sameBytes(held->bytes, mine.bytes));
  }
  assembly.release();
  while (const auto buffer = assembly.next(TimePoint(2h))) {
    RC_ASSERT(buffer->bytes.size() <= kLargest);
    RC_ASSERT(std::all_of(buffer->bytes.begin(), buffer->bytes.end(),
                          [](std::byte each) { return each == std::byte{0xee}; }));
    assembly.release();
  }
  // A genuine stream goes on after what the window had, wherever the peer has led it.
  bool delivered = false;
  for (std::uint32_t number = 1; number < 12 && !delivered; ++number) {
    const SentBuffer next(number, 25, kPiece);
    for (std::size_t piece = 0; piece < next.pieces(); ++piece)
      (void)assembly.add(next.piece(piece), TimePoint(3h) + number * kPeriod);
    const auto buffer = assembly.next(TimePoint(3h) + number * kPeriod);
    delivered = buffer && sameBytes(buffer->bytes, contentOf(buffer->number, 25));
    if (buffer) assembly.release();
  }
  RC_ASSERT(delivered);
}

}  // namespace
}  // namespace tactus::net
