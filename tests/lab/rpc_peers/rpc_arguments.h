// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "tests/lab/trial_page.h"

namespace tactus::lab {

/// What the lab says to a peer program: `PROGRAM send|receive PAGE SIZE`.
struct RpcArguments {
  bool sends = false;
  TrialPage* page = nullptr;
  std::size_t size = 0;  ///< bytes of a buffer

  /// Absent: this is not what the lab says; a sentence is on stderr.
  [[nodiscard]] static std::optional<RpcArguments> of(int count, char** words) noexcept {
    const std::string_view side = count == 4 ? words[1] : "";
    if (side == "send" || side == "receive") {
      const RpcArguments arguments{side == "send", TrialPage::at(std::atoi(words[2])),
                                   static_cast<std::size_t>(std::atoi(words[3]))};
      if (arguments.page != nullptr && arguments.size != 0) return arguments;
    }
    std::fputs("This program is called by tactus-lab rtss-throughput.\n", stderr);
    return std::nullopt;
  }
};

}  // namespace tactus::lab
