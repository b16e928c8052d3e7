// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "media/room/participant/call_listener.h"

namespace tactus::conference {

/// Hears of the end of a call, on the call's thread, with its sentence. Thread-safe: yes.
class CallEnd final : public media::CallListener {
 public:
  explicit CallEnd(std::function<void(const std::string&)> ended) : m_ended(std::move(ended)) {}
  /// It is about to be ended, and is not told then.
  void expect() { m_expected.store(true); }
  void onCallState(media::CallState state, const std::string& why) override {
    if (state == media::CallState::Ended && !m_expected.load()) m_ended(why);
  }

 private:
  const std::function<void(const std::string&)> m_ended;
  std::atomic<bool> m_expected{false};
};

/// A call, who hears of its end, and its resource at the host. Thread-safe: no.
template <typename Call>
struct CallConnection {
  std::unique_ptr<CallEnd> listener;  // outlives the call
  std::unique_ptr<Call> call;
  std::string path;  // at the host; empty: it has none
  CallConnection() = default;
  CallConnection(CallConnection&&) noexcept = default;
  ~CallConnection() { end(); }
  void end() {
    if (listener) listener->expect();
    call.reset();
    listener.reset();
    path.clear();
  }
};

}  // namespace tactus::conference
