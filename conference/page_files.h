// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "conference/door/routes.h"

namespace tactus::conference {

/// A file of the browser's page, compiled in from conference/page. Plain data.
struct PageFile {
  std::string_view name;  ///< "index.html"
  std::string_view type;  ///< of its content: "text/html; charset=utf-8"
  std::string_view content;
};

/// All files of the page. Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] std::span<const PageFile> pageFiles() noexcept;

/// The page: "index.html" at the room's own path, each file at "page/NAME". Thread-safe: yes.
void addPage(Routes& routes);

}  // namespace tactus::conference
