// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {

/// What a subtitle file holds.
struct SubtitleFile {
  std::string name;  ///< the file's, without its folder
  ParametersPtr parameters;
  std::vector<PacketPtr> packets;  ///< in the order of their times, which are nanoseconds
};

/// Reads a file of subtitles alone: SRT, ASS, WebVTT, MicroDVD, PGS, ... Text that is not UTF-8 or UTF-16 is
/// taken for Windows-1252. Nothing but the file is ever opened, and 64 MiB of it at most are read. Blocking.
/// Errors: NotFound, PermissionDenied, System, Unsupported (no subtitles, too long); one sentence that names
/// the file.
[[nodiscard]] Result<SubtitleFile> readSubtitleFile(const std::string& path);

}  // namespace tactus::plugins::av
