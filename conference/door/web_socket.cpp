// SPDX-License-Identifier: Apache-2.0
#include "conference/door/web_socket.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace tactus::conference {
namespace {

constexpr std::size_t kBlock = 16 * 1024;

}  // namespace

/// An operation of GIO that may end after the socket has.
struct WebSocket::Call {
  std::shared_ptr<WebSocket*> socket;
  ObjectRef<GIOStream> stream;
  std::string bytes;
};

WebSocket::WebSocket(ObjectRef<GIOStream> stream, const DoorLimits& limits, Callbacks callbacks,
                     periodic::TimePoint now)
    : m_limits(limits),
      m_callbacks(std::move(callbacks)),
      m_self(std::make_shared<WebSocket*>(this)),
      m_stream(std::move(stream)),
      m_cancel(ObjectRef<GCancellable>::take(g_cancellable_new())),
      m_reader(limits.messageBytes),
      m_allowance(static_cast<std::ptrdiff_t>(limits.bytesPerSecond)),
      m_now(now),
      m_pinged(now) {
  read();
}

WebSocket::~WebSocket() {
  *m_self = nullptr;
  g_cancellable_cancel(m_cancel.get());
}

void WebSocket::send(std::string_view message) {
  if (m_state != State::Open) return;
  if (m_unsentBytes + message.size() > m_limits.unsentBytes) return finish();
  queue(textFrame(message));
}

void WebSocket::close(CloseCode code, std::string_view reason) {
  if (m_state != State::Open) return;
  m_state = State::Closing;
  m_closing = m_now;
  queue(closeFrame(code, reason));
}

void WebSocket::tick(periodic::TimePoint now) {
  const auto rate = static_cast<double>(m_limits.bytesPerSecond);
  const auto granted = static_cast<std::ptrdiff_t>(rate * periodic::inSeconds(now - m_now));
  m_allowance = std::min(m_allowance + granted, static_cast<std::ptrdiff_t>(m_limits.bytesPerSecond));
  m_now = now;
  if (m_state == State::Closing && now - m_closing >= m_limits.closing) return finish();
  if (m_state == State::Open && now - m_pinged >= m_limits.ping) {
    if (!m_heard) return finish();
    m_heard = false;
    m_pinged = now;
    queue(pingFrame());
  }
  if (!m_isReading) read();
}

void WebSocket::read() {
  if (m_state == State::Over || m_allowance <= 0) return;
  m_isReading = true;
  auto* call = new Call{m_self, ObjectRef<GIOStream>::share(m_stream.get()), std::string(kBlock, '\0')};
  g_input_stream_read_async(g_io_stream_get_input_stream(call->stream.get()), call->bytes.data(), kBlock,
                            G_PRIORITY_DEFAULT, m_cancel.get(), onRead, call);
}

void WebSocket::onRead(GObject* source, GAsyncResult* result, gpointer data) {
  const std::unique_ptr<Call> call(static_cast<Call*>(data));
  const gssize count = g_input_stream_read_finish(G_INPUT_STREAM(source), result, nullptr);
  WebSocket* self = *call->socket;
  if (self == nullptr) return;
  self->m_isReading = false;
  if (count <= 0) return self->finish();
  self->m_heard = true;
  self->m_allowance -= count;
  call->bytes.resize(static_cast<std::size_t>(count));
  self->m_reader.push({reinterpret_cast<const std::uint8_t*>(call->bytes.data()), call->bytes.size()});
  while (*call->socket != nullptr && self->m_state != State::Over) {
    auto event = self->m_reader.next();
    if (!event) return self->read();
    self->handle(std::move(*event));
  }
}

void WebSocket::handle(WebSocketEvent event) {
  using Kind = WebSocketEvent::Kind;
  if (event.kind == Kind::Close && m_state == State::Closing) {
    m_isAnswered = true;
    if (!m_isWriting) finish();
    return;
  }
  if (m_state != State::Open) return;
  switch (event.kind) {
    case Kind::Text:
      return m_callbacks.received(event.text);
    case Kind::Ping:
      if (m_unsentBytes > m_limits.unsentBytes) return finish();
      return queue(pongFrame(event.text));
    case Kind::Pong:
      return;
    case Kind::Close:
      m_isAnswered = true;
      return close(event.code == CloseCode::None ? CloseCode::Normal : event.code, {});
    case Kind::Fault:
      return close(event.code, event.text);
  }
}

void WebSocket::queue(std::string frame) {
  m_unsentBytes += frame.size();
  m_unsent.push_back(std::move(frame));
  if (!m_isWriting) write();
}

void WebSocket::write() {
  m_isWriting = true;
  auto* call = new Call{m_self, ObjectRef<GIOStream>::share(m_stream.get()), std::move(m_unsent.front())};
  m_unsent.pop_front();
  g_output_stream_write_all_async(g_io_stream_get_output_stream(call->stream.get()), call->bytes.data(),
                                  call->bytes.size(), G_PRIORITY_DEFAULT, m_cancel.get(), onWritten, call);
}

void WebSocket::onWritten(GObject* source, GAsyncResult* result, gpointer data) {
  const std::unique_ptr<Call> call(static_cast<Call*>(data));
  const bool wrote = g_output_stream_write_all_finish(G_OUTPUT_STREAM(source), result, nullptr, nullptr) != 0;
  WebSocket* self = *call->socket;
  if (self == nullptr || self->m_state == State::Over) return;
  self->m_isWriting = false;
  self->m_unsentBytes -= call->bytes.size();
  if (!wrote) return self->finish();
  if (!self->m_unsent.empty()) return self->write();
  if (self->m_isAnswered) self->finish();
}

void WebSocket::finish() {
  if (m_state == State::Over) return;
  m_state = State::Over;
  m_callbacks.over();
}

}  // namespace tactus::conference
