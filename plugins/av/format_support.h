// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::plugins::av {

/// Whether libavcodec has a decoder for the codec of this name ("h264", "mp3"). Thread-safe: yes.
[[nodiscard]] bool decodes(const char* codec) noexcept;
/// Whether libavformat reads containers of this name ("mov", "matroska"). Thread-safe: yes.
[[nodiscard]] bool reads(const char* container) noexcept;

}  // namespace tactus::plugins::av
