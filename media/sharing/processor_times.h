// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

namespace tactus::media {

/// Shares of the processors' time that anybody used lately, [0, 1].
struct ProcessorUse {
  double all = 0;      ///< of all together
  double busiest = 0;  ///< of the one that was used most
};

/// Use of the processors that this program may run on since the call before, from /proc/stat; zero at the
/// first. One thread at a time.
class ProcessorTimes {
 public:
  [[nodiscard]] ProcessorUse use();

 private:
  struct Times {
    std::uint64_t used = 0, all = 0;
  };
  std::map<int, Times> m_last;  // by processor
};

}  // namespace tactus::media
