// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/size_choice.h"

#include <utility>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

double pixelsOf(PictureSize size) noexcept {
  return static_cast<double>(size.width) * size.height;
}

}  // namespace

void SizeChoice::follow(GstElement* sink) {
  const plugins::PadPtr pad(gst_element_get_static_pad(sink, "sink"));
  const plugins::CapsPtr caps(pad ? gst_pad_get_current_caps(pad.get()) : nullptr);
  if (!caps) return;
  PictureSize size;
  const GstStructure* const format = gst_caps_get_structure(caps.get(), 0);
  if (gst_structure_get(format, "width", G_TYPE_INT, &size.width, "height", G_TYPE_INT, &size.height,
                        nullptr) == FALSE)
    return;
  const std::lock_guard lock(m_mutex);
  m_comes = size;
}

void SizeChoice::setLarger(PictureSize larger) {
  const std::lock_guard lock(m_mutex);
  m_larger = larger;
}

void SizeChoice::ask(bool smaller) {
  {
    const std::lock_guard lock(m_mutex);
    if (std::exchange(m_asked, smaller) == smaller) return;
  }
  if (m_ask) m_ask(smaller);
}

std::optional<LoadFigures::Sizes> SizeChoice::sizes() const {
  const std::lock_guard lock(m_mutex);
  const double larger = pixelsOf(m_larger), smaller = pixelsOf(halfOf(m_larger));
  if (smaller <= 0) return std::nullopt;
  // An encoder may have its own idea of a size: what is nearer counts.
  const bool smallerComes = pixelsOf(m_comes) > 0 && pixelsOf(m_comes) < (larger + smaller) / 2;
  return LoadFigures::Sizes{.share = smaller / larger, .smallerComes = smallerComes};
}

}  // namespace tactus::media
