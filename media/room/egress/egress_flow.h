// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/net/link/link_task.h"
#include "core/net/link/packet_batch.h"
#include "media/room/egress/egress_channel.h"

namespace tactus::media {

/// Datagrams of one stream to one subscriber on their way to the kernel. With a link each waits there for its
/// turn; without one they go with flush(). Thread-safe: no (its owner guards), but for figures().
/// Real-time-safe: all but create() and the destructor.
class EgressFlow {
 public:
  struct Figures {
    std::uint64_t sent = 0, sentBytes = 0;
    std::uint64_t noRoom = 0;  ///< as many as may wait did
    std::uint64_t late = 0;    ///< waited for the link until they were of no use
    std::uint64_t failed = 0;  ///< refused by the kernel
  };
  /// `link`: nullptr for none; it outlives the flow. `slots`: how many may wait. Refused: by the link.
  [[nodiscard]] static Result<std::unique_ptr<EgressFlow>, periodic::ResourceRefusal> create(
      net::LinkTask* link, const net::FlowSpec& spec, std::size_t slots);
  /// What waits is taken back.
  ~EgressFlow();
  EgressFlow(const EgressFlow&) = delete;
  EgressFlow& operator=(const EgressFlow&) = delete;

  /// Encrypts the packet and lets it go. False: it does not.
  bool send(EgressChannel& channel, const ClearPacket& packet, periodic::TimePoint now) TACTUS_REALTIME;
  /// Without a link: what was sent since leaves.
  void flush() TACTUS_REALTIME;
  [[nodiscard]] Figures figures() const;

 private:
  struct Slot : net::LinkRequest {
    std::array<std::byte, kLargestEgressDatagram> storage;
    iovec part{};
    std::shared_ptr<EgressPath> path;  // see EgressChannel::Sealed
    EgressFlow* flow = nullptr;
    std::atomic<bool> busy{false};  // set by the sender, cleared with the outcome
  };
  EgressFlow(net::LinkTask* link, net::LinkClass linkClass, std::size_t slots);
  [[nodiscard]] Slot* claim() TACTUS_REALTIME;
  static void done(net::LinkRequest& request, net::LinkOutcome outcome) noexcept;
  void count(const Slot& slot, net::LinkOutcome::What what) TACTUS_REALTIME;

  const bool m_linked;
  const std::uint8_t m_trafficClass;  // by RFC 8837
  std::vector<Slot> m_slots;
  std::size_t m_next = 0;  // the slot that was used longest ago
  net::PacketBatch m_batch;
  std::size_t m_batched = 0;  // slots before m_next that the batch has
  // Counted by whoever serves the link; read by anybody. relaxed: each stands for itself.
  std::atomic<std::uint64_t> m_sent{0}, m_sentBytes{0}, m_noRoom{0}, m_late{0}, m_failed{0};
  net::LinkFlow m_flow;  // declared last: it goes first
};

}  // namespace tactus::media
