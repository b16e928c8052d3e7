// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/net/link/bit_rate.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::lab {

/// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) noexcept : m_descriptor(descriptor) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  [[nodiscard]] int get() const noexcept { return m_descriptor; }

 private:
  int m_descriptor = -1;
};

/// Two network namespaces joined by a cable (veth), with a queueing discipline of the kernel where the
/// sender's end leaves. Gone with the object, and with the process. Thread-safe: no.
class NetworkCable {
 public:
  /// What the kernel does at the sending end.
  enum class Queue {
    Fifo,  ///< tbf: one queue of 200 ms, the bottleneck of a usual line
    Htb,   ///< a class for each weight, chosen by SO_PRIORITY, each with a bounded pfifo
  };
  /// Whether this process may make one, and has `ip`, `tc` and `nsenter`; empty: yes, else what is missing.
  [[nodiscard]] static std::string missing();
  /// `weights` are those of Htb's classes: a class has its share of the rate, and may have all.
  [[nodiscard]] static Result<NetworkCable> create(net::BitRate rate, Queue queue,
                                                   const std::vector<double>& weights = {});

  /// A UDP socket at the sending end, connected to `port` of the other; of class `htbClass` (from 0), or of
  /// none with -1.
  [[nodiscard]] Result<Descriptor> sender(int port, int htbClass = -1) const;
  /// A UDP socket at the receiving end, bound to `port`, that stamps what it receives.
  [[nodiscard]] Result<Descriptor> receiver(int port) const;

 private:
  NetworkCable(Descriptor sending, Descriptor receiving) noexcept
      : m_sending(std::move(sending)), m_receiving(std::move(receiving)) {}
  Descriptor m_sending, m_receiving;  // the namespaces
};

}  // namespace tactus::lab
