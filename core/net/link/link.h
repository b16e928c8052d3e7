// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/link/bit_rate.h"
#include "core/net/link/byte_regulator.h"
#include "core/net/link/link_class.h"
#include "core/periodic/result.h"
#include "core/periodic/share/handle_table.h"
#include "core/periodic/share/share_heap.h"
#include "core/periodic/share/share_tree.h"
#include "core/periodic/time/time.h"
#include "core/periodic/trace/histogram.h"

namespace tactus::net {

/// A stream on one link, until it is removed; no other has it afterwards.
enum class FlowId : std::uint32_t { None = 0 };

/// What a stream on a link asks for.
struct FlowSpec {
  std::string name;  ///< shown to people; no other flow of its class has it
  LinkClass linkClass = LinkClass::Bulk;
  double weight = 1;                          ///< among the flows of its class, where they go by weight
  std::optional<ByteContract> contract = {};  ///< required but for bulk; packets beyond it wait
  /// How long a packet may wait; absent: the class's. Above 0.
  std::optional<periodic::Duration> longestWait = {};
};

/// A packet that waits for its turn. The caller owns it and keeps it in place until it has its turn.
struct LinkPacket : periodic::ShareRequest {
  std::size_t bytes = 0;             ///< on the link, all headers counted; above 0
  periodic::TimePoint arrival = {};  ///< at the link; offer() writes it
  FlowId flow = FlowId::None;        ///< offer() writes it
};

/// What came of offer().
enum class Offered : std::uint8_t {
  Waits,
  Full,  ///< the flow's queue holds as much as the link carries in the longest wait: not now
};

/// What next() has decided of a packet.
struct LinkTurn {
  LinkPacket* packet = nullptr;
  bool late = false;  ///< it waited too long and is not to be sent
};

/// Figures of a flow since it began.
struct FlowFigures {
  std::uint64_t sent = 0, sentBytes = 0;
  std::uint64_t late = 0;                             ///< given up in the queue
  std::uint64_t full = 0;                             ///< refused by offer()
  std::uint64_t held = 0;                             ///< had to wait because they exceeded the contract
  periodic::DurationHistogram::Snapshot waited = {};  ///< in the queue, of those sent
};

struct FlowRow {
  FlowId flow = FlowId::None;
  FlowSpec spec = {};
  std::size_t waiting = 0, waitingBytes = 0;
  FlowFigures figures = {};
};

/// Who goes next onto a link of a rate that may change (QLinux, section 2.3; RTSS, section 5.3). A share tree
/// of classes: control, audio, streams and bulk, strictly one after another; inside a class by deadline
/// (control, audio) or by weight. A flow with a contract passes at most `burst + t * rate` bytes of what
/// arrives within any t, so that strict order starves nobody. Queues are bounded in time: a packet that has
/// waited too long is given up here, not in a router.
///
/// At most kAhead of the link's time, or one packet, is sent before the link is free: trains are no longer,
/// and what is urgent waits for no more than that behind others. What waits is looked at when the link is
/// free, so that small packets go in trains; a packet that is next as it comes goes as soon as it may.
///
/// Pure: owns no thread, clock or socket. Thread-safe: no, the caller guards.
class Link {
 public:
  /// How far ahead of the link a packet may be sent; its own time counts.
  static constexpr periodic::Duration kAhead = std::chrono::milliseconds(1);
  /// How late a packet may be told that it is late: others are by then, too.
  static constexpr periodic::Duration kTellsLate = std::chrono::milliseconds(1);
  /// Two of these always find room in a queue.
  static constexpr std::size_t kLargestPacket = 1518;

  explicit Link(BitRate rate);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link();

  /// Holds at once, also for what is on its way; 0: nothing is sent, and what waits becomes late.
  /// Real-time-safe: yes.
  void setRate(periodic::TimePoint now, BitRate rate) TACTUS_REALTIME;
  [[nodiscard]] BitRate rate() const noexcept { return m_rate; }

  /// InvalidArgument: no name, one with a '/', one that another flow of the class has; a weight out of range;
  /// a class that needs a contract without one; a contract of rate 0; no time to wait. Real-time-safe: no.
  [[nodiscard]] Result<FlowId> add(const FlowSpec& spec);
  /// NotFound, InvalidArgument (as add()). The name and the class stay. Real-time-safe: no.
  [[nodiscard]] Result<void> change(FlowId flow, double weight, const std::optional<ByteContract>& contract);
  /// The same with the contract that it has.
  [[nodiscard]] Result<void> setWeight(FlowId flow, double weight);
  /// NotFound. Refused while packets wait. Real-time-safe: no.
  [[nodiscard]] Result<void> remove(FlowId flow);

  /// `packet` waits for its turn from now on, until its deadline: the flow's longest wait, or `until` where
  /// that is earlier. Real-time-safe: yes.
  [[nodiscard]] Offered offer(FlowId flow, LinkPacket& packet, periodic::TimePoint now,
                              std::optional<periodic::TimePoint> until = {}) TACTUS_REALTIME;
  /// A packet that waits is taken back: it leaves without its turn. Real-time-safe: yes.
  void takeBack(LinkPacket& packet, periodic::TimePoint now) TACTUS_REALTIME;
  /// The flow's first packet that waits; nullptr: none. Real-time-safe: yes.
  [[nodiscard]] LinkPacket* first(FlowId flow) const TACTUS_REALTIME;

  /// The packet whose turn it is; nullopt: none, before wakeAt(). Real-time-safe: yes.
  [[nodiscard]] std::optional<LinkTurn> next(periodic::TimePoint now) TACTUS_REALTIME;
  /// After next() had none: when to ask again; TimePoint::max(): after the next offer(). Real-time-safe: yes.
  [[nodiscard]] periodic::TimePoint wakeAt() const TACTUS_REALTIME;

  /// All flows, class by class. Real-time-safe: no (allocates).
  [[nodiscard]] std::vector<FlowRow> rows() const;
  /// NotFound. Real-time-safe: no (allocates).
  [[nodiscard]] Result<FlowRow> row(FlowId flow) const;

 private:
  struct Flow;
  /// An instant at which something is due for a flow.
  struct Alarm {
    Flow* flow = nullptr;
    periodic::TimePoint at = {};
    periodic::ShareHeapPlace place = {};
  };
  struct Earlier {
    bool operator()(const Alarm& one, const Alarm& other) const noexcept { return one.at < other.at; }
  };
  using Alarms = periodic::ShareHeap<Alarm, Earlier>;

  [[nodiscard]] Flow* at(FlowId flow) const noexcept;
  [[nodiscard]] std::size_t capacityOf(const Flow& flow) const noexcept;
  static void set(Alarms& alarms, Alarm& alarm, std::optional<periodic::TimePoint> at) TACTUS_REALTIME;
  void lookAtFirst(Flow& flow, periodic::TimePoint now) TACTUS_REALTIME;
  void hold(Flow& flow, std::optional<periodic::TimePoint> until) TACTUS_REALTIME;
  void left(Flow& flow, const LinkPacket& packet, periodic::TimePoint now) TACTUS_REALTIME;
  [[nodiscard]] periodic::TimePoint turnOf(const LinkPacket& packet) const TACTUS_REALTIME;
  [[nodiscard]] static FlowRow rowOf(const Flow& flow, std::size_t waiting);

  BitRate m_rate;
  periodic::ShareTree m_tree{periodic::ShareOrder::Strict};
  std::array<periodic::ShareNode, kLinkClassCount> m_classes{};
  periodic::HandleTable<Flow, FlowId> m_flows;
  Alarms m_held{Earlier{}};      // flows whose first packet exceeds their contract: its release
  Alarms m_expiring{Earlier{}};  // flows with a packet: its deadline
  periodic::TimePoint m_free{};  // when the link will have carried what was sent
  bool m_idle = true;            // next() found nothing to send since the last packet
  bool m_overtakes = false;      // since the last packet one came that goes before what waited
};

}  // namespace tactus::net
