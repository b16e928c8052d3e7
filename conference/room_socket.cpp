// SPDX-License-Identifier: Apache-2.0
#include "conference/room_socket.h"

#include <libsoup/soup.h>

#include <utility>

#include "conference/context_timer.h"
#include "conference/door/object_ref.h"
#include "conference/pinned_certificate.h"
#include "conference/room/plain_text.h"
#include "conference/room/server_message.h"
#include "conference/room/session_key.h"

namespace tactus::conference {
namespace {

constexpr const char* kProtocol = "tactus.room.1";

}  // namespace

class RoomSocket::Attempt {
 public:
  Attempt(GMainContext* context, const RoomLink& link, periodic::Duration patience, Callbacks callbacks)
      : m_place((link.host.find(':') == std::string::npos ? link.host : "[" + link.host + "]") + ":" +
                std::to_string(link.port)),
        m_fingerprint(link.fingerprint),
        m_callbacks(std::move(callbacks)),
        m_timer(context) {
    m_session = ObjectRef<SoupSession>::take(soup_session_new());
    // No authority is asked: each certificate is "bad" then, so that each is shown to onCertificate().
    soup_session_set_tls_database(m_session.get(), nullptr);
    soup_session_set_proxy_resolver(m_session.get(), nullptr);  // media do not pass a proxy, either
    m_message = ObjectRef<SoupMessage>::take(soup_message_new("GET", (link.base() + "/socket").c_str()));
    m_cancellable = ObjectRef<GCancellable>::take(g_cancellable_new());
    m_backReference = new BackReference{this};
    if (!m_message) {
      m_timer.start({},
                    [this] { end(SocketEnd::Why::NotFound, "The link has no address that can be used."); });
      return;
    }
    g_signal_connect(m_message.get(), "accept-certificate", G_CALLBACK(onCertificate), this);
    const char* protocols[] = {kProtocol, nullptr};
    m_backReference->pending = true;
    soup_session_websocket_connect_async(m_session.get(), m_message.get(), nullptr,
                                         const_cast<char**>(protocols), G_PRIORITY_DEFAULT,
                                         m_cancellable.get(), onConnected, m_backReference);
    m_timer.start(patience, [this] {
      end(SocketEnd::Why::Unreachable, "The host at " + m_place + " does not answer.");
    });
  }
  ~Attempt() {
    if (m_message) g_signal_handlers_disconnect_by_data(m_message.get(), this);
    if (m_connection) {
      g_signal_handlers_disconnect_by_data(m_connection.get(), this);
      if (soup_websocket_connection_get_state(m_connection.get()) == SOUP_WEBSOCKET_STATE_OPEN)
        soup_websocket_connection_close(m_connection.get(), SOUP_WEBSOCKET_CLOSE_GOING_AWAY, nullptr);
    }
    g_cancellable_cancel(m_cancellable.get());
    soup_session_abort(m_session.get());
    m_backReference->attempt = nullptr;
    if (!m_backReference->pending) delete m_backReference;
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  void send(const std::string& message) {
    if (m_connection && soup_websocket_connection_get_state(m_connection.get()) == SOUP_WEBSOCKET_STATE_OPEN)
      soup_websocket_connection_send_text(m_connection.get(), message.c_str());
  }

 private:
  /// Outlives an attempt whose connecting is under way.
  struct BackReference {
    Attempt* attempt = nullptr;
    bool pending = false;
  };

  static gboolean onCertificate(SoupMessage*, GTlsCertificate* certificate, GTlsCertificateFlags,
                                gpointer data) {
    auto* const self = static_cast<Attempt*>(data);
    const bool isHost = sameSecret(fingerprintOf(certificate), self->m_fingerprint);
    self->m_isImpostor = !isHost;
    self->m_isChecked = isHost;
    return isHost ? TRUE : FALSE;
  }
  static void onConnected(GObject* session, GAsyncResult* result, gpointer data) {
    auto* const back = static_cast<BackReference*>(data);
    GError* error = nullptr;
    auto connection = ObjectRef<SoupWebsocketConnection>::take(
        soup_session_websocket_connect_finish(SOUP_SESSION(session), result, &error));
    back->pending = false;
    Attempt* const self = back->attempt;
    if (self == nullptr) {
      delete back;
    } else if (connection) {
      self->open(std::move(connection));
    } else {
      self->fail(*error);
    }
    g_clear_error(&error);
  }
  static void onMessage(SoupWebsocketConnection*, gint type, GBytes* bytes, gpointer data) {
    if (type != SOUP_WEBSOCKET_DATA_TEXT) return;
    gsize size = 0;
    const auto* const text = static_cast<const char*>(g_bytes_get_data(bytes, &size));
    static_cast<Attempt*>(data)->m_callbacks.heard({text, size});
  }
  static void onClosed(SoupWebsocketConnection*, gpointer data) {
    static_cast<Attempt*>(data)->end(SocketEnd::Why::Broken, "The connection to the host broke.");
  }

  void open(ObjectRef<SoupWebsocketConnection> connection) {
    m_timer.stop();
    m_connection = std::move(connection);
    if (!m_isChecked) return end(SocketEnd::Why::Impostor, impostor());
    soup_websocket_connection_set_max_incoming_payload_size(m_connection.get(), kLongestServerMessage);
    g_signal_connect(m_connection.get(), "message", G_CALLBACK(onMessage), this);
    g_signal_connect(m_connection.get(), "closed", G_CALLBACK(onClosed), this);
    m_callbacks.opened();
  }
  [[nodiscard]] std::string impostor() const {
    return "Whoever answers at " + m_place +
           " is not the host that the link names: its fingerprint is another.";
  }
  void fail(const GError& error) {
    const auto status = soup_message_get_status(m_message.get());
    if (m_isImpostor) return end(SocketEnd::Why::Impostor, impostor());
    if (status == SOUP_STATUS_NOT_FOUND)
      return end(
          SocketEnd::Why::NotFound,
          "The host at " + m_place + " knows no such invitation: the link is wrong, or not valid any more.");
    if (status != SOUP_STATUS_NONE)
      return end(SocketEnd::Why::Unsupported, "The host at " + m_place + " answers with HTTP status " +
                                                  std::to_string(status) + ", which is not a room's answer.");
    end(SocketEnd::Why::Unreachable,
        "The host at " + m_place + " cannot be reached: " + plainName(error.message) + ".");
  }
  void end(SocketEnd::Why why, std::string sentence) {
    m_timer.stop();
    const auto ended = std::exchange(m_callbacks.ended, nullptr);
    if (ended) ended({why, std::move(sentence)});  // may destroy this
  }

  const std::string m_place;
  const std::string m_fingerprint;
  Callbacks m_callbacks;
  ContextTimer m_timer;
  ObjectRef<SoupSession> m_session;
  ObjectRef<SoupMessage> m_message;
  ObjectRef<GCancellable> m_cancellable;
  ObjectRef<SoupWebsocketConnection> m_connection;
  BackReference* m_backReference = nullptr;
  bool m_isChecked = false;
  bool m_isImpostor = false;
};

RoomSocket::RoomSocket(GMainContext* context, const RoomLink& link, periodic::Duration patience,
                       Callbacks callbacks)
    : m_attempt(std::make_unique<Attempt>(context, link, patience, std::move(callbacks))) {}

RoomSocket::~RoomSocket() = default;

void RoomSocket::send(const std::string& message) {
  m_attempt->send(message);
}

}  // namespace tactus::conference
