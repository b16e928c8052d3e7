// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/stream_numbers.h"

#include <glib.h>
#include <openssl/rand.h>

#include <cstdint>

namespace tactus::media {
namespace {

/// Random, so that nobody guesses it.
std::uint32_t randomNumber() {
  std::uint32_t number = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) != 1) number = g_random_int();
  return number;
}

}  // namespace

/// The highest bit is left out: a receiver that loses the first packets still knows how often numbers have
/// wrapped around (RFC 3711, 3.3.1).
RtpPosition firstPosition() {
  return {.sequence = static_cast<std::uint16_t>(randomNumber() & 0x7fff), .timestamp = randomNumber()};
}

void chooseSsrcs(AgreedTrack& track) {
  track.stream.ssrc = randomNumber();
  if (track.retransmission) track.retransmission->ssrc = randomNumber();
}

}  // namespace tactus::media
