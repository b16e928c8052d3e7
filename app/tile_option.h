// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/periodic/result.h"
#include "media/sharing/window_terms.h"

namespace tactus::app {

/// A film of several that play at once, and its claim on the machine.
struct TileOption {
  std::string item;
  media::WindowTerms terms;
  bool given = false;  ///< The command line states terms.
  /// The name in its terms, else the film's.
  [[nodiscard]] std::string name() const;
};

/// FILE|URL[@TERM[,TERM]...]. An '@' inside a URL belongs to the URL: what follows the last '@' counts as
/// terms only if the first of them is one. `option` is the name that an error gives.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] Result<TileOption> parseTile(std::string_view option, std::string_view value);

}  // namespace tactus::app
