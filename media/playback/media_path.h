// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/periodic/result.h"

namespace tactus::media {

/// The URI of what a person named: a URI stays, "-" is standard input, anything else is a file, which must
/// exist, be a readable, non-empty file (or pipe or device) and not a directory. Errors are one sentence
/// naming it.
[[nodiscard]] Result<std::string> uriOf(const std::string& uriOrPath);

/// The path of a "file:" URI; absent for any other.
[[nodiscard]] std::optional<std::string> localPathOf(const std::string& uri);

/// What to call it before its tags are known: the name of the file or the stream, or the URI.
[[nodiscard]] std::string titleOf(const std::string& uri);

}  // namespace tactus::media
