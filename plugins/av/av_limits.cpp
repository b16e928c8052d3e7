// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/av_limits.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <cstddef>

namespace tactus::plugins::av {
namespace {

/// A plane of the largest picture that is decoded (2^28 pixels), or the index of a week of film.
constexpr std::size_t kMostBytes = std::size_t{512} << 20;

}  // namespace

void boundAllocations() {
  av_max_alloc(kMostBytes);
}

}  // namespace tactus::plugins::av
