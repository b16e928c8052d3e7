// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::media::testing {

/// The lowest bytes of a value, the highest of them first.
[[nodiscard]] std::string big(std::uint64_t value, int bytes);

/// An element of Matroska: its id, its size in eight bytes, and what is in it.
[[nodiscard]] std::string element(std::string_view id, const std::string& body);
/// Its head alone, whatever follows.
[[nodiscard]] std::string elementHead(std::string_view id, std::uint64_t size);

namespace matroska {
inline constexpr std::string_view kAttachments = "\x19\x41\xa4\x69", kChapters = "\x10\x43\xa7\x70",
                                  kEdition = "\x45\xb9", kTracks = "\x16\x54\xae\x6b";
}

/// A file beside the film, in kAttachments.
[[nodiscard]] std::string attachment(const std::string& name, const std::string& type,
                                     const std::string& bytes);
/// In kEdition. Nanoseconds.
[[nodiscard]] std::string chapter(std::uint64_t number, std::uint64_t begin, std::uint64_t end,
                                  const std::string& title);

/// A Matroska film's bytes with these elements before its tracks.
[[nodiscard]] std::string withElements(std::string film, const std::string& elements);

}  // namespace tactus::media::testing
