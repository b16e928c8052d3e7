// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of ReadLoop in one thread.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "core/net/port/read_loop.h"
#include "core/net/port/virtual_port_fixture.h"

namespace tactus::net {

/// 50 buffers a second.
inline StreamContract readContract(bool isochronous = false) {
  StreamContract contract;
  contract.transport = TransportKind::Tcp;
  contract.largestBuffer = 100;
  contract.rate = periodic::Rate::perSecond(50);
  contract.isochronous = isochronous;
  return contract;
}
inline constexpr periodic::Duration kPeriod = std::chrono::milliseconds(20);

/// A port that is halted once nothing has come for `patience`.
struct ReadBench {
  struct Call {
    std::uint32_t number = 0;
    periodic::Duration at = {};  // since the test began
    bool isEmpty = false;

    friend bool operator==(const Call&, const Call&) noexcept = default;
  };

  explicit ReadBench(const StreamContract& wanted) : contract(wanted) {
    end.whenWaited = [this] {
      if (port.clock.passed() >= until) port.halt();
    };
  }

  /// Buffers `first` ... `last` - 1 are made once a period and come after `network`.
  void send(std::uint32_t first, std::uint32_t last, periodic::Duration network = {}) {
    for (std::uint32_t i = first; i < last; ++i) end.comes(i, i * kPeriod, i * kPeriod + network);
  }
  /// The end of the stream, after `number` buffers.
  void sendEnd(std::uint32_t number) { end.comes(number, number * kPeriod, number * kPeriod, true); }
  /// Runs until `instant`, then halts.
  std::optional<LoopEnded> runUntil(periodic::Duration instant) {
    until = instant;
    return port.runAgain(loop);
  }
  [[nodiscard]] std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> numbers;
    for (const Call& each : calls) numbers.push_back(each.number);
    return numbers;
  }
  [[nodiscard]] StreamFigures figures() const { return loop.figures(); }
  [[nodiscard]] periodic::TimePoint now() { return port.clock.now(); }

  StreamContract contract;
  VirtualPort port{contract, PortType::Read};
  VirtualReceivingEnd end{port.clock};
  periodic::Duration until = {};
  std::function<void(const StreamBuffer&)> inHandler = {};
  std::vector<Call> calls = {};
  const ReadHandler handler = [this](const StreamBuffer& buffer) {
    calls.push_back({buffer.number, port.clock.passed(), buffer.bytes.empty()});
    if (inHandler) inHandler(buffer);
  };
  ReadLoop loop{contract, handler, end, PortClock::kBegin};
};

}  // namespace tactus::net
