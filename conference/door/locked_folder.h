// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "core/net/descriptor.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// A folder of small files that one program at a time reads and writes: it is locked (flock(2)) as long as
/// this lives. Thread-safe: no. Real-time-safe: no.
class LockedFolder {
 public:
  /// Makes the folder, for its owner alone, where there is none; waits for the lock.
  [[nodiscard]] static Result<LockedFolder> open(const std::filesystem::path& folder);

  /// The content of a file; nothing if there is none. Corrupt: it has more than 64 KiB.
  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& name) const;
  /// Writes a file that its owner alone may read: whole or not at all, also if the power fails.
  [[nodiscard]] Result<void> replace(const std::string& name, const std::string& content) const;

 private:
  LockedFolder(std::filesystem::path folder, net::Descriptor lock)
      : m_folder(std::move(folder)), m_lock(std::move(lock)) {}

  std::filesystem::path m_folder;
  net::Descriptor m_lock;
};

}  // namespace tactus::conference
