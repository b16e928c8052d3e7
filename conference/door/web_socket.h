// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "conference/door/door_limits.h"
#include "conference/door/object_ref.h"
#include "conference/door/web_socket_frames.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// The server's end of a WebSocket over a stream (RFC 6455). libsoup 3.2 has one as well, which neither
/// bounds a message of many fragments, nor what waits for a peer that does not read, nor ends when pings stay
/// unanswered.
///
/// States: open, closing (our close frame is on its way; what comes is dropped), over. Thread-safe: no, all
/// on the thread of the main context that is the thread's default. Real-time-safe: no.
class WebSocket {
 public:
  struct Callbacks {
    std::function<void(std::string_view message)> received;
    /// Once, and the last call: the stream can be closed. May destroy the socket.
    std::function<void()> over;
  };

  WebSocket(ObjectRef<GIOStream> stream, const DoorLimits& limits, Callbacks callbacks,
            periodic::TimePoint now);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  /// Sends a message. A peer that has not read the `unsentBytes` of the limits is closed instead.
  void send(std::string_view message);
  /// Sends what is queued, then a close frame, and waits for the peer's for as long as the limits say.
  void close(CloseCode code, std::string_view reason);
  /// Pings, and ends what does not answer. Call it about once a second.
  void tick(periodic::TimePoint now);

 private:
  enum class State { Open, Closing, Over };

  struct Call;

  void read();
  static void onRead(GObject* source, GAsyncResult* result, gpointer data);
  void handle(WebSocketEvent event);
  void queue(std::string frame);
  void write();
  static void onWritten(GObject* source, GAsyncResult* result, gpointer data);
  void finish();

  const DoorLimits m_limits;
  const Callbacks m_callbacks;
  const std::shared_ptr<WebSocket*> m_self;  // shared with operations that may outlive this; then null
  const ObjectRef<GIOStream> m_stream;
  const ObjectRef<GCancellable> m_cancel;
  WebSocketReader m_reader;
  State m_state = State::Open;
  bool m_isReading = false, m_isWriting = false;
  bool m_isAnswered = false;   // the peer's close frame is here
  bool m_heard = true;         // since the last ping
  std::ptrdiff_t m_allowance;  // bytes that may be read now; below 0: read in advance
  std::deque<std::string> m_unsent;
  std::size_t m_unsentBytes = 0;  // with what is being written
  periodic::TimePoint m_now, m_pinged, m_closing;
};

}  // namespace tactus::conference
