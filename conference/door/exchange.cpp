// SPDX-License-Identifier: Apache-2.0
#include "conference/door/exchange.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

#include "conference/door/closing_stream.h"

namespace tactus::conference {
namespace {

using periodic::MonotonicClock;

constexpr const char* kVisitor = "tactus-visitor";  // on the peer's address that libsoup keeps for us
constexpr const char* kSocket = "socket";
constexpr const char* kNothing = "There is nothing here.\n";

/// Every answer has these, whoever asks.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Cache-Control", "no-store"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
     "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"Permissions-Policy", "camera=(self), microphone=(self), display-capture=(self)"},
};

std::size_t sizeOf(SoupMessageHeaders* headers) {
  std::size_t size = 0;
  const auto add = [](const char* name, const char* value, gpointer sum) {
    *static_cast<std::size_t*>(sum) += std::strlen(name) + std::strlen(value) + 4;  // ": " and the line's end
  };
  soup_message_headers_foreach(headers, add, &size);
  return size;
}

void respond(SoupServerMessage* message, unsigned status, const std::string& type, const std::string& body) {
  soup_server_message_set_status(message, status, nullptr);
  if (type.empty() && body.empty()) return;
  soup_server_message_set_response(message, type.empty() ? "text/plain; charset=utf-8" : type.c_str(),
                                   SOUP_MEMORY_COPY, body.data(), body.size());
}

/// Answers now. What comes of the body is dropped as it is read, and the connection ends with the answer.
void refuse(SoupServerMessage* message, unsigned status, const char* sentence) {
  SoupMessageBody* body = soup_server_message_get_request_body(message);
  soup_message_body_set_accumulate(body, FALSE);
  soup_message_body_truncate(body);
  soup_message_headers_replace(soup_server_message_get_response_headers(message), "Connection", "close");
  respond(message, status, {}, sentence);
}

std::map<std::string, std::string> headersOf(SoupServerMessage* message) {
  std::map<std::string, std::string> all;
  const auto add = [](const char* name, const char* value, gpointer data) {
    std::string small = name;
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    auto& found = (*static_cast<std::map<std::string, std::string>*>(data))[small];
    found += (found.empty() ? "" : ", ") + std::string(value);
  };
  soup_message_headers_foreach(soup_server_message_get_request_headers(message), add, &all);
  return all;
}

std::string bodyOf(SoupServerMessage* message) {
  GBytes* bytes = soup_message_body_flatten(soup_server_message_get_request_body(message));
  gsize size = 0;
  const auto* data = static_cast<const char*>(g_bytes_get_data(bytes, &size));
  std::string body(data == nullptr ? "" : data, size);
  g_bytes_unref(bytes);
  return body;
}

}  // namespace

/// A request whose answer is waited for.
struct Exchange::Pending {
  std::uint64_t request = 0;
  ObjectRef<SoupServerMessage> message;
};

/// The path of a request: "/r/TOKEN", and what follows.
struct Exchange::Asked {
  bool admitted = false;
  bool isBare = false;  // nothing follows the token, not even "/"
  std::string token, path;
};

Exchange::Exchange(Visitors& visitors, const DoorLimits& limits, DoorListener& listener, const Routes& routes,
                   Post post)
    : m_visitors(visitors),
      m_limits(limits),
      m_listener(listener),
      m_routes(routes),
      m_post(std::move(post)),
      m_self(std::make_shared<Exchange*>(this)),
      m_server(ObjectRef<SoupServer>::take(soup_server_new("raw-paths", TRUE, nullptr))) {
  const SoupServerCallback early = [](SoupServer*, SoupServerMessage* message, const char*, GHashTable*,
                                      gpointer self) { static_cast<Exchange*>(self)->gotHeaders(message); };
  const SoupServerCallback late = [](SoupServer*, SoupServerMessage* message, const char*, GHashTable*,
                                     gpointer self) { static_cast<Exchange*>(self)->gotBody(message); };
  for (const char* path : {"/", "*"}) {
    soup_server_add_early_handler(m_server.get(), path, early, this, nullptr);
    soup_server_add_handler(m_server.get(), path, late, this, nullptr);
  }
  using Signal = void (*)(SoupServer*, SoupServerMessage*, gpointer);
  const Signal over = [](SoupServer*, SoupServerMessage* message, gpointer self) {
    static_cast<Exchange*>(self)->finished(message);
  };
  g_signal_connect(m_server.get(), "request-finished", G_CALLBACK(over), this);
  g_signal_connect(m_server.get(), "request-aborted", G_CALLBACK(over), this);
}

Exchange::~Exchange() {
  *m_self = nullptr;
  g_signal_handlers_disconnect_by_data(m_server.get(), this);
  m_pending.clear();
  soup_server_disconnect(m_server.get());
}

void Exchange::welcome(Visitor& visitor) {
  auto stream = closingStream(visitor.tls.get(), [self = m_self, id = visitor.id] {
    if (*self != nullptr) (*self)->ended(id);
  });
  const auto local =
      ObjectRef<GSocketAddress>::take(g_socket_get_local_address(visitor.socket.get(), nullptr));
  const auto remote =
      ObjectRef<GSocketAddress>::take(g_socket_get_remote_address(visitor.socket.get(), nullptr));
  if (!local || !remote) return m_visitors.cut(visitor.id);
  g_object_set_data(G_OBJECT(remote.get()), kVisitor, reinterpret_cast<gpointer>(visitor.id.value));
  (void)soup_server_accept_iostream(m_server.get(), stream.get(), local.get(), remote.get(), nullptr);
}

Visitor* Exchange::visitorOf(SoupServerMessage* message) {
  GSocketAddress* address = soup_server_message_get_remote_address(message);
  if (address == nullptr) return nullptr;
  return m_visitors.find({reinterpret_cast<std::uint64_t>(g_object_get_data(G_OBJECT(address), kVisitor))});
}

Exchange::Asked Exchange::asked(SoupServerMessage* message) {
  constexpr std::string_view kPrefix = "/r/";
  Asked asked;
  const std::string_view path = g_uri_get_path(soup_server_message_get_uri(message));
  std::string_view rest = path.starts_with(kPrefix) ? path.substr(kPrefix.size()) : std::string_view();
  const auto slash = rest.find('/');
  asked.isBare = slash == std::string_view::npos;
  asked.token = rest.substr(0, slash);
  if (!asked.isBare) asked.path = rest.substr(slash + 1);
  asked.admitted = m_listener.admits(asked.token);
  return asked;
}

void Exchange::gotHeaders(SoupServerMessage* message) {
  Visitor* visitor = visitorOf(message);
  if (visitor == nullptr) return;
  m_visitors.enter(*visitor, VisitorState::Request, MonotonicClock::now());
  SoupMessageHeaders* request = soup_server_message_get_request_headers(message);
  for (const auto& [name, value] : kHeaders)
    soup_message_headers_replace(soup_server_message_get_response_headers(message), name, value);
  const Asked what = asked(message);
  const std::string method = soup_server_message_get_method(message);
  const bool isSocket = what.path == kSocket && method == "GET";
  const auto route = m_routes.find(method, what.path);
  if (!what.admitted || (route.allowed.empty() && !isSocket)) return refuse(message, 404, kNothing);
  if (sizeOf(request) > m_limits.headerBytes) return refuse(message, 431, "The headers are too long.\n");
  if (route.handler == nullptr && !isSocket) {
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "Allow",
                                 route.allowed.c_str());
    return refuse(message, 405, "This cannot be done here.\n");
  }
  if (soup_message_headers_get_content_length(request) > static_cast<goffset>(m_limits.bodyBytes))
    return refuse(message, 413, "The body is too long.\n");
  soup_message_headers_remove(request, "Range");  // libsoup would answer many ranges with as many copies
  using Signal = void (*)(SoupServerMessage*, GBytes*, gpointer);
  const Signal chunk = [](SoupServerMessage* read, GBytes*, gpointer self) {
    const auto limit = static_cast<goffset>(static_cast<Exchange*>(self)->m_limits.bodyBytes);
    if (soup_server_message_get_request_body(read)->length > limit &&
        soup_server_message_get_status(read) == 0)
      refuse(read, 413, "The body is too long.\n");
  };
  g_signal_connect(message, "got-chunk", G_CALLBACK(chunk), this);
}

void Exchange::gotBody(SoupServerMessage* message) {
  Visitor* visitor = visitorOf(message);
  const Asked what = asked(message);
  const std::string method = soup_server_message_get_method(message);
  if (visitor == nullptr || !what.admitted) return refuse(message, 404, kNothing);  // revoked meanwhile
  if (what.path == kSocket && method == "GET") return upgrade(message);
  const auto route = m_routes.find(method, what.path);
  if (route.handler == nullptr) return refuse(message, 404, kNothing);
  if (what.isBare) {
    // A page's relative links need the slash.
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "Location",
                                 ("/r/" + what.token + "/").c_str());
    return respond(message, 307, {}, "The page is at the address with '/' at its end.\n");
  }
  handOver(message, *visitor, what, route);
}

void Exchange::handOver(SoupServerMessage* message, Visitor& visitor, const Asked& asked,
                        const Routes::Found& route) {
  DoorRequest request;
  request.token = asked.token;
  request.method = soup_server_message_get_method(message);
  request.path = asked.path;
  if (const char* query = g_uri_get_query(soup_server_message_get_uri(message))) request.query = query;
  request.rest = route.rest;
  request.peer = visitor.address;
  request.headers = headersOf(message);
  request.body = bodyOf(message);
  const std::uint64_t number = ++m_lastRequest;
  m_pending[visitor.id] = {number, ObjectRef<SoupServerMessage>::share(message)};
  soup_server_message_pause(message);
  (*route.handler)(request, [self = m_self, post = m_post, id = visitor.id, number](DoorAnswer answer) {
    post([self, id, number, answer = std::move(answer)] {
      if (*self != nullptr) (*self)->answer(id, number, answer);
    });
  });
}

void Exchange::answer(ConnectionId id, std::uint64_t request, const DoorAnswer& answer) {
  const auto found = m_pending.find(id);
  if (found == m_pending.end() || found->second.request != request) return;
  const auto message = std::move(found->second.message);
  m_pending.erase(found);
  SoupMessageHeaders* headers = soup_server_message_get_response_headers(message.get());
  for (const auto& [name, value] : answer.headers)
    soup_message_headers_replace(headers, name.c_str(), value.c_str());
  respond(message.get(), answer.status, answer.contentType, answer.body);
  soup_server_message_unpause(message.get());
}

void Exchange::finished(SoupServerMessage* message) {
  Visitor* visitor = visitorOf(message);
  if (visitor == nullptr) return;
  m_pending.erase(visitor->id);
  if (visitor->state != VisitorState::Conversation)
    m_visitors.enter(*visitor, VisitorState::Headers, MonotonicClock::now());
}

void Exchange::upgrade(SoupServerMessage* message) {
  char protocol[] = "tactus.room.1";
  char* protocols[] = {protocol, nullptr};
  if (soup_websocket_server_process_handshake(message, nullptr, protocols, nullptr, nullptr) == 0) return;
  using Signal = void (*)(SoupServerMessage*, gpointer);
  const Signal wrote = [](SoupServerMessage* upgraded, gpointer self) {
    static_cast<Exchange*>(self)->beginConversation(upgraded);
  };
  g_signal_connect(message, "wrote-informational", G_CALLBACK(wrote), this);
}

void Exchange::beginConversation(SoupServerMessage* message) {
  Visitor* visitor = visitorOf(message);
  if (visitor == nullptr) return;
  const ConnectionId id = visitor->id;
  const std::string token = asked(message).token;
  m_visitors.enter(*visitor, VisitorState::Conversation, MonotonicClock::now());
  const auto kept = ObjectRef<SoupServerMessage>::share(message);
  auto stream = ObjectRef<GIOStream>::take(soup_server_message_steal_connection(message));
  WebSocket::Callbacks callbacks;
  callbacks.received = [this, id](std::string_view text) { m_listener.received(id, text); };
  callbacks.over = [this, id] {
    m_post([self = m_self, id] {
      if (*self != nullptr) (*self)->ended(id);
    });
  };
  visitor->conversation =
      std::make_unique<WebSocket>(std::move(stream), m_limits, std::move(callbacks), MonotonicClock::now());
  m_listener.opened(id, token, visitor->address);
}

void Exchange::ended(ConnectionId id) {
  Visitor* visitor = m_visitors.find(id);
  if (visitor == nullptr) return;
  const bool talked = visitor->conversation != nullptr;
  m_pending.erase(id);
  m_visitors.end(id);
  if (talked) m_listener.closed(id);
}

WebSocket* Exchange::conversation(ConnectionId id) {
  Visitor* visitor = m_visitors.find(id);
  return visitor == nullptr ? nullptr : visitor->conversation.get();
}

void Exchange::tick(periodic::TimePoint now) {
  for (const ConnectionId id : m_visitors.overdue(now)) {
    const auto found = m_pending.find(id);
    if (found == m_pending.end()) {
      m_visitors.cut(id);
      continue;
    }
    m_visitors.enter(*m_visitors.find(id), VisitorState::Request, now);  // once more, to take the answer
    answer(id, found->second.request, {503, {}, {{"Connection", "close"}}, "This takes too long.\n"});
  }
  m_visitors.forEach([now](Visitor& visitor) {
    if (visitor.conversation) visitor.conversation->tick(now);
  });
}

}  // namespace tactus::conference
