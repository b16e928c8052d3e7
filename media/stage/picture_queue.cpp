// SPDX-License-Identifier: Apache-2.0
#include "media/stage/picture_queue.h"

#include <algorithm>

#include "core/periodic/workload/lbap_composition.h"

namespace tactus::media {
namespace {

constexpr std::uint32_t kSpare = 2;
constexpr std::uint32_t kMost = 12;

}  // namespace

std::uint32_t picturesToQueue(const periodic::TaskReport& decoder, std::uint64_t pictureBytes) {
  const auto& rate = decoder.contract.lbap.rate;
  const periodic::LbapContract regulated{rate, 1, periodic::ByteCount{pictureBytes}};
  periodic::Duration longest = rate.period();
  periodic::Duration shortest = longest;
  for (const auto& part : decoder.parts) longest = std::max(longest, part.response);
  if (!decoder.parts.empty()) shortest = std::min(longest, decoder.parts.front().demand.processing);
  const auto output = periodic::outputOf(regulated, {shortest, longest});
  return std::min(kMost, periodic::packetsHeld(output, rate.period()) + kSpare);
}

void PictureQueue::attach(GstElement* queue) {
  g_object_set(queue, "max-size-buffers", guint{kQueuedUntilKnown}, "max-size-bytes", 0u, "max-size-time",
               guint64{0}, nullptr);
  const std::lock_guard lock(m_mutex);
  m_queue = plugins::share<plugins::ElementPtr>(queue);
  m_size = {kQueuedUntilKnown, 0};
}

void PictureQueue::fit(const periodic::TaskReport& decoder, std::uint64_t pictureBytes) {
  if (!decoder.reserved) return;
  const std::uint32_t pictures = picturesToQueue(decoder, pictureBytes);
  const std::lock_guard lock(m_mutex);
  if (!m_queue) return;
  m_size = {static_cast<int>(pictures), pictures * pictureBytes};
  g_object_set(m_queue.get(), "max-size-buffers", pictures, nullptr);
}

QueueSize PictureQueue::size() const {
  const std::lock_guard lock(m_mutex);
  return m_size;
}

}  // namespace tactus::media
