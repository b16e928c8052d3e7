// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "conference/carriage/stream_key.h"
#include "media/sharing/load_governor.h"

namespace tactus::conference {

/// The load governor's windows of the streams that are received. A stream that is received anew has the terms
/// that it had. Thread-safe: yes, but add() and remove() of one stream come one after the other.
/// Real-time-safe: no.
class StreamWindows {
 public:
  /// The governor outlives this; null: there are no windows.
  explicit StreamWindows(media::LoadGovernor* governor) : m_governor(governor) {}
  /// All streams are removed before.
  ~StreamWindows() = default;
  StreamWindows(const StreamWindows&) = delete;
  StreamWindows& operator=(const StreamWindows&) = delete;

  /// `stream` lives until remove(). `name`: what sentences call it.
  void add(const StreamKey& key, media::GovernedStream& stream, std::string name);
  void remove(const StreamKey& key);
  [[nodiscard]] std::optional<std::uint64_t> windowOf(const StreamKey& key) const;
  /// How it fares.
  [[nodiscard]] std::optional<media::WindowState> state(const StreamKey& key) const;

 private:
  media::LoadGovernor* const m_governor;
  mutable std::mutex m_mutex;  // guards what follows
  std::map<StreamKey, std::uint64_t> m_windows;
  std::map<StreamKey, media::WindowTerms> m_terms;  // of those that are not received now
};

}  // namespace tactus::conference
