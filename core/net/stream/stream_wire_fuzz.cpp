// SPDX-License-Identifier: Apache-2.0
// Hostile datagrams: decode() and BufferAssembly never read or write outside, whatever comes in whatever
// order.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "core/net/stream/buffer_assembly.h"
#include "core/net/stream/stream_wire.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLargest = 300, kPiece = 100;

/// The input's bytes, taken from its start.
struct Input {
  std::span<const std::uint8_t> left;

  std::size_t byte() {
    if (left.empty()) return 0;
    const std::size_t value = left.front();
    left = left.subspan(1);
    return value;
  }
  std::span<const std::byte> bytes(std::size_t count) {
    const auto taken = left.first(std::min(count, left.size()));
    left = left.subspan(taken.size());
    return std::as_bytes(taken);
  }
};

void require(bool holds) {
  if (!holds) std::abort();
}

/// All buffers that are there, read to the last byte.
void takeAll(BufferAssembly& assembly, periodic::TimePoint now) {
  while (const auto buffer = assembly.next(now)) {
    require(buffer->bytes.size() <= kLargest);
    std::size_t sum = 0;
    for (const std::byte each : buffer->bytes) sum += std::to_integer<std::size_t>(each);
    require(sum <= 255 * kLargest && buffer->end == buffer->bytes.empty());
    assembly.release();
  }
}

void run(Input input) {
  const std::size_t choice = input.byte();
  auto made = BufferAssembly::create({.largestBuffer = kLargest,
                                      .pieceSize = kPiece,
                                      .window = 2 + choice % 6,
                                      .patience = 3ms,
                                      .reliable = (choice & 64) != 0,
                                      .confirming = (choice & 128) != 0 ? 1U : 3U});
  BufferAssembly assembly = std::move(made).value();
  const StreamExpectation expected{0, kLargest, kPiece};
  periodic::TimePoint now(1h);
  while (!input.left.empty()) {
    const std::size_t step = input.byte();
    now += periodic::Duration(1ms) * static_cast<int>(step & 7);
    if ((step & 8) != 0) takeAll(assembly, now);
    const auto bytes = input.bytes(kStreamHeaderSize + (step >> 4) * 10);
    const auto piece = decode(bytes, expected);
    if (!piece.ok()) continue;
    require(piece.value().bytes.size() + kStreamHeaderSize == bytes.size());
    (void)assembly.add(piece.value(), now);
  }
  takeAll(assembly, now + 1h);
  const AssemblyFigures& figures = assembly.figures();
  require(figures.incomplete <= figures.lost);
}

}  // namespace
}  // namespace tactus::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tactus::net::run({std::span(data, size)});
  return 0;
}
