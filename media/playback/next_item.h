// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace tactus::media {

/// The address of the item that follows: named by the user, taken once, by the bus thread or by playbin's
/// streaming thread. Thread-safe: yes. Real-time-safe: no (allocates).
class NextItem {
 public:
  /// Empty = nothing follows.
  void name(std::string uri) {
    const std::lock_guard lock(m_mutex);
    m_named = std::move(uri);
  }
  [[nodiscard]] std::string take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_named, {});
  }
  /// For playbin, which goes on with it by itself; arrived() says so once its stream starts.
  [[nodiscard]] std::string handOver() {
    const std::lock_guard lock(m_mutex);
    return m_handedOver = std::exchange(m_named, {});
  }
  /// What was handed over, once; empty = the stream that starts is no other item's.
  [[nodiscard]] std::string arrived() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_handedOver, {});
  }
  /// Nothing that was handed over will arrive.
  void forget() {
    const std::lock_guard lock(m_mutex);
    m_handedOver.clear();
  }

 private:
  std::mutex m_mutex;  // guards what follows, for moments
  std::string m_named, m_handedOver;
};

}  // namespace tactus::media
