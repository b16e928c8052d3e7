// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/incoming_buffers.h"

#include <algorithm>
#include <string_view>

namespace tactus::media {

void IncomingBuffers::add(GstElement* element) {
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr || std::string_view(GST_OBJECT_NAME(factory)) != "rtpjitterbuffer") return;
  m_buffers.push_back(std::make_unique<JitterBuffer>(element));
}

IncomingBuffers::Figures IncomingBuffers::figures() const {
  Figures all;
  for (const auto& buffer : m_buffers) {
    const auto figures = buffer->figures();
    all.lost += figures.lost + figures.dropped;
    // What was dropped here is missed by the buffer as well, and is not the line's fault.
    all.lostByLine += figures.lost - std::min(figures.lost, figures.dropped);
    all.jitter = std::max(all.jitter, figures.jitter);
    all.retransmission =
        std::max(all.retransmission, figures.retransmissionTime.value_or(periodic::Duration{0}));
  }
  return all;
}

}  // namespace tactus::media
