// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/periodic/result.h"
#include "media/sharing/qos_events.h"

namespace tactus::app {

/// A Unix stream socket: every program that connects gets all QoS events from then on, a line of JSON each. A
/// reader that is a whole socket buffer behind is disconnected. Only this user can connect.
class QosSocket {
 public:
  /// Replaces a socket that a program left behind, and nothing else that lies at `path`. `events`
  /// must outlive the socket.
  [[nodiscard]] static Result<std::unique_ptr<QosSocket>> open(const std::string& path,
                                                               media::QosEvents& events);
  ~QosSocket();
  QosSocket(const QosSocket&) = delete;
  QosSocket& operator=(const QosSocket&) = delete;

 private:
  QosSocket(std::string path, int listening, media::QosEvents& events);
  void run();
  void send(const std::string& line);

  const std::string m_path;
  const int m_listening;
  const int m_stop;
  media::QosEvents& m_events;
  std::mutex m_mutex;
  std::vector<int> m_clients;  // guarded by m_mutex
  std::uint64_t m_subscription = 0;
  std::thread m_thread;
};

}  // namespace tactus::app
