// SPDX-License-Identifier: Apache-2.0
#include "conference/door/entrance.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tactus::conference {
namespace {

constexpr int kBacklog = 128;
constexpr int kAcceptedAtOnce = 64;

struct Failure {
  GError* error = nullptr;
  ~Failure() { g_clear_error(&error); }
  [[nodiscard]] std::string text() const { return error == nullptr ? "unknown" : error->message; }
  [[nodiscard]] bool is(GIOErrorEnum code) const { return g_error_matches(error, G_IO_ERROR, code) != 0; }
};

Result<ObjectRef<GSocket>> bound(GInetAddress* address, std::uint16_t port, const std::string& shown) {
  Failure failure;
  auto socket = ObjectRef<GSocket>::take(g_socket_new(
      g_inet_address_get_family(address), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &failure.error));
  if (!socket) return Error{ErrorCode::Unsupported, "No socket could be made: " + failure.text() + "."};
  if (g_socket_get_family(socket.get()) == G_SOCKET_FAMILY_IPV6)  // "::" is of IPv4 as well
    (void)g_socket_set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0, nullptr);
  g_socket_set_blocking(socket.get(), FALSE);
  g_socket_set_listen_backlog(socket.get(), kBacklog);
  const auto place = ObjectRef<GSocketAddress>::take(g_inet_socket_address_new(address, port));
  if (g_socket_bind(socket.get(), place.get(), TRUE, &failure.error) != 0 &&
      g_socket_listen(socket.get(), &failure.error) != 0)
    return socket;
  const std::string number = std::to_string(port);
  if (failure.is(G_IO_ERROR_ADDRESS_IN_USE))
    return Error{ErrorCode::Unavailable, "Port " + number + " is taken by another program."};
  if (failure.is(G_IO_ERROR_PERMISSION_DENIED))
    return Error{ErrorCode::PermissionDenied,
                 "Port " + number + " is not for programs of users; choose 1024 or more."};
  return Error{ErrorCode::NotFound, "Nobody can be let in at " + shown + ": " + failure.text() + "."};
}

/// The address of a socket's peer; null if it has gone already.
ObjectRef<GInetSocketAddress> peerOf(GSocket* socket) {
  GSocketAddress* address = g_socket_get_remote_address(socket, nullptr);
  if (address == nullptr || !G_IS_INET_SOCKET_ADDRESS(address)) {
    g_clear_object(&address);
    return {};
  }
  return ObjectRef<GInetSocketAddress>::take(G_INET_SOCKET_ADDRESS(address));
}

std::string inWords(GInetAddress* address) {
  char* text = g_inet_address_to_string(address);
  std::string words = text;
  g_free(text);
  return words;
}

void destroy(GSource*& source) {
  if (source == nullptr) return;
  g_source_destroy(source);
  g_source_unref(source);
  source = nullptr;
}

}  // namespace

/// A handshake, which may end after the entrance has.
struct Entrance::Shake {
  std::shared_ptr<Entrance*> entrance;
  ConnectionId id;
};

Entrance::Entrance(Visitors& visitors, ObjectRef<GTlsCertificate> certificate, Entered entered)
    : m_visitors(visitors),
      m_certificate(std::move(certificate)),
      m_entered(std::move(entered)),
      m_self(std::make_shared<Entrance*>(this)) {}

Entrance::~Entrance() {
  close();
  for (auto& [id, source] : m_watched) destroy(source);
  *m_self = nullptr;
}

Result<ObjectRef<GSocket>> Entrance::listen(const std::string& address, std::uint16_t port) {
  if (address.empty()) {
    const auto all = ObjectRef<GInetAddress>::take(g_inet_address_new_any(G_SOCKET_FAMILY_IPV6));
    auto both = bound(all.get(), port, "all addresses");
    const bool hasIpv6 = both.ok() || (both.error().code != ErrorCode::NotFound &&
                                       both.error().code != ErrorCode::Unsupported);
    if (hasIpv6) return both;
    const auto old = ObjectRef<GInetAddress>::take(g_inet_address_new_any(G_SOCKET_FAMILY_IPV4));
    return bound(old.get(), port, "all addresses");  // a machine without IPv6
  }
  const auto one = ObjectRef<GInetAddress>::take(g_inet_address_new_from_string(address.c_str()));
  if (!one) return Error{ErrorCode::InvalidArgument, "'" + address + "' is not a numeric address."};
  return bound(one.get(), port, address);
}

void Entrance::open(ObjectRef<GSocket> listener) {
  m_listener = std::move(listener);
  accept();
}

void Entrance::close() {
  destroy(m_accepting);
  if (m_listener) (void)g_socket_close(m_listener.get(), nullptr);
  m_listener = {};
}

void Entrance::tick() {
  if (m_listener && m_accepting == nullptr) accept();
  beginHandshakes();
}

void Entrance::accept() {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    Failure failure;
    auto socket = ObjectRef<GSocket>::take(g_socket_accept(m_listener.get(), nullptr, &failure.error));
    if (!socket) {
      if (failure.is(G_IO_ERROR_WOULD_BLOCK)) break;
      if (failure.is(G_IO_ERROR_CONNECTION_CLOSED)) continue;  // gone before it was accepted
      return destroy(m_accepting);  // no descriptor or no memory is left: tick() tries again
    }
    const auto peer = peerOf(socket.get());
    if (!peer) continue;
    g_socket_set_blocking(socket.get(), FALSE);
    GInetAddress* address = g_inet_socket_address_get_address(peer.get());
    if (const Visitor* visitor = m_visitors.add(std::move(socket), inWords(address), networkOf(address),
                                                periodic::MonotonicClock::now()))
      watch(visitor->id);
  }
  if (m_accepting != nullptr) return;
  m_accepting = g_socket_create_source(m_listener.get(), G_IO_IN, nullptr);
  const GSocketSourceFunc ready = [](GSocket*, GIOCondition, gpointer self) -> gboolean {
    static_cast<Entrance*>(self)->accept();
    return G_SOURCE_CONTINUE;
  };
  g_source_set_callback(m_accepting, G_SOURCE_FUNC(ready), this, nullptr);
  g_source_attach(m_accepting, g_main_context_get_thread_default());
}

void Entrance::watch(ConnectionId id) {
  GSource* source = g_socket_create_source(m_visitors.find(id)->socket.get(), G_IO_IN, nullptr);
  const GSocketSourceFunc ready = [](GSocket*, GIOCondition, gpointer data) -> gboolean {
    const auto* shake = static_cast<Shake*>(data);
    Entrance* self = *shake->entrance;
    const ConnectionId heard = shake->id;
    destroy(self->m_watched[heard]);  // and shake with it
    self->m_watched.erase(heard);
    self->m_waiting.insert(heard);
    self->beginHandshakes();
    return G_SOURCE_REMOVE;
  };
  g_source_set_callback(source, G_SOURCE_FUNC(ready), new Shake{m_self, id},
                        [](gpointer data) { delete static_cast<Shake*>(data); });
  g_source_attach(source, g_main_context_get_thread_default());
  m_watched[id] = source;
}

void Entrance::beginHandshakes() {
  for (auto each = m_watched.begin(); each != m_watched.end();) {
    if (m_visitors.find(each->first) != nullptr) {
      ++each;
      continue;
    }
    destroy(each->second);
    each = m_watched.erase(each);
  }
  for (auto each = m_waiting.begin(); each != m_waiting.end();) {
    Visitor* visitor = m_visitors.find(*each);
    if (visitor != nullptr && !m_visitors.mayShakeHands(*visitor)) {
      ++each;
      continue;
    }
    each = m_waiting.erase(each);
    if (visitor != nullptr) shakeHands(*visitor);
  }
}

void Entrance::shakeHands(Visitor& visitor) {
  const auto plain =
      ObjectRef<GSocketConnection>::take(g_socket_connection_factory_create_connection(visitor.socket.get()));
  GIOStream* tls = g_tls_server_connection_new(G_IO_STREAM(plain.get()), m_certificate.get(), nullptr);
  if (tls == nullptr) return m_visitors.cut(visitor.id);
  visitor.tls = ObjectRef<GIOStream>::take(tls);
  g_tls_connection_set_require_close_notify(G_TLS_CONNECTION(tls), FALSE);
  m_visitors.enter(visitor, VisitorState::Handshaking, periodic::MonotonicClock::now());
  g_tls_connection_handshake_async(G_TLS_CONNECTION(tls), G_PRIORITY_DEFAULT, nullptr, onShaken,
                                   new Shake{m_self, visitor.id});
}

void Entrance::onShaken(GObject* source, GAsyncResult* result, gpointer data) {
  const std::unique_ptr<Shake> shake(static_cast<Shake*>(data));
  const bool shaken = g_tls_connection_handshake_finish(G_TLS_CONNECTION(source), result, nullptr) != 0;
  Entrance* self = *shake->entrance;
  if (self == nullptr) return;
  if (Visitor* visitor = self->m_visitors.find(shake->id); visitor != nullptr && shaken) {
    self->m_visitors.enter(*visitor, VisitorState::Headers, periodic::MonotonicClock::now());
    self->m_entered(*visitor);
  } else if (visitor != nullptr) {
    self->m_visitors.cut(shake->id);
  }
  self->beginHandshakes();
}

}  // namespace tactus::conference
