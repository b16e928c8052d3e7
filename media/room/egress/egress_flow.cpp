// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/egress_flow.h"

#include <utility>

#include "core/net/link/traffic_class.h"

namespace tactus::media {

using net::LinkOutcome;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kHeaders = 42;      // of UDP, IPv4 and Ethernet
constexpr std::size_t kIpv6Headers = 62;  // the same with IPv6

}  // namespace

Result<std::unique_ptr<EgressFlow>, periodic::ResourceRefusal> EgressFlow::create(net::LinkTask* link,
                                                                                  const net::FlowSpec& spec,
                                                                                  std::size_t slots) {
  std::unique_ptr<EgressFlow> flow(new EgressFlow(link, spec.linkClass, slots));
  if (link == nullptr) return flow;
  auto opened = link->open(spec);
  if (!opened.ok()) return opened.error();
  flow->m_flow = std::move(opened).value();
  return flow;
}

EgressFlow::EgressFlow(net::LinkTask* link, net::LinkClass linkClass, std::size_t slots)
    : m_linked(link != nullptr),
      m_trafficClass(net::trafficClassOf(
          linkClass == net::LinkClass::Audio ? net::Carries::Audio : net::Carries::InteractiveVideo,
          net::SendPriority::High)),
      m_slots(slots),
      m_batch(m_linked ? 1 : slots) {
  for (Slot& slot : m_slots) {
    slot.flow = this;
    slot.done = &EgressFlow::done;
  }
}

EgressFlow::~EgressFlow() = default;

/// The next slot in turn; nullptr: it is still on its way.
EgressFlow::Slot* EgressFlow::claim() TACTUS_REALTIME {
  Slot& slot = m_slots[m_next];
  // acquire: what done() read of the slot was before it is filled again.
  if (slot.busy.load(std::memory_order_acquire)) return nullptr;
  return &slot;
}

bool EgressFlow::send(EgressChannel& channel, const ClearPacket& packet,
                      periodic::TimePoint now) TACTUS_REALTIME {
  if (!m_linked && m_batched == m_slots.size()) flush();
  Slot* const slot = claim();
  if (slot == nullptr) {
    m_noRoom.fetch_add(1, kRelaxed);
    return false;
  }
  auto sealed = channel.seal(slot->storage, packet, now);
  if (!sealed) return false;
  slot->path = std::move(sealed->path);
  slot->part = {slot->storage.data(), sealed->bytes};
  slot->bytes = sealed->bytes + (slot->path->offload.ipv6() ? kIpv6Headers : kHeaders);
  slot->datagram = net::OutgoingPacket{.socket = &slot->path->offload,
                                       .destination = &slot->path->peer,
                                       .parts = {&slot->part, 1},
                                       .trafficClass = m_trafficClass};
  // relaxed: offer() publishes it with the link's lock.
  slot->busy.store(true, kRelaxed);
  m_next = (m_next + 1) % m_slots.size();
  if (!m_linked) {
    ++m_batched;
    return m_batch.add(*slot->datagram);
  }
  if (m_flow.offer(*slot) == net::Offered::Waits) return true;
  slot->busy.store(false, kRelaxed);
  m_noRoom.fetch_add(1, kRelaxed);
  return false;
}

void EgressFlow::flush() TACTUS_REALTIME {
  if (m_batched == 0) return;
  m_batch.send();
  for (std::size_t i = 0; i < m_batched; ++i) {
    Slot& slot = m_slots[(m_next + m_slots.size() - m_batched + i) % m_slots.size()];
    // What the kernel has no room for is lost: who misses it asks again.
    const bool sent = m_batch.results()[i].outcome == net::SendResult::Outcome::Sent;
    done(slot, {sent ? LinkOutcome::What::Sent : LinkOutcome::What::Failed});
  }
  m_batch.clear();
  m_batched = 0;
}

/// On the link's thread, or inside an offer of anybody.
void EgressFlow::done(net::LinkRequest& request, LinkOutcome outcome) noexcept {
  Slot& slot = static_cast<Slot&>(request);
  slot.flow->count(slot, outcome.what);
  slot.busy.store(false, std::memory_order_release);  // release: see claim()
}

void EgressFlow::count(const Slot& slot, LinkOutcome::What what) TACTUS_REALTIME {
  switch (what) {
    case LinkOutcome::What::Sent:
      m_sent.fetch_add(1, kRelaxed);
      m_sentBytes.fetch_add(slot.part.iov_len, kRelaxed);
      return;
    case LinkOutcome::What::Late:
      m_late.fetch_add(1, kRelaxed);
      return;
    case LinkOutcome::What::Failed:
      m_failed.fetch_add(1, kRelaxed);
      return;
    case LinkOutcome::What::TakenBack:
      return;
  }
}

EgressFlow::Figures EgressFlow::figures() const {
  return {.sent = m_sent.load(kRelaxed),
          .sentBytes = m_sentBytes.load(kRelaxed),
          .noRoom = m_noRoom.load(kRelaxed),
          .late = m_late.load(kRelaxed),
          .failed = m_failed.load(kRelaxed)};
}

}  // namespace tactus::media
