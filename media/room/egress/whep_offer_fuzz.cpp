// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever body comes to WHEP.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "media/room/egress/whep_answer.h"
#include "media/room/egress/whep_offer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::media;
  const auto offer = readWhepOffer({reinterpret_cast<const char*>(data), size});
  if (!offer.ok()) {
    if (offer.error().message.empty()) std::abort();
    return 0;
  }
  const std::vector<TrackFormat> tracks = {
      {.kind = MediaKind::Video, .encoding = "VP8", .clockRate = 90'000},
      {.kind = MediaKind::Audio, .encoding = "opus", .clockRate = 48'000, .channels = 2}};
  const auto agreed = agree(offer.value(), tracks);
  if (agreed.ok() && agreed.value().size() != tracks.size()) std::abort();
  return 0;
}
