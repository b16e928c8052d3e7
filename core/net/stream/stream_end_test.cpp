// SPDX-License-Identifier: Apache-2.0
// What wait() promises to a port, on each transport that keeps order.
#include "core/net/stream/stream_end.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/net/stream/local_receiving_end.h"
#include "core/net/stream/local_sending_end.h"
#include "core/net/stream/ordered_end_fixture.h"
#include "core/net/stream/tcp_receiving_end.h"
#include "core/net/stream/tcp_sending_end.h"

namespace tactus::net {
namespace {

using namespace ordered;

struct Ends {
  std::unique_ptr<SendingEnd> from;
  std::unique_ptr<ReceivingEnd> to;
};

/// Over a connected pair of sockets, which carry bytes at once.
Ends endsOf(const StreamContract& contract) {
  if (contract.transport == TransportKind::Tcp) {
    auto [here, there] = socketPair(SOCK_STREAM);
    return {TcpSendingEnd::create(std::move(here), contract, nullptr, "film").value(),
            TcpReceivingEnd::create(std::move(there), kTestSession, contract).value()};
  }
  LocalRing made = LocalRing::create(LocalSendingEnd::capacityFor(contract)).value();
  LocalRing opened = LocalRing::open(copiesOf(made), made.capacity()).value();
  return {LocalSendingEnd::create(std::move(made), contract).value(),
          LocalReceivingEnd::create(std::move(opened), kTestSession, contract).value()};
}

bool endsAtOnce(const EndWait& wait) {
  if (wait.until <= now()) return true;
  pollfd waited{wait.descriptor, wait.events, 0};
  return wait.descriptor >= 0 && poll(&waited, 1, 0) > 0;
}

/// Two ports of one thread, which do single steps of their loops.
class Ports {
 public:
  Ports(const StreamContract& contract, std::size_t length) : m_ends(endsOf(contract)), m_length(length) {}

  void write() {
    while (!m_ends.from->room().empty()) m_ends.from->send(headerOf(m_sent++, m_length));
    m_wantsRoom = true;
  }
  void flush() { m_ends.from->flush(); }
  void receive() { m_ends.to->receive(now()); }
  bool take() {
    const auto buffer = m_ends.to->next(now());
    if (!buffer) return false;
    RC_ASSERT(buffer->arrived != kAsleep);
    ++m_taken;
    return true;
  }
  void release() { m_ends.to->release(); }
  /// A port that would wait now finds nothing that it could have done.
  void sleep() {
    if (m_wantsRoom && !endsAtOnce(m_ends.from->wait())) RC_ASSERT(m_ends.from->room().empty());
    if (endsAtOnce(m_ends.to->wait())) return;
    RC_ASSERT(!take());
    m_ends.to->receive(kAsleep);
  }
  /// All that was sent comes: each waits as it is told.
  void finish() {
    for (;;) {
      flush();
      receive();
      release();
      while (take()) release();
      if (m_taken == m_sent) return;
      RC_ASSERT(waitForAny({m_ends.from->wait(), m_ends.to->wait()}));
    }
  }

 private:
  static constexpr periodic::TimePoint kAsleep{periodic::Duration(1)};  // what arrives then came before
  Ends m_ends;
  std::size_t m_length;
  std::uint32_t m_sent = 0, m_taken = 0;
  bool m_wantsRoom = false;
};

RC_GTEST_PROP(StreamEndProperty, NoPortSleepsThatCouldGoOn, ()) {
  const auto transport = *rc::gen::element(TransportKind::Tcp, TransportKind::Local);
  const auto length = *rc::gen::element<std::size_t>(1400, 30'000, 100'000);
  Ports ports(contractOf(transport, length), length);
  const int steps = *rc::gen::element(3, 30);
  for (int i = 0; i < steps; ++i) {
    switch (*rc::gen::element(0, 1, 2, 3, 4, 5)) {
      case 0:
        ports.write();
        break;
      case 1:
        ports.flush();
        break;
      case 2:
        ports.receive();
        break;
      case 3:
        (void)ports.take();
        break;
      case 4:
        ports.release();
        break;
      default:
        ports.sleep();
    }
  }
  ports.finish();
}

}  // namespace
}  // namespace tactus::net
