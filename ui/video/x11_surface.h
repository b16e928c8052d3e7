// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRect>
#include <QSize>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/picture_memory.h"
#include "plugins/video_target.h"

struct xcb_connection_t;

namespace tactus::ui {

/// Where a picture goes on a window, in its pixels.
struct Placement {
  QRect rect;                ///< as large as the picture: nothing is scaled; empty = nowhere
  std::vector<QRect> holes;  ///< what the window draws over it
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// Puts pictures on an X11 window straight from the display thread (MIT-SHM, on a connection of its own): no
/// other thread has to wake up for a picture, and a busy GUI thread delays none. What the window draws over
/// the picture is left out. place() by the GUI thread, put() by the display thread.
class X11Surface {
 public:
  /// Null where the server cannot do it: it is remote or old, or the window has no 24 bit colours.
  [[nodiscard]] static std::unique_ptr<X11Surface> open(std::uint32_t window);
  ~X11Surface();
  X11Surface(const X11Surface&) = delete;
  X11Surface& operator=(const X11Surface&) = delete;

  /// Pictures of this size go there from now on; others are refused.
  void place(Placement placement);

  enum class Put {
    Shown,    ///< on its way to the screen
    Busy,     ///< the server has not yet taken the one before: this one is too many
    Refused,  ///< no place, another size, or the server wants no more: show it some other way
  };
  /// Bounded: one picture at most is with the server. `memory` holds `view` and must keep it until the next
  /// put() that does not return Busy. Allocates where it sees a memory for the first time.
  [[nodiscard]] Put put(const plugins::PictureMemory& memory, const plugins::Rgb32View& view) noexcept;

 private:
  struct Segment {
    std::uint64_t serial = 0;  // of the memory; 0 = none
    std::uint32_t id = 0;
  };

  X11Surface(xcb_connection_t* connection, std::uint32_t window) noexcept;
  void listen() noexcept;
  [[nodiscard]] std::uint32_t segmentOf(const plugins::PictureMemory& memory) noexcept;

  xcb_connection_t* const m_connection;
  const std::uint32_t m_window;
  std::uint32_t m_context = 0;  // X graphics context
  std::uint8_t m_completionEvent = 0;
  periodic::PriorityInheritanceMutex m_mutex;  // guards what follows; held for a request at most
  Placement m_placement;
  std::array<Segment, 8> m_segments{};  // four pictures of this size, and of the one before
  std::size_t m_oldest = 0;
  bool m_pending = false;  // a picture is with the server
  bool m_failed = false;
};

}  // namespace tactus::ui
