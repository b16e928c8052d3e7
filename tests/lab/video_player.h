// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/lab/block_film.h"
#include "tests/lab/child_process.h"
#include "tests/lab/experiment.h"

namespace tactus::lab {

/// How a player begins that can be told so: not GStreamer's.
struct PlayerBegin {
  bool paused = false;
  int frame = 0;  ///< the very one that is shown first
};

/// A player as the experiments start it: the film without sound in a window that fills the screen, software
/// decoding and X11 output, none of the user's settings.
struct VideoPlayer {
  enum class Kind { Tactus, TactusWithoutRealtime, Mpv, Gstreamer };
  Kind kind = Kind::Tactus;
  std::string name;

  [[nodiscard]] Result<ChildProcess> start(const Plan& plan, const BlockFilm& film,
                                           const std::string& display, PlayerBegin begin = {}) const;
  /// Deadlines missed and pictures dropped in the report that the last start() left once stopped; nothing for
  /// players that leave none.
  [[nodiscard]] std::optional<long> violations(const Plan& plan) const;
  /// The class the kernel granted, from the same report.
  [[nodiscard]] std::string kernelClass(const Plan& plan) const;

 private:
  [[nodiscard]] bool isTactus() const noexcept {
    return kind == Kind::Tactus || kind == Kind::TactusWithoutRealtime;
  }
};

[[nodiscard]] const std::vector<VideoPlayer>& videoPlayers();

/// The number behind "key" in a JSON text, at its shallowest indentation; nothing if there is none.
[[nodiscard]] std::optional<std::string> topLevelValue(const std::string& json, const std::string& key);

}  // namespace tactus::lab
