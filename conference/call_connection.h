// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "conference/media_resources.h"
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

/// Offers the call at `path`, and takes the answer. False: it did not come about; it is told why, if asking
/// again soon may not help.
template <typename Call>
[[nodiscard]] bool connectCall(CallConnection<Call>& connection, MediaResources& resources,
                               const std::string& path, const SessionKey& session,
                               const std::function<void(const std::string&)>& note) {
  const auto offer = connection.call->offer();
  if (!offer.ok()) {
    note(offer.error().message);
    return false;
  }
  auto made = resources.offer(path, session, offer.value());
  if (!made.ok()) {
    if (made.error().code != ErrorCode::Unavailable) note(made.error().message);
    return false;
  }
  connection.path = std::move(made.value().path);
  const auto accepted = connection.call->accept(made.value().answer);
  if (!accepted.ok()) note(accepted.error().message);
  return accepted.ok();
}

}  // namespace tactus::conference
