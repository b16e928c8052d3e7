// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/link_turns.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_wire.h"

namespace tactus::net {

Result<std::unique_ptr<LinkTurns>, periodic::ResourceRefusal> LinkTurns::open(LinkTask& link,
                                                                              const FlowSpec& spec) {
  Descriptor told(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!told) {
    periodic::ResourceRefusal refusal;
    refusal.sentence =
        std::string("There is no descriptor for turns on the link: ") + std::strerror(errno) + ".";
    return refusal;
  }
  auto flow = link.open(spec);
  if (!flow.ok()) return flow.error();
  std::unique_ptr<LinkTurns> turns(new LinkTurns(link, std::move(told)));
  turns->m_flow = std::move(flow).value();
  return turns;
}

LinkTurns::LinkTurns(LinkTask& link, Descriptor told) : m_link(link), m_told(std::move(told)) {
  m_turn.turns = this;
  m_turn.done = &LinkTurns::tell;
}

LinkTurns::~LinkTurns() = default;

std::size_t LinkTurns::ask(std::size_t waiting) TACTUS_REALTIME {
  take();
  if (waiting == 0) {
    if (m_asked) m_flow.takeBack(m_turn);
    take();
    return 0;
  }
  while (m_granted == 0 && !m_asked) offer(waiting);  // again: it has lapsed
  return std::min(m_granted, waiting);
}

void LinkTurns::written(std::size_t bytes) TACTUS_REALTIME {
  assert(bytes <= m_granted);
  m_granted -= bytes;
}

void LinkTurns::offer(std::size_t waiting) TACTUS_REALTIME {
  const std::size_t whole = m_link.rate().bytesIn(Link::kAhead) / (kSegmentPayload + kSegmentHeaders);
  m_asking = std::min(waiting, std::max<std::size_t>(whole, 1) * kSegmentPayload);
  m_turn.bytes = m_asking + pieceCountOf(m_asking, kSegmentPayload) * kSegmentHeaders;
  // relaxed: the link's lock orders it before what tell() stores.
  m_state.store(State::Waits, std::memory_order_relaxed);
  // A queue in which nothing waits takes everything.
  m_asked = m_flow.offer(m_turn) == Offered::Waits;
  assert(m_asked);
  take();
}

/// On the link's thread, or the port's inside offer() or takeBack().
void LinkTurns::tell(LinkRequest& request, LinkOutcome outcome) noexcept {
  LinkTurns& turns = *static_cast<Turn&>(request).turns;
  // release: of no data but this; take() reads it before the descriptor.
  turns.m_state.store(outcome.what == LinkOutcome::What::Sent ? State::Ours : State::Lapsed,
                      std::memory_order_release);
  const std::uint64_t one = 1;
  // It cannot fail: the counter is 0. The object lives until the link has seen this return (close()).
  [[maybe_unused]] const auto written = write(turns.m_told.get(), &one, sizeof one);
  assert(written == sizeof one);
}

/// Whether the turn that was asked for is ours now.
void LinkTurns::take() TACTUS_REALTIME {
  if (!m_asked) return;
  const State state = m_state.load(std::memory_order_acquire);  // acquire: see tell()
  if (state == State::Waits) return;
  std::uint64_t told = 0;
  // Nothing yet: tell() is about to write it, and then the descriptor is readable.
  if (read(m_told.get(), &told, sizeof told) != sizeof told) return;
  m_asked = false;
  if (state == State::Ours) m_granted += m_asking;
}

}  // namespace tactus::net
