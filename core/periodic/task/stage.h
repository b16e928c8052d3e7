// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/periodic/admission/band.h"
#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// The stage of a pipeline that a task carries out. Reports list tasks in this order.
enum class Stage {
  Source,        ///< reads and demuxes
  VideoDecode,   ///< decodes pictures
  AudioDecode,   ///< decodes sound
  VideoDisplay,  ///< hands pictures to the display
  Audio,         ///< hands sound to the device
  Render,        ///< draws a window
  Capture,       ///< reads a camera, a microphone or a screen
  Encode,        ///< encodes what is captured
  Send,          ///< sends to the network
  Receive,       ///< receives from the network
  Forward,       ///< receives from one participant and sends to others
  Other,         ///< everything else
};
inline constexpr std::size_t kStageCount = static_cast<std::size_t>(Stage::Other) + 1;

/// What a stage gives up when its window is to show fewer pictures.
enum class Shedding {
  Nothing,  ///< every packet is processed
  /// Packets before they are decoded. Decoding that exceeds its time lives on pictures decoded ahead, so the
  /// window chooses the quantile that is reserved.
  BeforeDecoding,
  /// Decoded pictures, and pictures that come too late. Nothing is done ahead here: a hand-over that exceeds
  /// its time is late.
  BeforeDisplay,
};

/// What the scheduler and the pipelines know of a stage: a new stage is a new row.
struct StageRow {
  Stage stage;
  std::string_view name;  ///< shown to people
  /// What a task of the stage asks for until its window says otherwise.
  ServiceClass service = ServiceClass::Statistical;
  /// The window's service class applies, and the time that the stage waits for a processor counts as the
  /// window's.
  bool governed = false;
  /// The stage carries sound alone. It is preferred: sound that falters is noticed before any picture.
  bool sound = false;
  Shedding shedding = Shedding::Nothing;
  /// First guess of packets a second, until the stream says more.
  Rate rate;
  /// First guess of CPU time of one packet, until it is measured. Zero = a twentieth of the period, or what
  /// the size of a picture says.
  Duration processing{0};
};

/// The table: one row for each stage, at the stage's index.
inline constexpr std::array<StageRow, kStageCount> kStages{{
    {.stage = Stage::Source,
     .name = "source",
     .rate = Rate::perSecond(10),
     .processing = std::chrono::milliseconds(1)},
    {.stage = Stage::VideoDecode,
     .name = "video decode",
     .governed = true,
     .shedding = Shedding::BeforeDecoding,
     .rate = Rate::perSecond(30)},
    {.stage = Stage::AudioDecode,
     .name = "audio decode",
     .sound = true,
     .rate = Rate::perSecond(50),
     .processing = std::chrono::microseconds(300)},
    {.stage = Stage::VideoDisplay,
     .name = "video display",
     .governed = true,
     .shedding = Shedding::BeforeDisplay,
     .rate = Rate::perSecond(30)},
    {.stage = Stage::Audio, .name = "audio", .sound = true, .rate = Rate::perSecond(50)},
    {.stage = Stage::Render, .name = "render", .rate = Rate::perSecond(60)},
    // Of a call: pictures of a camera, and on the network a packet of sound every 20 ms.
    {.stage = Stage::Capture, .name = "capture", .rate = Rate::perSecond(30)},
    {.stage = Stage::Encode, .name = "encode", .rate = Rate::perSecond(30)},
    {.stage = Stage::Send, .name = "send", .rate = Rate::perSecond(50)},
    {.stage = Stage::Receive, .name = "receive", .rate = Rate::perSecond(50)},
    {.stage = Stage::Forward, .name = "forward", .rate = Rate::perSecond(50)},
    {.stage = Stage::Other, .name = "other", .rate = Rate::perSecond(30)},
}};

/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr const StageRow& rowOf(Stage stage) noexcept {
  return kStages[static_cast<std::size_t>(stage)];
}
[[nodiscard]] constexpr std::string_view nameOf(Stage stage) noexcept {
  return rowOf(stage).name;
}

static_assert(
    [] {
      for (std::size_t i = 0; i < kStageCount; ++i)
        if (kStages[i].stage != static_cast<Stage>(i) || kStages[i].name.empty()) return false;
      return true;
    }(),
    "A row is missing, or does not stand at its stage's index.");

}  // namespace tactus::periodic
