// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "media/room/participant/call_life.h"

namespace tactus::media {

/// Hears of a call's stream. Called on the thread that looks after it, with no lock held.
class CallListener {
 public:
  virtual ~CallListener() = default;
  /// `why`: a sentence, once it has ended. After Ended nothing follows.
  virtual void onCallState(CallState state, const std::string& why) = 0;
};

}  // namespace tactus::media
