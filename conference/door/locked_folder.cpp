// SPDX-License-Identifier: Apache-2.0
#include "conference/door/locked_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace tactus::conference {
namespace {

constexpr std::size_t kLargest = 64 * 1024;
constexpr mode_t kOwnerOnly = 0600;

Error fault(const std::filesystem::path& path, const char* what, int error) {
  return {error == EACCES || error == EPERM ? ErrorCode::PermissionDenied : ErrorCode::System,
          "'" + path.string() + "' cannot be " + what + ": " + std::strerror(error) + "."};
}

bool writeAll(int descriptor, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t wrote = write(descriptor, content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return fsync(descriptor) == 0;
}

}  // namespace

Result<LockedFolder> LockedFolder::open(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fault(folder, "made", errno);
  net::Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return fault(folder, "opened", errno);
  int locked = 0;
  do {
    locked = flock(lock.get(), LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) return fault(folder, "locked", errno);
  return LockedFolder(folder, std::move(lock));
}

Result<std::optional<std::string>> LockedFolder::read(const std::string& name) const {
  const auto path = m_folder / name;
  const net::Descriptor file(openat(m_lock.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) return std::optional<std::string>();
  if (!file) return fault(path, "read", errno);
  std::string content;
  std::array<char, 4096> block{};
  while (true) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fault(path, "read", errno);
    if (got == 0) return std::optional(std::move(content));
    content.append(block.data(), static_cast<std::size_t>(got));
    if (content.size() > kLargest)
      return Error{ErrorCode::Corrupt,
                   "'" + path.string() + "' has more than 64 KiB: it is not one of ours."};
  }
}

Result<void> LockedFolder::replace(const std::string& name, const std::string& content) const {
  const auto path = m_folder / name;
  const std::string temporary = name + ".new";  // no other program writes it: we hold the lock
  (void)unlinkat(m_lock.get(), temporary.c_str(), 0);
  const net::Descriptor file(
      openat(m_lock.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (!file || !writeAll(file.get(), content)) {
    const int error = errno;
    if (file) (void)unlinkat(m_lock.get(), temporary.c_str(), 0);
    return fault(path, "written", error);
  }
  if (renameat(m_lock.get(), temporary.c_str(), m_lock.get(), name.c_str()) != 0 || fsync(m_lock.get()) != 0)
    return fault(path, "written", errno);
  return {};
}

}  // namespace tactus::conference
