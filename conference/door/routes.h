// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conference/room/connection_id.h"

namespace tactus::conference {

/// An HTTP request whose token was admitted. Plain data.
struct DoorRequest {
  std::string token;
  std::string method;  ///< in capitals
  std::string path;    ///< what follows "/r/TOKEN/", as it was sent: not percent-decoded, without the query
  std::string query;   ///< what follows the path's "?", not percent-decoded; empty: nothing
  std::string rest;    ///< of the path, what the "*" of the route stands for
  std::string peer;    ///< numeric address
  std::map<std::string, std::string> headers;  ///< names in small letters; of several of a name, with commas
  std::string body;
};

/// What it is answered with. Plain data.
struct DoorAnswer {
  unsigned status = 200;
  std::string contentType;  ///< empty: none
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// Answers a request, from any thread, also after the door has closed. Only the first call counts; without
/// one, the request is answered with 503 after the door's time limit.
using Reply = std::function<void(DoorAnswer)>;
/// Called on the door's thread, which it must not keep waiting.
using RouteHandler = std::function<void(const DoorRequest&, const Reply&)>;

/// The resources under "/r/TOKEN/". Plain data.
class Routes {
 public:
  /// `path` may end in "*", which stands for anything. Of two routes that fit, the first one counts.
  Routes& add(std::string method, std::string path, RouteHandler handler);

  struct Found {
    const RouteHandler* handler = nullptr;  ///< null: none for this method
    std::string rest;
    std::string allowed;  ///< the methods that the path has, with commas; empty: there is no such path
  };
  /// Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] Found find(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    std::string method, path;
    RouteHandler handler;
  };
  std::vector<Route> m_routes;
};

}  // namespace tactus::conference
