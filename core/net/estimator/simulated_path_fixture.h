// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: senders that go by a BandwidthEstimator each, a link that they share, receivers with clocks of
// their own. Virtual time in steps of a millisecond; the same seed gives the same run.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "core/net/estimator/bandwidth_estimator.h"

namespace tactus::net::testing {

/// Numbers by chance, the same with every library.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : m_engine(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(m_engine()) / 4294967296.0;
  }
  bool happens(double share) { return between(0, 1) < share; }

 private:
  std::mt19937 m_engine;
};

struct SimulatedSender {
  BandwidthEstimator::Range range;
  BandwidthEstimator::Constants constants = {};
  double begins = 0;    // s
  double limit = 1e12;  // bit/s that its application has
  double floor = 0;     // bit/s: its encoder does not come below
  double picturesPerSecond = 25;
  double encoderLag = 0.25;     // s: time constant with which the encoder comes to a new target
  double unevenness = 0.3;      // share by which a picture is larger or smaller than the mean
  double propagation = 0.02;    // s, each way
  double feedback = 0.1;        // s between two reports
  double feedbackDisorder = 0;  // share of reports that are 100 ms late
  double clockOffset = 0;       // s, of the receiver's clock
  double clockDrift = 0;        // share
};

class SimulatedPath {
 public:
  std::function<double(double)> rate = [](double) { return 1e6; };  // bit/s at an instant in seconds
  double longestQueue = 0.2;                                        // s; what comes to a full queue is lost
  double loss = 0;                                                  // share of packets
  double jitter = 0;                                                // s, most that a packet is late by chance
  /// s by which a packet that passes now is held up, as in a radio link that repeats.
  std::function<double(double)> holdUp = [](double) { return 0.0; };

  explicit SimulatedPath(std::uint32_t seed) : m_chance(seed) {}

  std::size_t add(const SimulatedSender& sender) {
    m_flows.emplace_back(sender);
    return m_flows.size() - 1;
  }
  /// Goes on until then, in seconds.
  void run(double until) {
    for (; now() < until; ++m_tick) tick();
  }
  /// Sets the clock of a flow's receiver forward by so many seconds.
  void setReceiversClock(std::size_t flow, double by) { m_flows[flow].sender.clockOffset += by; }
  [[nodiscard]] double now() const { return static_cast<double>(m_tick) / 1000; }
  [[nodiscard]] double target(std::size_t flow) const { return m_flows[flow].targetBits(); }
  [[nodiscard]] const BandwidthEstimate& estimate(std::size_t flow) const {
    return m_flows[flow].estimator.estimate();
  }
  /// Of the target between two instants, which must lie behind.
  [[nodiscard]] double mean(std::size_t flow, double from, double until) const {
    return over(
               flow, from, until, [](double sum, double each) { return sum + each; }, 0) /
           static_cast<double>(std::max(1L, toTick(until) - toTick(from)));
  }
  [[nodiscard]] double least(std::size_t flow, double from, double until) const {
    return over(
        flow, from, until, [](double least, double each) { return std::min(least, each); }, 1e18);
  }
  [[nodiscard]] double largest(std::size_t flow, double from, double until) const {
    return over(
        flow, from, until, [](double most, double each) { return std::max(most, each); }, 0);
  }
  /// Longest time that a packet waited in the queue from then on.
  [[nodiscard]] double longestWait(double from) const {
    double longest = 0;
    for (std::size_t i = static_cast<std::size_t>(toTick(from)); i < m_waits.size(); ++i)
      longest = std::max(longest, m_waits[i]);
    return longest;
  }

 private:
  struct Packet {
    std::size_t flow = 0;
    std::uint64_t number = 0;
    double sent = 0;  // s
    double bytes = 0;
  };
  struct Report {
    double at = 0;  // it comes to the sender
    std::vector<PacketOutcome> packets;
  };
  struct Flow {
    explicit Flow(const SimulatedSender& terms)
        : sender(terms), estimator(terms.range, terms.constants), encoded(targetBits()) {}
    [[nodiscard]] double targetBits() const {
      return static_cast<double>(estimator.estimate().target.bits());
    }

    SimulatedSender sender;
    BandwidthEstimator estimator;
    double encoded;  // bit/s
    double nextPicture = 0, nextReport = 0, owed = 0;
    std::uint64_t sentCount = 0, toldUpTo = 0;
    std::deque<Packet> sent;                 // from number toldUpTo on
    std::multimap<double, Packet> arriving;  // by the instant
    std::vector<Packet> arrived;             // since the last report
    std::vector<double> arrivedAt;
    std::multimap<double, Report> reports;
    std::vector<double> targets;  // of each tick
  };
  static constexpr double kLargestPacket = 1200;
  static constexpr double kReportDelay = 0.1;

  static long toTick(double instant) { return static_cast<long>(instant * 1000 + 0.5); }
  template <typename Step>
  double over(std::size_t flow, double from, double until, Step step, double start) const {
    const auto& targets = m_flows[flow].targets;
    for (long i = toTick(from); i < toTick(until); ++i)
      start = step(start, targets.at(static_cast<std::size_t>(i)));
    return start;
  }

  void tick() {
    for (std::size_t i = 0; i < m_flows.size(); ++i) send(i);
    carry();
    for (Flow& flow : m_flows) {
      deliver(flow);
      flow.targets.push_back(flow.targetBits());
    }
  }

  /// The encoder: pictures of uneven sizes, which come to the target over time.
  void send(std::size_t index) {
    Flow& flow = m_flows[index];
    if (now() < flow.sender.begins || now() < flow.nextPicture) return;
    const double period = 1 / flow.sender.picturesPerSecond;
    flow.nextPicture = std::max(flow.nextPicture, flow.sender.begins) + period;
    const double nearer = 1 - std::exp(-period / flow.sender.encoderLag);
    flow.encoded += (flow.targetBits() - flow.encoded) * nearer;
    const double mean = std::clamp(flow.encoded, flow.sender.floor, flow.sender.limit) / 8 * period;
    double bytes =
        mean * m_chance.between(1 - flow.sender.unevenness, 1 + flow.sender.unevenness) - flow.owed;
    bytes = std::max(bytes, mean / 4);
    flow.owed = std::clamp(flow.owed + bytes - mean, -mean, mean) / 2;
    for (double left = bytes; left > 0; left -= kLargestPacket) {
      const Packet packet{index, flow.sentCount++, now(), std::max(40.0, std::min(left, kLargestPacket))};
      flow.sent.push_back(packet);
      const double most = longestQueue * std::max(rate(now()), m_lastRate) / 8;
      if (m_chance.happens(loss) || m_queued + packet.bytes > std::max(most, 2 * kLargestPacket)) continue;
      m_queue.push_back(packet);
      m_queued += packet.bytes;
    }
  }

  void carry() {
    const double bits = rate(now());
    if (bits > 0) m_lastRate = bits;
    m_credit = m_queue.empty() ? std::min(m_credit, 0.0) + bits / 8000 : m_credit + bits / 8000;
    double wait = 0;
    while (!m_queue.empty() && m_credit >= m_queue.front().bytes) {
      const Packet packet = m_queue.front();
      m_queue.pop_front();
      m_credit -= packet.bytes;
      m_queued -= packet.bytes;
      wait = std::max(wait, now() - packet.sent);
      Flow& flow = m_flows[packet.flow];
      const double late = m_chance.between(0, jitter) + holdUp(now());
      flow.arriving.emplace(now() + flow.sender.propagation + late, packet);
    }
    if (m_queue.empty()) m_credit = std::min(m_credit, 0.0);
    m_waits.push_back(wait);
  }

  void deliver(Flow& flow) {
    while (!flow.arriving.empty() && flow.arriving.begin()->first <= now()) {
      flow.arrived.push_back(flow.arriving.begin()->second);
      flow.arrivedAt.push_back(flow.arriving.begin()->first);
      flow.arriving.erase(flow.arriving.begin());
    }
    if (now() >= flow.nextReport) report(flow);
    while (!flow.reports.empty() && flow.reports.begin()->first <= now()) {
      flow.estimator.update(instantOf(now()), flow.reports.begin()->second.packets);
      flow.reports.erase(flow.reports.begin());
    }
  }

  /// Tells of all that was sent before the newest that arrived; the others are lost, as far as is known.
  void report(Flow& flow) {
    flow.nextReport = now() + flow.sender.feedback;
    if (flow.arrived.empty()) return;
    std::map<std::uint64_t, PacketOutcome> told;
    std::uint64_t newest = 0;
    for (std::size_t i = 0; i < flow.arrived.size(); ++i) {
      const Packet& packet = flow.arrived[i];
      const double clock = flow.arrivedAt[i] * (1 + flow.sender.clockDrift) + flow.sender.clockOffset;
      told[packet.number] = {instantOf(packet.sent), static_cast<std::size_t>(packet.bytes),
                             periodic::fromSeconds(clock), packet.number < flow.toldUpTo};
      newest = std::max(newest, packet.number);
    }
    for (; flow.toldUpTo <= newest; ++flow.toldUpTo) {
      const Packet& packet = flow.sent.front();
      told.try_emplace(packet.number,
                       PacketOutcome{instantOf(packet.sent), static_cast<std::size_t>(packet.bytes), {}});
      flow.sent.pop_front();
    }
    Report report;
    for (const auto& [number, outcome] : told) report.packets.push_back(outcome);
    report.at =
        now() + flow.sender.propagation + (m_chance.happens(flow.sender.feedbackDisorder) ? kReportDelay : 0);
    flow.reports.emplace(report.at, std::move(report));
    flow.arrived.clear();
    flow.arrivedAt.clear();
  }

  static periodic::TimePoint instantOf(double seconds) {
    return periodic::TimePoint(std::chrono::hours(1)) + periodic::fromSeconds(seconds);
  }

  Chance m_chance;
  long m_tick = 0;
  std::vector<Flow> m_flows;
  std::deque<Packet> m_queue;
  double m_queued = 0, m_credit = 0, m_lastRate = 0;  // bytes; bytes; bit/s
  std::vector<double> m_waits;                        // longest of each tick
};

}  // namespace tactus::net::testing
