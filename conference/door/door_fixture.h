// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conference/door/certificate.h"
#include "conference/door/door.h"
#include "conference/door/tls_peer.h"
#include "conference/door/token.h"
#include "conference/room/random_text.h"

namespace tactus::conference {

/// Limits that a machine under load does not reach, but for those a test sets.
inline DoorLimits patientLimits() {
  DoorLimits limits;
  limits.arrival = limits.handshake = limits.headers = limits.request = std::chrono::seconds(60);
  return limits;
}

/// A door at the loopback device with one invitation, which writes down what happens behind it. "echo " and a
/// text is answered with the text.
class DoorTest : public ::testing::Test, protected DoorListener {
 protected:
  void TearDown() override { m_door.reset(); }  // it calls us until then
  void open(const DoorLimits& limits = patientLimits(), Routes routes = {}) {
    auto opened = Door::open({"127.0.0.1", 0, limits}, m_certificate, *this, std::move(routes));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    m_door = std::move(opened).value();
  }
  void open(Routes routes) { open(patientLimits(), std::move(routes)); }
  [[nodiscard]] std::string under(const std::string& path) const { return "/r/" + m_token.text() + path; }
  [[nodiscard]] std::unique_ptr<TlsPeer> peer(const std::string& from = {}) const {
    auto made = std::make_unique<TlsPeer>(m_door->port(), from);
    if (!made->isConnected() || !made->shakeHands()) return nullptr;
    return made;
  }
  /// A peer with an open WebSocket.
  [[nodiscard]] std::unique_ptr<TlsPeer> guest(const std::string& from = {}) const {
    auto made = peer(from);
    if (made == nullptr || !made->upgrade(under("/socket"))) return nullptr;
    return made;
  }
  /// Whether the room behind the door still serves a new guest.
  [[nodiscard]] bool servesOthers() const {
    const auto other = guest();
    return other != nullptr && other->send(TlsPeer::frame("echo hello")) && other->nextFrame() == "hello";
  }
  /// Waits until the condition on what was written down holds, for 30 s at most.
  template <typename Condition>
  [[nodiscard]] bool wait(Condition condition) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, std::chrono::seconds(30), condition);
  }

  [[nodiscard]] bool admits(std::string_view token) override { return m_token.equals(token); }
  void opened(ConnectionId connection, const std::string&, const std::string& from) override {
    note([&] { m_opened.emplace_back(connection, from); });
  }
  void received(ConnectionId connection, std::string_view message) override {
    if (message.starts_with("echo ")) m_door->send(connection, std::string(message.substr(5)));
    note([&] { m_received.emplace_back(message); });
  }
  void closed(ConnectionId connection) override {
    note([&] { m_closed.push_back(connection); });
  }

  /// Writes down under the lock, and wakes wait().
  void note(const std::function<void()>& write) {
    const std::lock_guard lock(m_mutex);
    write();
    m_changed.notify_all();
  }

  const Certificate m_certificate = Certificate::make({}).value();
  const Token m_token = Token::parse(randomText(kernelRandomBytes, 24)).value();
  std::mutex m_mutex;  // the three lists
  std::condition_variable m_changed;
  std::vector<std::pair<ConnectionId, std::string>> m_opened;
  std::vector<std::string> m_received;
  std::vector<ConnectionId> m_closed;
  std::unique_ptr<Door> m_door;  // ends before what it tells
};

}  // namespace tactus::conference
