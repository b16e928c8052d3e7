// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/stream/udp_sending_end.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// A UDP sending end whose datagrams wait for their turn on a link, each as a request of the stream's flow,
/// in their order. The link sends them, or gives them up when their buffer is of no use any more. What the
/// flow's queue does not take waits here for flush(). A buffer is free once all its datagrams have an
/// outcome.
///
/// No wake-up is lost. The port that waits stores below how many requests on their way it wants to be woken,
/// then loads how many there are, and waits only if there are more. Who tells an outcome counts it, then
/// loads where the port wants to be woken, and raises the descriptor if that is reached. All four are
/// sequentially consistent: if the port's load comes before an outcome is counted, the store of where to wake
/// comes before the load of it. Requests without an outcome get one at their deadline at the latest, so that
/// it is reached.
///
/// Thread-safe: no (the port's thread; outcomes come from the link's and from whoever offers to it).
/// Real-time-safe: yes (LinkFlow::offer() is), all but create(), the destructor and broken().
class UdpLinkEnd final : public UdpSendingEnd {
 public:
  /// How much memory an end for a valid contract takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;
  /// Unavailable: no memory. System: no eventfd(2). `latency`: since it was made a buffer is of use so long.
  [[nodiscard]] static Result<std::unique_ptr<UdpLinkEnd>> create(UdpPath path, DatagramBuffers buffers,
                                                                  periodic::Duration latency, LinkFlow flow);
  /// Closes the flow: what waits is taken back, what is on its way is waited for.
  ~UdpLinkEnd() override { m_flow.close(); }
  void setWeight(double weight) override { (void)m_flow.setWeight(weight); }

  void send(const StreamHeader& header) TACTUS_REALTIME override;
  void flush() TACTUS_REALTIME override;

 private:
  /// Of a buffer; the port's thread writes all but sent and late before it offers.
  struct Buffer {
    std::atomic<std::uint32_t> pending{0};        // datagrams without an outcome, offered or not
    std::atomic<std::uint32_t> sent{0}, late{0};  // datagrams; written before `pending`, which publishes them
    periodic::TimePoint until = {};
  };
  struct Datagram : LinkRequest {
    UdpLinkEnd* end = nullptr;
    Buffer* buffer = nullptr;
  };
  /// Where to wake: never.
  static constexpr std::int64_t kNever = -1;

  UdpLinkEnd(UdpPath path, DatagramBuffers buffers, Descriptor wakeUp, periodic::Duration latency,
             LinkFlow flow);

  [[nodiscard]] int fatalError() const TACTUS_REALTIME override;
  static void done(LinkRequest& request, LinkOutcome outcome) noexcept;
  void told() TACTUS_REALTIME;
  void offer() TACTUS_REALTIME;
  [[nodiscard]] bool offer(std::size_t index) TACTUS_REALTIME;
  void reclaim() TACTUS_REALTIME override;
  [[nodiscard]] EndWait waitInUse() const TACTUS_REALTIME override;
  [[nodiscard]] std::int64_t wakeBelow() const TACTUS_REALTIME;

  const Descriptor m_wakeUp;  // an eventfd
  const periodic::Duration m_latency;
  std::vector<Buffer> m_states;       // of the buffers, by index
  std::vector<Datagram> m_datagrams;  // mostDatagrams() for each buffer
  Cursor m_next;                      // the first datagram that is not offered
  mutable bool m_waited = false;      // waitInUse() was called since flush()
  std::atomic<int> m_fatal{0};
  std::atomic<std::int64_t> m_onTheWay{0};  // requests without an outcome
  // The port wants to be woken when as many or fewer are on their way.
  mutable std::atomic<std::int64_t> m_wakeAt{kNever};
  LinkFlow m_flow;
};

}  // namespace tactus::net
