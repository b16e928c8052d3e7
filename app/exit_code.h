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

/// Which of two to tell of several films: that one could not be opened counts for more than that one broke
/// off, and this for more than violations. Thread-safe: yes (pure).
[[nodiscard]] constexpr ExitCode worse(ExitCode one, ExitCode other) noexcept {
  const auto rank = [](ExitCode code) {
    switch (code) {
      case ExitCode::Played:
        return 0;
      case ExitCode::PlayedWithViolations:
        return 1;
      case ExitCode::BrokeOff:
        return 2;
      case ExitCode::CannotOpen:
        return 3;
      default:
        return 4;
    }
  };
  return rank(one) >= rank(other) ? one : other;
}

}  // namespace tactus::app
