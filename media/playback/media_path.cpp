// SPDX-License-Identifier: Apache-2.0
#include "media/playback/media_path.h"

#include <gst/gst.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "plugins/av/stream_bytes.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

Result<std::string> uriOf(const std::string& uriOrPath) {
  if (uriOrPath.empty()) return Error{ErrorCode::InvalidArgument, "There is no name to open."};
  if (uriOrPath == "-") return std::string("fd://0");
  std::string path = uriOrPath;
  if (gst_uri_is_valid(uriOrPath.c_str())) {
    if (!uriOrPath.starts_with("file:")) return uriOrPath;
    const auto local = localPathOf(uriOrPath);
    if (!local) return Error{ErrorCode::InvalidArgument, "'" + uriOrPath + "' is not a valid file address."};
    path = *local;
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return Error{ErrorCode::NotFound, "There is no file '" + path + "'."};
    return Error{ErrorCode::PermissionDenied,
                 "'" + path + "' cannot be opened: " + std::strerror(errno) + "."};
  }
  if (S_ISDIR(status.st_mode))
    return Error{ErrorCode::InvalidArgument, "'" + path + "' is a directory, not a film."};
  if (access(path.c_str(), R_OK) != 0) {
    return Error{ErrorCode::PermissionDenied,
                 "'" + path + "' may not be read: " + std::strerror(errno) + "."};
  }
  if (S_ISREG(status.st_mode) && status.st_size == 0) {
    return Error{ErrorCode::Corrupt, "'" + path + "' is an empty file."};
  }
  std::error_code failure;
  const auto absolute = std::filesystem::absolute(path, failure);
  const plugins::CharPtr uri(g_filename_to_uri(failure ? path.c_str() : absolute.c_str(), nullptr, nullptr));
  if (!uri) return Error{ErrorCode::InvalidArgument, "'" + path + "' cannot be written as an address."};
  return std::string(uri.get());
}

std::optional<std::string> localPathOf(const std::string& uri) {
  const plugins::CharPtr path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  return path ? std::optional(std::string(path.get())) : std::nullopt;
}

std::string titleOf(const std::string& uri) {
  if (auto stream = plugins::av::StreamBytes::nameOf(uri)) return *std::move(stream);
  const auto path = localPathOf(uri);
  return path ? std::filesystem::path(*path).filename().string() : uri;
}

}  // namespace tactus::media
