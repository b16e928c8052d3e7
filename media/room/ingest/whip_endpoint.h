// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/ingest/publish_offer.h"

namespace tactus::media {

/// One HTTP request to a WHIP endpoint, as far as it matters.
struct WhipRequest {
  std::string method;
  std::string path;         ///< without query
  std::string contentType;  ///< value of the header; empty: there is none
  std::string body;
};
/// What is answered; whoever serves adds Content-Length and the like.
struct WhipResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

/// The WebRTC-HTTP ingestion protocol (RFC 9725) without trickle ICE: POST at the endpoint publishes, DELETE
/// at the session that it made ends it. Knows HTTP and who publishes what; has no sockets and no media, and
/// does not look who asks: that is its caller's.
/// Thread-safe: yes, no hook is called with a lock held. Real-time-safe: no.
class WhipEndpoint {
 public:
  struct Hooks {
    /// Begins the session, and returns the SDP answer. Blocking, as long as it takes. Its error's code
    /// becomes the status: Refused and Unavailable 503, Timeout 504, InvalidArgument 422, others 500.
    std::function<Result<std::string>(const std::string& publisher, const std::string& session,
                                      const PublishOffer& offer)>
        publish;
    /// Ends a session that publish() began.
    std::function<void(const std::string& session)> unpublish;
    /// A name for a session that nobody can guess: letters, digits, '-' and '_'.
    std::function<std::string()> newSession;
  };

  /// `path` of the endpoint, without a slash at its end; sessions are "PATH/NAME".
  WhipEndpoint(std::string path, Hooks hooks) : m_path(std::move(path)), m_hooks(std::move(hooks)) {}

  /// Answers one request of `publisher`. One publisher has one session: a second POST replaces it. OPTIONS
  /// are answered alike, whoever asks. Blocking, as Hooks::publish.
  [[nodiscard]] WhipResponse handle(const WhipRequest& request, const std::string& publisher);
  /// The session has ended by itself: it does not exist any more. No hook is called.
  void forget(const std::string& session);

 private:
  [[nodiscard]] WhipResponse handleEndpoint(const WhipRequest& request, const std::string& publisher);
  [[nodiscard]] WhipResponse handleSession(const WhipRequest& request, const std::string& publisher,
                                           const std::string& session);
  [[nodiscard]] WhipResponse post(const WhipRequest& request, const std::string& publisher);

  const std::string m_path;
  const Hooks m_hooks;
  std::mutex m_mutex;
  std::map<std::string, std::string> m_sessions;  // publisher -> session; guarded by m_mutex
};

/// The offer that is posted, or the answer to what is none. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] std::variant<PublishOffer, WhipResponse> postedOffer(const WhipRequest& post);

/// 128 random bits of the kernel, as 32 hexadecimal digits. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] std::string randomSessionName();

}  // namespace tactus::media
