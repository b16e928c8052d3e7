// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conference/door/object_ref.h"

namespace tactus::conference {

/// For tests: a peer of a door that sends exactly the bytes it is told, well-formed or not. Its calls wait,
/// for 30 s at most. Thread-safe: no.
class TlsPeer {
 public:
  /// Connects to a port of this machine, from another of its own addresses (127.0.0.2) if that is given.
  explicit TlsPeer(std::uint16_t port, const std::string& from = {});

  /// Without a farewell, for which a full buffer would have to wait.
  ~TlsPeer();
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;

  [[nodiscard]] bool isConnected() const { return static_cast<bool>(m_socket); }
  /// TLS's handshake, with any certificate. False: the other end does not.
  bool shakeHands();
  /// SHA-256 of the other end's certificate, in base64url.
  [[nodiscard]] std::string fingerprint() const;
  /// False: the other end takes nothing any more.
  bool send(std::string_view bytes);
  /// False: nothing goes out now, since the other end does not read.
  bool sendAtOnce(std::string_view bytes);
  /// As many bytes as that; fewer if the connection ended before.
  std::string receive(std::size_t count);
  /// One HTTP answer, its headers and body; empty: none came.
  std::string answer();
  /// Sends a request with a Host header and these further lines, and reads the answer.
  std::string ask(const std::string& method, const std::string& path, const std::string& lines = {},
                  const std::string& body = {});
  /// Opens a WebSocket. Whether it was accepted.
  bool upgrade(const std::string& path);
  /// A frame of a client, masked. `code`: 1 text, 8 close, 9 ping, 10 pong, 0 continuation.
  static std::string frame(std::string_view payload, int code = 1, bool isFinal = true);
  /// The next frame of the server: its code in `code`. Nothing: the connection has ended.
  std::optional<std::string> nextFrame(int* code = nullptr);
  /// True once the other end has closed; what comes before is dropped.
  bool isClosed();

 private:
  ObjectRef<GSocket> m_socket;
  ObjectRef<GIOStream> m_plain, m_tls;
};

}  // namespace tactus::conference
