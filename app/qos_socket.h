// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/qos_request.h"
#include "core/periodic/qos/qos_events.h"
#include "core/periodic/result.h"

namespace tactus::app {

/// A Unix stream socket: every program that connects gets all QoS events from then on, a line of JSON each,
/// and may say what is to be done about them (QosRequest); each such line is answered by {"accepted": true}
/// or {"error": "..."}. While a connected program handles violations, nobody else does. A reader that is a
/// whole socket buffer behind is disconnected. Only this user can connect.
class QosSocket {
 public:
  /// The streams of the windows of a name.
  using Named = std::function<std::vector<std::uint64_t>(const std::string&)>;
  /// Replaces a socket that a program left behind, and nothing else that lies at `path`. `events` and what
  /// `named` uses must outlive the socket.
  [[nodiscard]] static Result<std::unique_ptr<QosSocket>> open(const std::string& path,
                                                               periodic::QosEvents& events, Named named);
  ~QosSocket();
  QosSocket(const QosSocket&) = delete;
  QosSocket& operator=(const QosSocket&) = delete;

 private:
  struct Client {
    int socket = -1;
    std::string unread = {};  // the beginning of a line
    bool handles = false;
    bool gone = false;  // guarded by m_mutex
  };
  QosSocket(std::string path, int listening, periodic::QosEvents& events, Named named);
  void run();
  [[nodiscard]] bool acceptClient();
  void read(Client& client);
  [[nodiscard]] std::string answer(Client& client, std::string_view line);
  [[nodiscard]] Result<void> carryOut(Client& client, const QosRequest& request);
  void followHandlers();
  void removeGone();
  void send(const std::string& line);

  const std::string m_path;
  const int m_listening;
  const int m_stop;
  periodic::QosEvents& m_events;
  std::mutex m_mutex;
  std::list<Client> m_clients;  // guarded by m_mutex; the list itself changes in m_thread only
  const Named m_named;
  std::uint64_t m_subscription = 0;
  std::uint64_t m_handler = 0;  // 0 = no client handles violations; m_thread only
  std::thread m_thread;
};

}  // namespace tactus::app
