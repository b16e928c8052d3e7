// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/net/stream/stream_contract.h"
#include "tests/lab/trial_page.h"

namespace tactus::lab {

/// One end of a trial over ports of ours: buffers of `size` bytes, as soon as possible (no rate), reliable
/// but over UDP. `path`: of the Unix socket over which local ports find each other; not used otherwise.
struct PortTrial {
  net::TransportKind transport = net::TransportKind::Tcp;
  std::size_t size = 0;
  std::string path = {};

  [[nodiscard]] net::StreamContract contract() const noexcept;
};

/// A read port that counts what its handler gets. Until the process ends; what went wrong is said on stderr.
void receiveByPort(const PortTrial& trial, TrialPage& page);
/// A write port that connects with it, whose handler fills whole buffers. Likewise.
void sendByPort(const PortTrial& trial, TrialPage& page);

}  // namespace tactus::lab
