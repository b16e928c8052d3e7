// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/descriptor.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// A descriptor that one process makes readable and another waits for with poll(2), though neither trusts the
/// other; borrowed. raise() and clear() never wait, whatever the peer does with its copy. A peer can wake us
/// for nothing, at the cost of a system call each time, or not at all.
///
/// It is a message queue for one byte (mq_overview(7)), since its calls take a time limit. A write to an
/// eventfd waits if its counter is full and O_NONBLOCK is not set, and both are as the peer likes. A recv()
/// from a socket closes descriptors that the peer has sent along, and that may wait (SO_LINGER).
///
/// Thread-safe: yes. Real-time-safe: yes (one system call), but for create() and check().
class WakeUp {
 public:
  /// Not readable at first. System: the kernel has none, or as many as it allows (256 by default).
  [[nodiscard]] static Result<Descriptor> create();
  /// Corrupt: `descriptor` is not what create() makes.
  [[nodiscard]] static Result<void> check(const Descriptor& descriptor);
  /// Of a descriptor from create(), or that check() has passed.
  explicit WakeUp(int descriptor) noexcept : m_descriptor(descriptor) {}

  /// From now on the descriptor is readable.
  void raise() const TACTUS_REALTIME;
  /// The descriptor is no longer readable, until the next raise().
  void clear() const TACTUS_REALTIME;
  [[nodiscard]] int descriptor() const noexcept { return m_descriptor; }

 private:
  int m_descriptor;
};

}  // namespace tactus::net
