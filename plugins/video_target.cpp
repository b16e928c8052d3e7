// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_target.h"

namespace tactus::plugins {

const char* nameOf(DropReason reason) noexcept {
  switch (reason) {
    case DropReason::LateAtDecoder:
      return "late at the decoder";
    case DropReason::LateAtSink:
      return "late at the display";
    case DropReason::Replaced:
      return "replaced before it was drawn";
    case DropReason::ShedBeforeDecoding:
      return "shed before decoding";
    case DropReason::ShedBeforeConversion:
      return "shed before conversion";
    case DropReason::ShedToKeyframe:
      return "shed up to the next keyframe";
    case DropReason::DecodeError:
      return "damaged data";
    case DropReason::Hidden:
      return "window hidden";
    case DropReason::Count_:
      break;
  }
  return "unknown";
}

}  // namespace tactus::plugins
