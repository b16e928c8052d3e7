// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of the link alone.

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/net/link/link.h"

namespace tactus::net {

/// A link and its senders in virtual time. Packets live here.
class LinkBench {
 public:
  using Duration = periodic::Duration;
  using TimePoint = periodic::TimePoint;

  /// A packet that had its turn.
  struct Gone {
    FlowId flow;
    std::size_t bytes;
    TimePoint at, arrival;
    bool late;
  };

  explicit LinkBench(BitRate rate) : link(rate) {}

  FlowId add(const std::string& name, LinkClass linkClass, double weight = 1,
             std::optional<ByteContract> contract = {}, std::optional<Duration> longestWait = {}) {
    return link.add({name, linkClass, weight, contract, longestWait}).value();
  }

  Offered offer(FlowId flow, std::size_t bytes) {
    auto packet = std::make_unique<LinkPacket>();
    packet->bytes = bytes;
    const Offered offered = link.offer(flow, *packet, now);
    if (offered == Offered::Waits) m_packets.emplace(packet.get(), std::move(packet));
    return offered;
  }

  /// As the link's thread does it: all whose turn it is, then a sleep until the link wants to be asked, at
  /// most until `end`. `woken`, if given, is called at each instant before that.
  void runUntil(TimePoint end, const std::function<void()>& woken = {}) {
    for (;;) {
      if (woken) woken();
      while (const auto turn = link.next(now)) {
        gone.push_back({turn->packet->flow, turn->packet->bytes, now, turn->packet->arrival, turn->late});
        m_packets.erase(turn->packet);
        if (woken) woken();
      }
      const TimePoint wake = link.wakeAt();
      if (wake > end) break;
      now = std::max(now, wake);
    }
    now = end;
  }
  void runFor(Duration time, const std::function<void()>& woken = {}) { runUntil(now + time, woken); }

  [[nodiscard]] std::size_t bytesOf(FlowId flow) const {
    std::size_t sum = 0;
    for (const Gone& each : gone)
      if (each.flow == flow && !each.late) sum += each.bytes;
    return sum;
  }
  [[nodiscard]] FlowRow row(FlowId flow) const { return link.row(flow).value(); }

  ~LinkBench() {  // the link lets go of what still waits
    for (const FlowRow& row : link.rows())
      while (LinkPacket* packet = link.first(row.flow)) link.takeBack(*packet, now);
  }

  TimePoint now{std::chrono::seconds(100)};
  std::vector<Gone> gone = {};
  Link link;

 private:
  std::map<LinkPacket*, std::unique_ptr<LinkPacket>> m_packets;
};

}  // namespace tactus::net
