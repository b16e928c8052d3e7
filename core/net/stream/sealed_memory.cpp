// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/sealed_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace tactus::net {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;
/// Memory is asked for in steps, since a signal undoes the step that it interrupts.
constexpr std::size_t kStep = std::size_t{1} << 22;

Error failed(const char* what) {
  return {ErrorCode::System, std::string(what) + ": " + std::strerror(errno) + "."};
}

/// All pages exist from the start, so that no access has to wait for one.
bool reserve(int memory, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t step = std::min(kStep, bytes - done);
    if (fallocate(memory, 0, static_cast<off_t>(done), static_cast<off_t>(step)) == 0)
      done += step;
    else if (errno != EINTR)
      return false;
  }
  return true;
}

}  // namespace

Result<SealedMemory> SealedMemory::create(std::size_t bytes) {
  Descriptor memory(memfd_create("tactus-stream", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return failed("Memory to share could not be made");
  if (ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0 || !reserve(memory.get(), bytes))
    return failed("There is no memory to share");
  if (fcntl(memory.get(), F_ADD_SEALS, kSizeSeals) != 0) return failed("Shared memory could not be sealed");
  return map(std::move(memory), bytes);
}

Result<SealedMemory> SealedMemory::open(Descriptor memory, std::size_t largest) {
  const int seals = fcntl(memory.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSizeSeals) != kSizeSeals)
    return Error{ErrorCode::Corrupt, "The peer sent something else than memory of a sealed size."};
  struct statfs system {};
  if (fstatfs(memory.get(), &system) != 0) return failed("Shared memory could not be looked at");
  // The pages of a memfd of huge pages (MFD_HUGETLB) are few: an access fails when there is none left.
  if (system.f_type != TMPFS_MAGIC)
    return Error{ErrorCode::Corrupt, "The peer sent memory that may run out."};
  struct stat status {};
  if (fstat(memory.get(), &status) != 0) return failed("Shared memory could not be looked at");
  if (status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > largest)
    return Error{ErrorCode::Corrupt, "The peer sent more memory than agreed, or none."};
  return map(std::move(memory), static_cast<std::size_t>(status.st_size));
}

Result<SealedMemory> SealedMemory::map(Descriptor memory, std::size_t bytes) {
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory.get(), off_t{0});
  if (mapped == MAP_FAILED) return failed("Shared memory could not be mapped");
  return SealedMemory(std::move(memory), {static_cast<std::byte*>(mapped), bytes});
}

SealedMemory::SealedMemory(SealedMemory&& other) noexcept
    : m_descriptor(std::move(other.m_descriptor)), m_bytes(std::exchange(other.m_bytes, {})) {}

SealedMemory::~SealedMemory() {
  if (!m_bytes.empty()) munmap(m_bytes.data(), m_bytes.size());
}

}  // namespace tactus::net
