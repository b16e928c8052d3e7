// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::app {

/// What `tactus` tells its caller. Documented in --help and README.
enum class ExitCode {
  Played = 0,
  InternalError = 1,
  Usage = 2,
  CannotOpen = 3,
  PlayedWithViolations = 4,  ///< deadlines missed or pictures dropped; the report says which
  NoDisplay = 5,             ///< none to open, or it went away
  BrokeOff = 6,              ///< playing began and could not go on
  Interrupted = 130,         ///< SIGINT or SIGTERM
};

}  // namespace tactus::app
