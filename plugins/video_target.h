// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/periodic/time/time.h"
#include "plugins/orientation.h"

typedef struct _GstBuffer GstBuffer;
typedef struct _GstVideoInfo GstVideoInfo;

namespace tactus::plugins {

/// Geometry and colour of the frames that follow. Sizes are in pixels before rotation.
struct PictureFormat {
  int width = 0;
  int height = 0;
  int parNumerator = 1;  ///< pixel aspect ratio
  int parDenominator = 1;
  Orientation orientation;
  int convertedWidth = 0;  ///< of the upright BGRx pictures that follow; 0 = none are converted
  int convertedHeight = 0;
  friend bool operator==(const PictureFormat&, const PictureFormat&) = default;
};

/// Room for a picture, in pixels of the screen.
struct PictureRoom {
  int width = 0;
  int height = 0;
  friend bool operator==(const PictureRoom&, const PictureRoom&) = default;
};

/// Converted picture: 32 bits a pixel, byte order B G R x in memory, upright (rotation already applied).
struct Rgb32View {
  std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  int stride = 0;  ///< bytes
};

/// Why a frame never reached the screen. Counted one by one, each with its own line in the report.
enum class DropReason : std::int64_t {
  LateAtDecoder,         ///< the decoder skipped it because frames were arriving late
  LateAtSink,            ///< reached the sink after its display time
  Replaced,              ///< a newer frame came before the renderer took this one
  ShedBeforeDecoding,    ///< given up by the frequency filter, before it cost anything
  ShedBeforeConversion,  ///< as well, but other pictures refer to it, so that it had to be decoded
  ShedToKeyframe,        ///< the rest of its group of pictures was given up: the last stage
  DecodeError,           ///< damaged data
  Hidden,                ///< the window shows nothing (minimised, closed)
  Count_
};
const char* nameOf(DropReason reason) noexcept;

/// Where the video sink puts pictures: a tile of the window, or the virtual display of headless mode.
/// Threads: format() and prepareRgb32()/submit*() are called by the display thread only; the rest by anybody.
class VideoTarget {
 public:
  virtual ~VideoTarget() = default;

  /// True: the sink converts to BGRx in its own thread (software scene graph, virtual display).
  /// False: the sink submits the decoder's planar buffers (RHI). Constant over the target's life.
  [[nodiscard]] virtual bool wantsRgb32() const noexcept = 0;
  /// A new format; frames that follow have it. Not real-time-safe (may allocate). Display thread.
  virtual void format(const PictureFormat& picture, const GstVideoInfo& info) = 0;
  /// Where pictures will be fitted into, so that they can be converted to that size at once: less work for
  /// everybody where the room is small. {0, 0} = as large as they are. Any thread, real-time-safe.
  [[nodiscard]] virtual PictureRoom room() const noexcept { return {}; }
  /// A free BGRx buffer of the converted picture's size, to convert into; data is null if none can be had
  /// (the frame is then dropped as Hidden). Called ahead of the display time. Display thread, real-time-safe.
  [[nodiscard]] virtual Rgb32View beginRgb32() noexcept = 0;
  /// The buffer from beginRgb32() is due now: show it. `due` is its display instant. Display thread,
  /// real-time-safe. Returns true if it replaced a frame that had not been taken yet (which counts as
  /// Replaced).
  virtual bool presentRgb32(periodic::TimePoint due) noexcept = 0;
  /// A planar buffer is due now: take a reference and show it. Display thread. Returns as presentRgb32().
  virtual bool presentPlanar(GstBuffer* buffer, periodic::TimePoint due) noexcept = 0;
  /// Pictures really shown since the start (taken by the renderer). Any thread.
  [[nodiscard]] virtual std::uint64_t shown() const noexcept = 0;
  /// Back to black. Any thread.
  virtual void clear() noexcept = 0;
};

}  // namespace tactus::plugins
