// SPDX-License-Identifier: Apache-2.0
#include "conference/door/tls_peer.h"

#include <array>
#include <vector>

#include "conference/door/base64url.h"

namespace tactus::conference {
namespace {

constexpr guint kPatience = 30;  // seconds

ObjectRef<GSocketAddress> place(const char* address, std::uint16_t port) {
  return ObjectRef<GSocketAddress>::take(g_inet_socket_address_new_from_string(address, port));
}

}  // namespace

TlsPeer::TlsPeer(std::uint16_t port, const std::string& from) {
  auto socket = ObjectRef<GSocket>::take(
      g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, nullptr));
  g_socket_set_timeout(socket.get(), kPatience);
  if (!from.empty() && g_socket_bind(socket.get(), place(from.c_str(), 0).get(), FALSE, nullptr) == 0) return;
  if (g_socket_connect(socket.get(), place("127.0.0.1", port).get(), nullptr, nullptr) == 0) return;
  m_plain =
      ObjectRef<GIOStream>::take(G_IO_STREAM(g_socket_connection_factory_create_connection(socket.get())));
  m_socket = std::move(socket);
}

TlsPeer::~TlsPeer() {
  if (m_socket) (void)g_socket_shutdown(m_socket.get(), TRUE, TRUE, nullptr);
}

bool TlsPeer::shakeHands() {
  if (!m_plain) return false;
  m_tls = ObjectRef<GIOStream>::take(g_tls_client_connection_new(m_plain.get(), nullptr, nullptr));
  using Accept = gboolean (*)(GTlsConnection*, GTlsCertificate*, GTlsCertificateFlags, gpointer);
  const Accept any = [](GTlsConnection*, GTlsCertificate*, GTlsCertificateFlags, gpointer) -> gboolean {
    return TRUE;
  };
  g_signal_connect(m_tls.get(), "accept-certificate", G_CALLBACK(any), nullptr);
  return g_tls_connection_handshake(G_TLS_CONNECTION(m_tls.get()), nullptr, nullptr) != 0;
}

std::string TlsPeer::fingerprint() const {
  GByteArray* der = nullptr;
  g_object_get(g_tls_connection_get_peer_certificate(G_TLS_CONNECTION(m_tls.get())), "certificate", &der,
               nullptr);
  GChecksum* sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(sum, der->data, static_cast<gssize>(der->len));
  std::array<std::uint8_t, 32> digest{};
  gsize size = digest.size();
  g_checksum_get_digest(sum, digest.data(), &size);
  g_checksum_free(sum);
  g_byte_array_unref(der);
  return toBase64Url(digest);
}

bool TlsPeer::send(std::string_view bytes) {
  GOutputStream* out = g_io_stream_get_output_stream(m_tls ? m_tls.get() : m_plain.get());
  return g_output_stream_write_all(out, bytes.data(), bytes.size(), nullptr, nullptr, nullptr) != 0;
}

bool TlsPeer::sendAtOnce(std::string_view bytes) {
  auto* out = G_POLLABLE_OUTPUT_STREAM(g_io_stream_get_output_stream(m_tls.get()));
  while (!bytes.empty()) {
    const gssize sent =
        g_pollable_output_stream_write_nonblocking(out, bytes.data(), bytes.size(), nullptr, nullptr);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string TlsPeer::receive(std::size_t count) {
  std::string bytes(count, '\0');
  gsize got = 0;
  GInputStream* in = g_io_stream_get_input_stream(m_tls ? m_tls.get() : m_plain.get());
  (void)g_input_stream_read_all(in, bytes.data(), count, &got, nullptr, nullptr);
  bytes.resize(got);
  return bytes;
}

std::string TlsPeer::answer() {
  std::string text;
  while (!text.ends_with("\r\n\r\n")) {
    const std::string byte = receive(1);
    if (byte.empty()) return text;
    text += byte;
  }
  constexpr std::string_view kLength = "Content-Length: ";
  const auto length = text.find(kLength);
  if (length == std::string::npos) return text;
  return text + receive(std::stoul(text.substr(length + kLength.size())));
}

std::string TlsPeer::ask(const std::string& method, const std::string& path, const std::string& lines,
                         const std::string& body) {
  const std::string length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (!send(method + " " + path + " HTTP/1.1\r\nHost: room\r\n" + lines + length + "\r\n" + body)) return {};
  return answer();
}

bool TlsPeer::upgrade(const std::string& path) {
  return ask("GET", path,
             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: tactus.room.1\r\n")
      .starts_with("HTTP/1.1 101");
}

std::string TlsPeer::frame(std::string_view payload, int code, bool isFinal) {
  constexpr std::array<char, 4> kMask = {0x12, 0x34, 0x56, 0x78};
  std::string bytes{static_cast<char>((isFinal ? 0x80 : 0) | code)};
  if (payload.size() < 126) {
    bytes += static_cast<char>(0x80 | payload.size());
  } else {
    bytes += static_cast<char>(0x80 | 127);
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(payload.size() >> shift & 255);
  }
  bytes.append(kMask.data(), kMask.size());
  for (std::size_t i = 0; i < payload.size(); ++i) bytes += static_cast<char>(payload[i] ^ kMask[i % 4]);
  return bytes;
}

std::optional<std::string> TlsPeer::nextFrame(int* code) {
  const std::string head = receive(2);
  if (head.size() < 2) return std::nullopt;
  if (code != nullptr) *code = head[0] & 0x0f;
  std::size_t size = static_cast<std::uint8_t>(head[1]);
  if (size >= 126) {
    const std::string more = receive(size == 126 ? 2 : 8);
    size = 0;
    for (const char byte : more) size = size << 8 | static_cast<std::uint8_t>(byte);
  }
  return receive(size);
}

bool TlsPeer::isClosed() {
  std::array<char, 4096> bytes{};
  GInputStream* in = g_io_stream_get_input_stream(m_tls ? m_tls.get() : m_plain.get());
  while (true) {
    GError* error = nullptr;
    const gssize got = g_input_stream_read(in, bytes.data(), bytes.size(), nullptr, &error);
    const bool isPatient = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) == 0;
    g_clear_error(&error);
    if (got <= 0) return isPatient;
  }
}

}  // namespace tactus::conference
