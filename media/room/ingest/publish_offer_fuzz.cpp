// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever body comes to WHIP.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "media/room/ingest/publish_offer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::media;
  const auto offer = readPublishOffer({reinterpret_cast<const char*>(data), size});
  if (!offer.ok()) {
    if (offer.error().message.empty()) std::abort();
    return 0;
  }
  if (offer.value().media.empty() || offer.value().media.size() > PublishOffer::kMostMedia) std::abort();
  // What is handed to the media stack is itself an offer that is taken, and says the same.
  const std::string written = sdpOf(offer.value());
  const auto again = readPublishOffer(written);
  if (!again.ok() || sdpOf(again.value()) != written) std::abort();
  return 0;
}
