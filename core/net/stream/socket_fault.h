// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tactus::net {

/// Whether a system call on a UDP socket failed because it is no such socket any more, or never will send as
/// it is. Any other error is one datagram's, or that of an earlier one (ICMP, udp(7)). Thread-safe: yes
/// (pure). Real-time-safe: yes.
[[nodiscard]] bool isFatal(int error) noexcept;

/// Why a stream's socket is of no use, for a person. Real-time-safe: no (allocates).
[[nodiscard]] std::string fatalSentence(int error);

}  // namespace tactus::net
