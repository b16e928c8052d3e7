// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "conference/room/room_facts.h"

namespace tactus::conference {

/// The newest lines of a room's chat: at most kMostChatLines, with at most kMostChatBytes of text together.
/// Thread-safe: no. Real-time-safe: no (allocates).
class ChatHistory {
 public:
  void add(ChatLine line) {
    m_bytes += line.text.size();
    m_lines.push_back(std::move(line));
    while (m_lines.size() > kMostChatLines || m_bytes > kMostChatBytes) {
      m_bytes -= m_lines.front().text.size();
      m_lines.erase(m_lines.begin());
    }
  }
  /// The oldest first.
  [[nodiscard]] const std::vector<ChatLine>& lines() const noexcept { return m_lines; }
  friend bool operator==(const ChatHistory&, const ChatHistory&) = default;

 private:
  std::vector<ChatLine> m_lines;
  std::size_t m_bytes = 0;
};

}  // namespace tactus::conference
