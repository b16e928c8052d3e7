// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <libswscale/swscale.h>
}

#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {

/// Turns pictures of formats that GStreamer does not have (palettes, single bits, lines that go upwards) into
/// the nearest that it has. One thread.
class KnownFormat {
 public:
  /// The picture itself where its format is known. Null where it cannot be converted.
  [[nodiscard]] FramePtr of(FramePtr picture);

 private:
  struct Release {
    void operator()(SwsContext* scaler) const noexcept { sws_freeContext(scaler); }
  };
  std::unique_ptr<SwsContext, Release> m_scaler;
};

}  // namespace tactus::plugins::av
