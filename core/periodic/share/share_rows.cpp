// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/share/share_rows.h"

#include <algorithm>

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

const char* stateOf(const ShareRow& row) noexcept {
  if (row.suspended) return "suspended";
  return row.runnable ? "runnable" : "idle";
}

}  // namespace

std::string linesOf(std::span<const ShareRow> rows) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.path.size());
  std::string lines;
  for (const auto& row : rows) {
    const std::string share = row.share ? format("%.1f %%", *row.share * 100) : "-";
    lines += row.path;
    lines.append(longest - row.path.size(), ' ');
    lines += format("  %-8s  weight %-8.6g  share %7s  priority %-4d  waiting %-5zu  served %-12.12g  %s\n",
                    row.order ? nameOf(*row.order).data() : "queue", row.weight, share.c_str(), row.priority,
                    row.waiting, row.served, stateOf(row));
  }
  return lines;
}

}  // namespace tactus::periodic
