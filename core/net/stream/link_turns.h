// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/net/descriptor.h"
#include "core/net/link/link_task.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Turns on a link for bytes that leave through a TCP connection, which has no datagrams to offer. A turn is
/// for as many whole segments as the link carries in a millisecond, one at least; what is written then shares
/// the link as datagrams do. One turn is asked for at a time.
///
/// The turn is told on the link's thread and taken by the port's. The descriptor carries it: it is written
/// once for each turn, after the outcome, and read when the turn is taken. So no turn is missed, and none
/// wakes the port twice.
///
/// Thread-safe: no (the port's thread). Real-time-safe: yes, all but open() and the destructor.
class LinkTurns {
 public:
  /// A flow of `link`, which outlives this. A turn that waits longer than the flow allows is asked for again:
  /// nothing that waits for it is given up. Refused: by the link, or there is no descriptor.
  [[nodiscard]] static Result<std::unique_ptr<LinkTurns>, periodic::ResourceRefusal> open(
      LinkTask& link, const FlowSpec& spec);
  /// Waits for what is on its way.
  ~LinkTurns();
  LinkTurns(const LinkTurns&) = delete;
  LinkTurns& operator=(const LinkTurns&) = delete;

  /// How many bytes may be written now, of `waiting` bytes that wait; if none may, a turn is asked for. 0:
  /// not before descriptor() is readable, or nothing waits, and no turn is asked for any more.
  [[nodiscard]] std::size_t ask(std::size_t waiting) TACTUS_REALTIME;
  /// So many of those that may be written were.
  void written(std::size_t bytes) TACTUS_REALTIME;
  /// Whether a turn was asked for and has not been taken.
  [[nodiscard]] bool isAsked() const noexcept { return m_asked; }
  /// As SendingEnd. Any thread. Real-time-safe: no.
  void setWeight(double weight) { (void)m_flow.setWeight(weight); }
  /// poll(2) with POLLIN.
  [[nodiscard]] int descriptor() const noexcept { return m_told.get(); }

 private:
  struct Turn : LinkRequest {
    LinkTurns* turns = nullptr;
  };
  enum class State : std::uint8_t { Waits, Ours, Lapsed };

  LinkTurns(LinkTask& link, Descriptor told);
  static void tell(LinkRequest& request, LinkOutcome outcome) noexcept;
  void take() TACTUS_REALTIME;
  void offer(std::size_t waiting) TACTUS_REALTIME;

  LinkTask& m_link;
  const Descriptor m_told;  // an eventfd of this process alone
  std::size_t m_granted = 0;
  std::size_t m_asking = 0;  // bytes of the turn that was asked for
  bool m_asked = false;
  // What became of the turn that was asked for. Written by whoever serves the link, read by the port.
  std::atomic<State> m_state{State::Waits};
  Turn m_turn;
  LinkFlow m_flow;  // declared last: it goes first
};

}  // namespace tactus::net
