// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/net/link/bit_rate.h"
#include "core/net/link/link.h"
#include "core/net/port/port.h"

namespace tactus::media {

/// A stream that leaves this program or comes to it, as people are shown it. Plain data.
struct StreamLoad {
  std::string name = {};
  std::string place = {};  ///< where it goes to, or arrives: "udp://host:7000/film"
  net::PortType type = net::PortType::Write;
  net::PortQuery port = {};
};

/// The streams of this program, and the link on which they leave. Plain data.
struct NetworkLoad {
  struct LinkLoad {
    net::BitRate rate;
    double promised = 0;                   ///< bits a second, to contracts
    std::vector<net::FlowRow> flows = {};  ///< class by class
  };
  std::optional<LinkLoad> link = {};  ///< absent: streams leave as the kernel has them
  std::vector<StreamLoad> streams = {};
};

}  // namespace tactus::media
