// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tactus::conference {

/// Why a WebSocket connection ends (RFC 6455, section 7.4.1). Any other number may come from a peer.
enum class CloseCode : std::uint16_t {
  Normal = 1000,
  GoingAway = 1001,
  ProtocolError = 1002,
  UnsupportedData = 1003,
  None = 1005,      ///< the peer gave none; never sent
  Abnormal = 1006,  ///< it broke off without a word; never sent
  InvalidText = 1007,
  PolicyViolation = 1008,
  TooBig = 1009,
  InternalError = 1011,
};

/// What one WebSocket frame of a client turned out to be. Plain data.
struct WebSocketEvent {
  enum class Kind { Text, Ping, Pong, Close, Fault };
  Kind kind = Kind::Fault;
  std::string text;                           ///< the message, the ping's content, or the reason
  CloseCode code = CloseCode::ProtocolError;  ///< of Close and Fault
};

/// Reads the frames of a client (RFC 6455, section 5) from bytes as they come. A message of several fragments
/// counts as one against the limit, and no more than the limit is ever kept. Only text is taken, and only in
/// UTF-8. A fault is the last event. Thread-safe: no. Real-time-safe: no.
class WebSocketReader {
 public:
  explicit WebSocketReader(std::size_t largestMessage) : m_largest(largestMessage) {}

  /// Adds bytes. Call next() until it has nothing before the next push(), or more than one frame is kept.
  void push(std::span<const std::uint8_t> bytes);
  /// The next message or control frame; nothing until more bytes come, and after a fault.
  [[nodiscard]] std::optional<WebSocketEvent> next();

 private:
  struct Header {
    std::uint8_t code = 0;
    bool isFinal = false;
    std::uint64_t size = 0;
    std::uint8_t mask[4] = {};
    std::size_t bytes = 0;  // of the header itself
  };
  /// Nothing: not all of it is there.
  [[nodiscard]] std::optional<Header> header() const;
  [[nodiscard]] std::optional<WebSocketEvent> refusal(const Header& header) const;
  [[nodiscard]] std::string takePayload(const Header& header);
  [[nodiscard]] std::optional<WebSocketEvent> control(const Header& header, std::string payload);
  [[nodiscard]] std::optional<WebSocketEvent> data(const Header& header, std::string payload);
  [[nodiscard]] WebSocketEvent fault(CloseCode code, const char* reason);

  const std::size_t m_largest;
  std::string m_bytes;
  std::size_t m_read = 0;  // of m_bytes
  std::string m_message;   // its fragments so far
  bool m_isFragmented = false;
  bool m_isOver = false;
};

/// Frames of a server, which are not masked. `reason` is cut to the 123 bytes that a frame has room for.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::string textFrame(std::string_view text);
[[nodiscard]] std::string pingFrame();
[[nodiscard]] std::string pongFrame(std::string_view content);
[[nodiscard]] std::string closeFrame(CloseCode code, std::string_view reason);

}  // namespace tactus::conference
