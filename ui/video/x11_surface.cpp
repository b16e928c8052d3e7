// SPDX-License-Identifier: Apache-2.0
#include "ui/video/x11_surface.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

#include <QRegion>
#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace tactus::ui {
namespace {

constexpr std::uint8_t kDepth = 24;

struct FreeReply {
  void operator()(void* reply) const noexcept { std::free(reply); }
};
template <typename Reply>
using ReplyPtr = std::unique_ptr<Reply, FreeReply>;

/// Whether the server has pixels as ours: B G R x in memory.
bool hasOurPixels(const xcb_setup_t* setup) {
  if (setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST) return false;
  for (auto each = xcb_setup_pixmap_formats_iterator(setup); each.rem > 0; xcb_format_next(&each)) {
    if (each.data->depth == kDepth) return each.data->bits_per_pixel == 32;
  }
  return false;
}

bool sharesMemory(xcb_connection_t* connection) {
  const auto* extension = xcb_get_extension_data(connection, &xcb_shm_id);
  if (extension == nullptr || !extension->present) return false;
  const ReplyPtr<xcb_shm_query_version_reply_t> version(
      xcb_shm_query_version_reply(connection, xcb_shm_query_version(connection), nullptr));
  if (!version) return false;
  const bool takesDescriptors =
      version->major_version > 1 || (version->major_version == 1 && version->minor_version >= 2);
  if (!takesDescriptors) return false;
  // A server elsewhere answers alike, but descriptors reach only one on a Unix socket of ours.
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  return getpeername(xcb_get_file_descriptor(connection), reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
         peer.ss_family == AF_UNIX;
}

bool hasOurDepth(xcb_connection_t* connection, xcb_window_t window) {
  const ReplyPtr<xcb_get_geometry_reply_t> geometry(
      xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), nullptr));
  return geometry && geometry->depth == kDepth;
}

}  // namespace

std::unique_ptr<X11Surface> X11Surface::open(std::uint32_t window) {
  xcb_connection_t* connection = xcb_connect(nullptr, nullptr);
  if (xcb_connection_has_error(connection) != 0 || !hasOurPixels(xcb_get_setup(connection)) ||
      !sharesMemory(connection) || !hasOurDepth(connection, window)) {
    xcb_disconnect(connection);
    return nullptr;
  }
  return std::unique_ptr<X11Surface>(new X11Surface(connection, window));
}

X11Surface::X11Surface(xcb_connection_t* connection, std::uint32_t window) noexcept
    : m_connection(connection), m_window(window), m_context(xcb_generate_id(connection)) {
  const std::uint32_t noExposures = 0;
  xcb_create_gc(connection, m_context, window, XCB_GC_GRAPHICS_EXPOSURES, &noExposures);
  m_completionEvent = static_cast<std::uint8_t>(xcb_get_extension_data(connection, &xcb_shm_id)->first_event +
                                                XCB_SHM_COMPLETION);
}

X11Surface::~X11Surface() {
  xcb_disconnect(m_connection);
}

void X11Surface::place(Placement placement) {
  const std::lock_guard lock(m_mutex);
  if (placement == m_placement) return;
  QRegion region(placement.rect);
  for (const auto& hole : placement.holes) region -= hole;
  std::vector<xcb_rectangle_t> visible;
  for (const QRect& part : region) {
    visible.push_back({static_cast<std::int16_t>(part.x()), static_cast<std::int16_t>(part.y()),
                       static_cast<std::uint16_t>(part.width()), static_cast<std::uint16_t>(part.height())});
  }
  xcb_set_clip_rectangles(m_connection, XCB_CLIP_ORDERING_UNSORTED, m_context, 0, 0,
                          static_cast<std::uint32_t>(visible.size()), visible.data());
  m_placement = std::move(placement);
}

/// What the server said meanwhile: that it has taken the picture, or that it will not take any.
void X11Surface::listen() noexcept {
  for (;;) {
    const ReplyPtr<xcb_generic_event_t> event(xcb_poll_for_event(m_connection));
    if (!event) break;
    const int kind = event->response_type & 0x7f;
    if (kind == m_completionEvent) m_pending = false;
    if (kind == 0) m_failed = true;  // an error: the window is gone, or the memory was refused
  }
  if (xcb_connection_has_error(m_connection) != 0) m_failed = true;
}

/// 0 if the memory cannot be shared.
std::uint32_t X11Surface::segmentOf(const plugins::PictureMemory& memory) noexcept {
  const auto known = std::find_if(m_segments.begin(), m_segments.end(),
                                  [&](const Segment& each) { return each.serial == memory.serial(); });
  if (known != m_segments.end()) return known->id;
  // xcb closes what it sends.
  const int descriptor = memory.descriptor() >= 0 ? fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 3) : -1;
  if (descriptor < 0) return 0;
  Segment& slot = m_segments[m_oldest];
  m_oldest = (m_oldest + 1) % m_segments.size();
  if (slot.id != 0) xcb_shm_detach(m_connection, slot.id);
  slot = {memory.serial(), xcb_generate_id(m_connection)};
  xcb_shm_attach_fd(m_connection, slot.id, descriptor, 1);
  return slot.id;
}

X11Surface::Put X11Surface::put(const plugins::PictureMemory& memory,
                                const plugins::Rgb32View& view) noexcept {
  const std::lock_guard lock(m_mutex);
  if (m_failed || m_placement.rect.size() != QSize(view.width, view.height)) return Put::Refused;
  if (m_pending) listen();
  if (m_failed) return Put::Refused;
  if (m_pending) return Put::Busy;
  const std::uint32_t segment = segmentOf(memory);
  if (segment == 0) return Put::Refused;
  const auto width = static_cast<std::uint16_t>(view.width);
  const auto height = static_cast<std::uint16_t>(view.height);
  xcb_shm_put_image(m_connection, m_window, m_context, static_cast<std::uint16_t>(view.stride / 4), height, 0,
                    0, width, height, static_cast<std::int16_t>(m_placement.rect.x()),
                    static_cast<std::int16_t>(m_placement.rect.y()), kDepth, XCB_IMAGE_FORMAT_Z_PIXMAP, 1,
                    segment, static_cast<std::uint32_t>(view.data - memory.data()));
  m_pending = xcb_flush(m_connection) > 0;
  return m_pending ? Put::Shown : Put::Refused;
}

}  // namespace tactus::ui
