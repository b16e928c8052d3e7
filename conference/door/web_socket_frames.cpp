// SPDX-License-Identifier: Apache-2.0
#include "conference/door/web_socket_frames.h"

#include <utility>

#include "conference/room/plain_text.h"

namespace tactus::conference {
namespace {

using Kind = WebSocketEvent::Kind;

constexpr std::uint8_t kContinuation = 0x0, kText = 0x1, kBinary = 0x2, kClose = 0x8, kPing = 0x9,
                       kPong = 0xa;
constexpr std::uint8_t kFinal = 0x80, kReserved = 0x70, kMasked = 0x80, kControl = 0x8;
constexpr std::uint64_t kLargestControl = 125;
constexpr std::size_t kTwoBytes = 126, kEightBytes = 127;

std::string frame(std::uint8_t code, std::string_view payload) {
  std::string bytes(1, static_cast<char>(kFinal | code));
  const auto append = [&](std::uint64_t size, int count) {
    while (count-- > 0) bytes += static_cast<char>(size >> (8 * count) & 255);
  };
  if (payload.size() <= kLargestControl) {
    append(payload.size(), 1);
  } else if (payload.size() <= 0xffff) {
    append(kTwoBytes, 1);
    append(payload.size(), 2);
  } else {
    append(kEightBytes, 1);
    append(payload.size(), 8);
  }
  bytes += payload;
  return bytes;
}

/// What a peer may send: RFC 6455, section 7.4.2.
bool isCloseCode(unsigned code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code < 5000);
}

}  // namespace

void WebSocketReader::push(std::span<const std::uint8_t> bytes) {
  if (m_isOver) return;
  m_bytes.erase(0, std::exchange(m_read, 0));
  m_bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<WebSocketEvent> WebSocketReader::next() {
  while (!m_isOver) {
    const auto found = header();
    if (!found) return std::nullopt;
    if (auto refused = refusal(*found)) {
      m_isOver = true;
      return refused;
    }
    if (m_bytes.size() - m_read - found->bytes < found->size) return std::nullopt;
    std::string payload = takePayload(*found);
    auto event = (found->code & kControl) != 0 ? control(*found, std::move(payload))
                                               : data(*found, std::move(payload));
    if (event) return event;
  }
  return std::nullopt;
}

std::optional<WebSocketReader::Header> WebSocketReader::header() const {
  const std::size_t left = m_bytes.size() - m_read;
  if (left < 2) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(m_bytes[m_read + i]); };
  Header header;
  header.code = byte(0) & 0x0f;
  header.isFinal = (byte(0) & kFinal) != 0;
  const bool isMasked = (byte(1) & kMasked) != 0;
  const std::size_t shown = byte(1) & 0x7f;
  const std::size_t more = shown == kTwoBytes ? 2 : shown == kEightBytes ? 8 : 0;
  header.bytes = 2 + more + (isMasked ? 4 : 0);
  if (left < header.bytes) return std::nullopt;
  header.size = more == 0 ? shown : 0;
  for (std::size_t i = 0; i < more; ++i) header.size = header.size << 8 | byte(2 + i);
  for (std::size_t i = 0; isMasked && i < 4; ++i) header.mask[i] = byte(2 + more + i);
  return header;
}

std::optional<WebSocketEvent> WebSocketReader::refusal(const Header& header) const {
  const auto refuse = [](CloseCode code, const char* reason) {
    return WebSocketEvent{Kind::Fault, reason, code};
  };
  const auto first = static_cast<std::uint8_t>(m_bytes[m_read]);
  const auto second = static_cast<std::uint8_t>(m_bytes[m_read + 1]);
  if ((first & kReserved) != 0) return refuse(CloseCode::ProtocolError, "A reserved bit is set.");
  if ((second & kMasked) == 0) return refuse(CloseCode::ProtocolError, "A client's frame must be masked.");
  switch (header.code) {
    case kClose:
    case kPing:
    case kPong:
      if (!header.isFinal || header.size > kLargestControl)
        return refuse(CloseCode::ProtocolError, "A control frame has at most 125 bytes and no fragments.");
      return std::nullopt;
    case kContinuation:
      if (!m_isFragmented) return refuse(CloseCode::ProtocolError, "There is no message to continue.");
      break;
    case kText:
      if (m_isFragmented) return refuse(CloseCode::ProtocolError, "The message before has not ended.");
      break;
    case kBinary:
      return refuse(CloseCode::UnsupportedData, "Only text is taken.");
    default:
      return refuse(CloseCode::ProtocolError, "There is no such kind of frame.");
  }
  if (header.size > m_largest - m_message.size())
    return refuse(CloseCode::TooBig, "The message is too long.");
  return std::nullopt;
}

std::string WebSocketReader::takePayload(const Header& header) {
  std::string payload = m_bytes.substr(m_read + header.bytes, header.size);
  for (std::size_t i = 0; i < payload.size(); ++i)
    payload[i] = static_cast<char>(static_cast<std::uint8_t>(payload[i]) ^ header.mask[i % 4]);
  m_read += header.bytes + header.size;
  return payload;
}

std::optional<WebSocketEvent> WebSocketReader::control(const Header& header, std::string payload) {
  if (header.code == kPing) return WebSocketEvent{Kind::Ping, std::move(payload), CloseCode::None};
  if (header.code == kPong) return WebSocketEvent{Kind::Pong, std::move(payload), CloseCode::None};
  if (payload.empty()) {
    m_isOver = true;
    return WebSocketEvent{Kind::Close, {}, CloseCode::None};
  }
  if (payload.size() == 1) return fault(CloseCode::ProtocolError, "A close code has two bytes.");
  const unsigned code = static_cast<std::uint8_t>(payload[0]) << 8 | static_cast<std::uint8_t>(payload[1]);
  if (!isCloseCode(code)) return fault(CloseCode::ProtocolError, "There is no such close code.");
  payload.erase(0, 2);
  if (!isUtf8(payload)) return fault(CloseCode::InvalidText, "The text is not UTF-8.");
  m_isOver = true;
  return WebSocketEvent{Kind::Close, std::move(payload), static_cast<CloseCode>(code)};
}

std::optional<WebSocketEvent> WebSocketReader::data(const Header& header, std::string payload) {
  m_message += payload;
  m_isFragmented = !header.isFinal;
  if (m_isFragmented) return std::nullopt;
  std::string message = std::exchange(m_message, {});
  if (!isUtf8(message)) return fault(CloseCode::InvalidText, "The text is not UTF-8.");
  return WebSocketEvent{Kind::Text, std::move(message), CloseCode::None};
}

WebSocketEvent WebSocketReader::fault(CloseCode code, const char* reason) {
  m_isOver = true;
  return {Kind::Fault, reason, code};
}

std::string textFrame(std::string_view text) {
  return frame(kText, text);
}

std::string pingFrame() {
  return frame(kPing, {});
}

std::string pongFrame(std::string_view content) {
  return frame(kPong, content.substr(0, kLargestControl));
}

std::string closeFrame(CloseCode code, std::string_view reason) {
  const auto number = static_cast<std::uint16_t>(code);
  std::string payload{static_cast<char>(number >> 8), static_cast<char>(number & 255)};
  reason = reason.substr(0, kLargestControl - payload.size());
  while (!isUtf8(reason)) reason.remove_suffix(1);  // cut inside a letter
  return frame(kClose, payload + std::string(reason));
}

}  // namespace tactus::conference
