// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever datagrams come once they are decrypted.
#include <gst/gst.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/room/egress/keyframe_start.h"
#include "media/room/egress/rtcp_feedback.h"
#include "media/room/egress/rtp_view.h"
#include "media/room/egress/transport_feedback.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  gst_init(argc, argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::media;
  const std::span bytes = std::as_bytes(std::span(data, size));
  (void)isRtcp(bytes);
  if (const auto packet = readRtp(bytes)) {
    if (packet->payload.size() > size) std::abort();
    (void)beginsVp8Keyframe(packet->payload);
    (void)beginsH264Keyframe(packet->payload);
  }
  (void)beginsVp8Keyframe(bytes);
  (void)beginsH264Keyframe(bytes);
  (void)readTransportFeedback(bytes);
  if (const auto feedback = readRtcp(bytes); feedback.ok()) {
    // No part is longer than the packet has bytes for: a NACK of four bytes names 17 packets.
    std::size_t asked = 0;
    for (const auto& each : feedback.value().retransmissions) asked += each.sequences.size();
    if (asked > 17 * (size / 4 + 1) || feedback.value().reports.size() > size / 24) std::abort();
  }
  return 0;
}
