// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::media {

/// Subtitle files of any text format that libavformat reads (SRT, ASS, WebVTT, MicroDVD, ...), turned into
/// one Matroska file of ASS tracks that lives in memory. playbin reads few formats itself and draws only
/// some; this way libass draws them all.
class SubtitleFile {
 public:
  /// One track a file, named after it. Bytes that are not UTF-8 or UTF-16 are taken for Windows-1252.
  /// Blocking; reads at most 64 MiB a file. Errors are one sentence naming the file.
  [[nodiscard]] static Result<SubtitleFile> create(const std::vector<std::string>& paths);
  ~SubtitleFile();
  SubtitleFile(SubtitleFile&& other) noexcept;
  SubtitleFile& operator=(SubtitleFile&& other) noexcept;
  SubtitleFile(const SubtitleFile&) = delete;
  SubtitleFile& operator=(const SubtitleFile&) = delete;

  /// For this process only, as long as this lives.
  [[nodiscard]] std::string uri() const;

 private:
  explicit SubtitleFile(int descriptor) noexcept : m_descriptor(descriptor) {}
  int m_descriptor;
};

}  // namespace tactus::media
