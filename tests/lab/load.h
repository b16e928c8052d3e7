// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/lab/child_process.h"

namespace tactus::lab {

/// Processes at normal priority that never stop computing: the papers' CPU load. They end with the object.
class CpuHogs {
 public:
  [[nodiscard]] static Result<CpuHogs> start(int count);

 private:
  std::vector<ChildProcess> m_hogs;
};

}  // namespace tactus::lab
