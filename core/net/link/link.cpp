// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/link.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::Duration;
using periodic::ShareNode;
using periodic::ShareSpec;
using periodic::TimePoint;

namespace {

Error invalid(std::string sentence) {
  return {ErrorCode::InvalidArgument, std::move(sentence)};
}

Error gone() {
  return {ErrorCode::NotFound, "This flow of the link does not exist any more."};
}

std::optional<Error> badContract(LinkClass linkClass, const std::optional<ByteContract>& contract) {
  if (!contract && rowOf(linkClass).contract)
    return invalid("A flow of the class " + std::string(nameOf(linkClass)) + " needs a contract.");
  if (contract && contract->rate.isZero()) return invalid("A contract's rate is above 0.");
  return std::nullopt;
}

}  // namespace

struct Link::Flow {
  explicit Flow(FlowId handle) : id(handle) {}
  const FlowId id;
  FlowSpec spec = {};
  ShareNode queue = ShareNode::None;
  Duration longestWait{0};
  std::optional<ByteRegulator> regulator = {};
  std::size_t waitingBytes = 0;
  Alarm release{.flow = this};  // in m_held
  Alarm expiry{.flow = this};   // in m_expiring
  FlowFigures figures = {};     // all but `waited`
  periodic::DurationHistogram waited = {};
};

Link::Link(BitRate rate) : m_rate(rate) {
  for (const LinkClassRow& row : kLinkClasses) {
    const auto index = static_cast<std::size_t>(row.linkClass);
    m_classes[index] = m_tree
                           .make(m_tree.root(), row.name,
                                 ShareSpec{.order = row.order, .priority = static_cast<std::int32_t>(index)})
                           .value();
  }
}

Link::~Link() = default;

Link::Flow* Link::at(FlowId flow) const noexcept {
  return m_flows.at(flow);
}

void Link::setRate(TimePoint now, BitRate rate) TACTUS_REALTIME {
  if (m_rate.isZero()) {
    m_free = now;
  } else if (m_free > now && !rate.isZero()) {  // what is on its way takes as long as it does at the new rate
    m_free = now + rate.timeOf(m_rate.bytesIn(m_free - now));
  }
  m_rate = rate;
}

Result<FlowId> Link::add(const FlowSpec& spec) {
  if (auto bad = badContract(spec.linkClass, spec.contract)) return *std::move(bad);
  if (spec.longestWait && *spec.longestWait <= Duration::zero())
    return invalid("The longest wait of a flow is above 0.");
  const auto queue = m_tree.make(m_classes[static_cast<std::size_t>(spec.linkClass)], spec.name,
                                 ShareSpec{.order = std::nullopt, .weight = spec.weight});
  if (!queue.ok()) return queue.error();
  // The tree has a node for each flow, and is full before the table is.
  Flow& flow = *m_flows.add([](FlowId id) { return std::make_unique<Flow>(id); });
  flow.spec = spec;
  flow.queue = queue.value();
  flow.longestWait = spec.longestWait.value_or(net::rowOf(spec.linkClass).longestWait);
  if (spec.contract) flow.regulator.emplace(*spec.contract);
  m_held.reserve(m_flows.slots());
  m_expiring.reserve(m_flows.slots());
  return flow.id;
}

Result<void> Link::change(FlowId id, double weight, const std::optional<ByteContract>& contract) {
  Flow* flow = at(id);
  if (flow == nullptr) return gone();
  if (auto bad = badContract(flow->spec.linkClass, contract)) return *std::move(bad);
  if (auto set = m_tree.setWeight(flow->queue, weight); !set.ok()) return set.error();
  flow->spec.weight = weight;
  flow->spec.contract = contract;
  if (!contract) {
    hold(*flow, std::nullopt);
    flow->regulator.reset();
  } else if (flow->regulator) {
    flow->regulator->change(*contract);
  } else {
    flow->regulator.emplace(*contract);
  }
  return {};
}

Result<void> Link::setWeight(FlowId id, double weight) {
  const Flow* flow = at(id);
  if (flow == nullptr) return gone();
  return change(id, weight, flow->spec.contract);
}

Result<void> Link::remove(FlowId id) {
  Flow* flow = at(id);
  if (flow == nullptr) return gone();
  if (auto removed = m_tree.remove(flow->queue); !removed.ok()) return removed.error();
  m_flows.remove(id);
  return {};
}

/// As much as passes in the longest wait, so that what is beyond it would be late; two packets always.
std::size_t Link::capacityOf(const Flow& flow) const noexcept {
  const std::size_t passes = flow.regulator ? flow.regulator->contract().rate.bytesIn(flow.longestWait) +
                                                  flow.regulator->contract().burst
                                            : m_rate.bytesIn(flow.longestWait);
  return std::max(passes, 2 * kLargestPacket);
}

Offered Link::offer(FlowId id, LinkPacket& packet, TimePoint now,
                    std::optional<TimePoint> until) TACTUS_REALTIME {
  Flow* flow = at(id);
  assert(flow != nullptr && packet.bytes > 0);
  if (flow->waitingBytes > 0 && flow->waitingBytes + packet.bytes > capacityOf(*flow)) {
    ++flow->figures.full;
    return Offered::Full;
  }
  packet.flow = id;
  packet.arrival = now;
  packet.deadline = now + flow->longestWait;
  if (until) packet.deadline = std::min(packet.deadline, *until);
  flow->waitingBytes += packet.bytes;
  m_tree.enqueue(flow->queue, packet);
  if (m_tree.length(flow->queue) == 1) lookAtFirst(*flow, now);
  m_overtakes = m_overtakes || m_tree.next() == &packet;
  return Offered::Waits;
}

void Link::takeBack(LinkPacket& packet, TimePoint now) TACTUS_REALTIME {
  Flow& flow = *at(packet.flow);
  m_tree.drop(packet);
  left(flow, packet, now);
}

LinkPacket* Link::first(FlowId flow) const TACTUS_REALTIME {
  const Flow* each = at(flow);
  return each != nullptr ? static_cast<LinkPacket*>(m_tree.first(each->queue)) : nullptr;
}

/// A packet left the flow's queue.
void Link::left(Flow& flow, const LinkPacket& packet, TimePoint now) TACTUS_REALTIME {
  flow.waitingBytes -= packet.bytes;
  lookAtFirst(flow, now);
}

void Link::set(Alarms& alarms, Alarm& alarm, std::optional<TimePoint> at) TACTUS_REALTIME {
  if (at) alarm.at = *at;
  if (!alarm.place.isInHeap()) {
    if (at) alarms.add(alarm);
  } else if (at) {
    alarms.update(alarm);
  } else {
    alarms.remove(alarm);
  }
}

/// Nullopt: it is held no longer.
void Link::hold(Flow& flow, std::optional<TimePoint> until) TACTUS_REALTIME {
  if (until) {
    m_tree.suspend(flow.queue);
  } else if (flow.release.place.isInHeap()) {
    m_tree.resume(flow.queue);
  }
  set(m_held, flow.release, until);
}

/// A flow is held while its first packet exceeds its contract.
void Link::lookAtFirst(Flow& flow, TimePoint now) TACTUS_REALTIME {
  const auto* packet = static_cast<const LinkPacket*>(m_tree.first(flow.queue));
  set(m_expiring, flow.expiry, packet != nullptr ? std::optional(packet->deadline) : std::nullopt);
  if (!flow.regulator) return;
  std::optional<TimePoint> until;
  if (packet != nullptr) until = flow.regulator->release(packet->arrival);
  if (until && *until <= now) until.reset();
  if (until) ++flow.figures.held;
  hold(flow, until);
}

/// The earliest instant at which it may go.
TimePoint Link::turnOf(const LinkPacket& packet) const TACTUS_REALTIME {
  return std::min(m_free, m_free + m_rate.timeOf(packet.bytes) - kAhead);
}

std::optional<LinkTurn> Link::next(TimePoint now) TACTUS_REALTIME {
  if (!m_expiring.isEmpty() && m_expiring.first().at <= now) {
    Flow& flow = *m_expiring.first().flow;
    auto& packet = static_cast<LinkPacket&>(*m_tree.first(flow.queue));
    m_tree.drop(packet);
    ++flow.figures.late;
    left(flow, packet, now);
    return LinkTurn{&packet, true};
  }
  while (!m_held.isEmpty() && m_held.first().at <= now) hold(*m_held.first().flow, std::nullopt);
  const auto* chosen = static_cast<const LinkPacket*>(m_tree.next());
  m_idle = m_idle || chosen == nullptr;
  if (m_rate.isZero() || chosen == nullptr || turnOf(*chosen) > now) return std::nullopt;
  const auto taken = m_tree.take();
  m_overtakes = false;
  auto& packet = static_cast<LinkPacket&>(*taken->request);
  Flow& flow = *at(packet.flow);
  m_tree.charge(taken->queue, static_cast<double>(packet.bytes));
  // A link that always had something to send goes on where it was, also if it is asked a little late.
  m_free = std::max(m_free, m_idle ? now : now - kAhead) + m_rate.timeOf(packet.bytes);
  m_idle = false;
  if (flow.regulator) flow.regulator->pass(packet.arrival, packet.bytes);
  ++flow.figures.sent;
  flow.figures.sentBytes += packet.bytes;
  flow.waited.record(now - packet.arrival);
  left(flow, packet, now);
  return LinkTurn{&packet, false};
}

TimePoint Link::wakeAt() const TACTUS_REALTIME {
  TimePoint wake = TimePoint::max();
  if (!m_expiring.isEmpty()) wake = m_expiring.first().at + kTellsLate;
  if (m_rate.isZero()) return wake;
  if (const auto* chosen = static_cast<const LinkPacket*>(m_tree.next()))
    return std::min(wake, m_overtakes ? turnOf(*chosen) : m_free);
  return m_held.isEmpty() ? wake : std::min(wake, std::max(m_free, m_held.first().at));
}

FlowRow Link::rowOf(const Flow& flow, std::size_t waiting) {
  FlowRow row{flow.id, flow.spec, waiting, flow.waitingBytes, flow.figures};
  row.figures.waited = flow.waited.snapshot();
  return row;
}

std::vector<FlowRow> Link::rows() const {
  std::vector<FlowRow> rows;
  for (const LinkClassRow& linkClass : kLinkClasses)
    m_flows.forEach([&](const Flow& flow) {
      if (flow.spec.linkClass == linkClass.linkClass) rows.push_back(rowOf(flow, m_tree.length(flow.queue)));
    });
  return rows;
}

Result<FlowRow> Link::row(FlowId id) const {
  const Flow* flow = at(id);
  if (flow == nullptr) return gone();
  return rowOf(*flow, m_tree.length(flow->queue));
}

}  // namespace tactus::net
