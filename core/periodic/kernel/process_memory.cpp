// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/kernel/process_memory.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

namespace tactus::periodic {
namespace {

namespace fs = std::filesystem;

std::string contentsOf(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::optional<std::uint64_t> numberIn(std::string_view text) noexcept {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Where a version of control groups keeps the files of one, and what these are called.
struct Hierarchy {
  const char* root;
  const char* limit;
  const char* usage;
  const char* reclaimable;  ///< a line of memory.stat
};
constexpr Hierarchy kUnified{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr Hierarchy kLegacy{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                            "total_inactive_file"};

/// The limits of a group and of all above it hold; in a container some of these cannot be seen.
std::optional<std::uint64_t> leftInGroups(const Hierarchy& hierarchy, const fs::path& group) {
  std::optional<std::uint64_t> least;
  for (fs::path at = group;; at = at.parent_path()) {
    const fs::path folder = hierarchy.root + at.string();
    const auto reclaimable =
        bytesNamed(contentsOf(folder / "memory.stat"), hierarchy.reclaimable).value_or(0);
    const auto left =
        leftBelow(contentsOf(folder / hierarchy.limit), contentsOf(folder / hierarchy.usage), reclaimable);
    if (left) least = std::min(least.value_or(*left), *left);
    if (at == at.parent_path()) return least;
  }
}

/// Lines of /proc/self/cgroup: "0::/user.slice/..." in the unified hierarchy, "4:memory:/..." before.
std::optional<std::uint64_t> leftInGroups() {
  std::optional<std::uint64_t> least;
  std::istringstream lines(contentsOf("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") continue;
    const auto left = leftInGroups(controllers.empty() ? kUnified : kLegacy, line.substr(second + 1));
    if (left) least = std::min(least.value_or(*left), *left);
  }
  return least;
}

}  // namespace

std::optional<std::uint64_t> bytesNamed(std::string_view text, std::string_view key) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key) || line.size() <= key.size()) continue;
    const char after = line[key.size()];
    if (after != ':' && after != ' ') continue;
    const auto number = numberIn(line.substr(key.size() + 1));
    if (!number) return std::nullopt;
    return line.ends_with("kB") ? *number * 1024 : *number;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> leftBelow(std::string_view limit, std::string_view usage,
                                       std::uint64_t reclaimable) noexcept {
  const auto most = numberIn(limit);
  const auto used = numberIn(usage);
  if (!most || !used) return std::nullopt;
  const std::uint64_t kept = *used - std::min(*used, reclaimable);
  return *most - std::min(*most, kept);
}

std::optional<ProcessMemory> readProcessMemory() {
  const auto free = bytesNamed(contentsOf("/proc/meminfo"), "MemAvailable");
  const std::string status = contentsOf("/proc/self/status");
  const auto anonymous = bytesNamed(status, "RssAnon");
  if (!free || !anonymous) return std::nullopt;
  ProcessMemory memory;
  memory.ours = *anonymous + bytesNamed(status, "RssShmem").value_or(0);
  memory.free = std::min(*free, leftInGroups().value_or(std::numeric_limits<std::uint64_t>::max()));
  return memory;
}

}  // namespace tactus::periodic
