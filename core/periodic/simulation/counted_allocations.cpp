// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/simulation/counted_allocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t t_allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++t_allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++t_allocations;
  return std::malloc(size);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tactus::periodic {

std::uint64_t allocationsOfThisThread() noexcept {
  return t_allocations;
}

}  // namespace tactus::periodic
