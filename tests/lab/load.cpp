// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/load.h"

#include <cstdint>

namespace tactus::lab {
namespace {

[[noreturn]] void compute() {
  // The volatile keeps the loop; it touches no memory but its own, as the papers' hogs do.
  for (volatile std::uint32_t state = 1;;) state = state * 1664525U + 1013904223U;
}

}  // namespace

Result<CpuHogs> CpuHogs::start(int count) {
  CpuHogs hogs;
  for (int i = 0; i < count; ++i) {
    auto hog = ChildProcess::fork([] { compute(); });
    if (!hog.ok()) return hog.error();
    hogs.m_hogs.push_back(std::move(hog).value());
  }
  return hogs;
}

}  // namespace tactus::lab
