// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "plugins/aligned_memory.h"

namespace tactus::plugins {

PictureMemory::PictureMemory(std::size_t rowBytes, int rows) noexcept
    : m_bytes(rowBytes * static_cast<std::size_t>(rows) + kPictureMargin),
      m_descriptor(memfd_create("tactus-picture", MFD_CLOEXEC)) {
  static std::atomic<std::uint64_t> serials{0};
  m_serial = serials.fetch_add(1, std::memory_order_relaxed) + 1;
  if (m_descriptor >= 0 && ftruncate(m_descriptor, static_cast<off_t>(m_bytes)) != 0) {
    close(m_descriptor);
    m_descriptor = -1;
  }
  const int flags = m_descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* mapped = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, flags, m_descriptor, 0);
  if (mapped != MAP_FAILED) m_data = static_cast<std::uint8_t*>(mapped);
}

void PictureMemory::release() noexcept {
  if (m_data != nullptr) munmap(m_data, m_bytes);
  if (m_descriptor >= 0) close(m_descriptor);
}

}  // namespace tactus::plugins
