// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/stream_terms.h"

#include <algorithm>

#include "core/net/stream/stream_wire.h"
#include "core/periodic/trace/format.h"

namespace tactus::media {

using periodic::format;

Result<net::StreamContract> contractFor(net::TransportKind transport, std::size_t bytes) {
  const std::size_t whole = bytes / kTransportPacket * kTransportPacket;
  const std::size_t buffer = whole < bytes ? whole + kTransportPacket : whole;
  if (buffer == 0 || buffer > net::kLargestBuffer)
    return Error{ErrorCode::InvalidArgument,
                 format("A stream of %zu bytes in %.3g ms cannot be sent: a buffer has 1 to %zu bytes.",
                        bytes, periodic::inMilliseconds(kStreamPeriod), net::kLargestBuffer)};
  net::StreamContract contract;
  contract.transport = transport;
  contract.largestBuffer = buffer;
  contract.rate = periodic::Rate::perSecond(std::chrono::seconds(1) / kStreamPeriod);
  contract.leastRate = contract.rate;  // a film in fewer buffers would not keep up with its clock
  contract.reliable = transport != net::TransportKind::Udp;
  return contract;
}

Result<net::StreamContract> contractFor(net::TransportKind transport, net::BitRate rate) {
  return contractFor(transport, std::max<std::size_t>(rate.bytesIn(kStreamPeriod), rate.isZero() ? 0 : 1));
}

}  // namespace tactus::media
