// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/periodic/time/time.h"
#include "plugins/picture_memory.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// Triple buffer of BGRx pictures between the display thread (writer) and one renderer (reader), with an
/// eventfd that becomes readable when a picture waits. Lock-free and wait-free for the writer; allocates only
/// in resize(). Four buffers: one being converted, one waiting, one or two held by the renderer (the scene
/// graph keeps the last texture until the next).
class PictureExchange {
 public:
  PictureExchange();
  ~PictureExchange();
  PictureExchange(const PictureExchange&) = delete;
  PictureExchange& operator=(const PictureExchange&) = delete;

  /// Writer only. New upright size; buffers in the reader's hands stay valid until it takes the next.
  void resize(int width, int height);
  /// Writer only, real-time-safe. A buffer nobody reads; null before resize().
  [[nodiscard]] Rgb32View begin() noexcept;
  /// Writer only. The memory of the buffer from begin(); null when there is none to be filled.
  [[nodiscard]] const PictureMemory* filling() const noexcept;
  enum class Wake { Reader, Nobody };
  /// Writer only, real-time-safe. Hands over the buffer from begin(); true if it replaced one never taken.
  /// Unless it wakes the reader, the picture just lies there for when the reader comes by itself.
  bool publish(periodic::TimePoint due, Wake wake = Wake::Reader) noexcept;
  /// Reader only, real-time-safe. The newest picture if there is one that was not taken yet; valid until the
  /// next successful take(). Clears the eventfd.
  struct Taken {
    Rgb32View view;
    periodic::TimePoint due;
  };
  [[nodiscard]] bool take(Taken& into) noexcept;
  /// Reader only, real-time-safe. The picture taken before the latest is not looked at any more. As begin()
  /// gives the first free buffer, the fourth is then hardly ever written and takes no memory.
  void releaseOlder() noexcept;
  /// Whether a picture was published that nobody took. Any thread.
  [[nodiscard]] bool waiting() const noexcept;
  /// eventfd for poll() or QSocketNotifier; readable after publish().
  [[nodiscard]] int descriptor() const noexcept;
  /// Pictures that the reader was woken for and took.
  [[nodiscard]] std::uint64_t taken() const noexcept;

 private:
  struct Slots;
  std::unique_ptr<Slots> m_slots;
};

}  // namespace tactus::plugins
