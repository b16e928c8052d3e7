// SPDX-License-Identifier: Apache-2.0
#include "conference/door/door.h"

#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "conference/door/context_thread.h"
#include "conference/door/entrance.h"
#include "conference/door/exchange.h"
#include "conference/door/visitors.h"

namespace tactus::conference {
namespace {

using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr guint kTickMilliseconds = 250;

Result<ObjectRef<GTlsCertificate>> loaded(const Certificate& certificate) {
  GError* error = nullptr;
  auto* made = g_tls_certificate_new_from_pem(certificate.pem().data(),
                                              static_cast<gssize>(certificate.pem().size()), &error);
  if (made != nullptr) return ObjectRef<GTlsCertificate>::take(made);
  Error failed{ErrorCode::Unsupported, std::string("GIO cannot use the room's certificate: ") +
                                           error->message +
                                           " (the Debian package glib-networking must be installed)."};
  g_error_free(error);
  return failed;
}

std::uint16_t portOf(GSocket* socket) {
  const auto address = ObjectRef<GSocketAddress>::take(g_socket_get_local_address(socket, nullptr));
  return address ? g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(address.get())) : 0;
}

}  // namespace

/// What runs on the door's thread.
class Door::Inside : public std::enable_shared_from_this<Door::Inside> {
 public:
  Inside(const DoorLimits& limits, DoorListener& listener, Routes routes)
      : m_limits(limits), m_listener(listener), m_routes(std::move(routes)), m_visitors(limits) {}

  void begin(ObjectRef<GSocket> socket, ObjectRef<GTlsCertificate> certificate) {
    m_thread = std::make_unique<ContextThread>("door");
    m_thread->run([&] {
      const auto weak = weak_from_this();
      m_exchange = std::make_unique<Exchange>(m_visitors, m_limits, m_listener, m_routes,
                                              [weak](std::function<void()> action) {
                                                if (const auto self = weak.lock())
                                                  self->post(std::move(action));
                                              });
      m_entrance = std::make_unique<Entrance>(m_visitors, std::move(certificate),
                                              [this](Visitor& visitor) { m_exchange->welcome(visitor); });
      m_entrance->open(std::move(socket));
      m_ticking = g_timeout_source_new(kTickMilliseconds);
      const GSourceFunc dispatch = [](gpointer self) -> gboolean {
        static_cast<Inside*>(self)->tick();
        return G_SOURCE_CONTINUE;
      };
      g_source_set_callback(m_ticking, dispatch, this, nullptr);
      g_source_attach(m_ticking, m_thread->context());
    });
  }

  void end() {
    std::promise<void> allGone;
    m_thread->post([&] {
      m_entrance->close();
      m_visitors.forEach([](Visitor& visitor) {
        if (visitor.conversation) visitor.conversation->close(CloseCode::GoingAway, "The room is closed.");
      });
      m_allGone = &allGone;
      tick();
    });
    allGone.get_future().wait();
    m_thread->run([&] {
      g_source_destroy(m_ticking);
      g_source_unref(m_ticking);
      m_entrance.reset();
      m_exchange.reset();
    });
    // A reply that comes from now on finds no thread.
    std::unique_ptr<ContextThread> thread;
    {
      const std::lock_guard lock(m_mutex);
      thread = std::move(m_thread);
    }
  }

  void post(std::function<void()> action) {
    const std::lock_guard lock(m_mutex);
    if (m_thread) m_thread->post(std::move(action));
  }

  void send(ConnectionId connection, const std::string& message) {
    if (WebSocket* socket = m_exchange ? m_exchange->conversation(connection) : nullptr)
      socket->send(message);
  }

  void close(ConnectionId connection, CloseCode code, const std::string& reason) {
    if (WebSocket* socket = m_exchange ? m_exchange->conversation(connection) : nullptr)
      socket->close(code, reason);
  }

 private:
  void tick() {
    m_exchange->tick(MonotonicClock::now());
    m_entrance->tick();
    m_listener.tick();
    if (m_allGone != nullptr) leave();
  }

  /// After end(): what is no conversation is cut; those end by their own time limit.
  void leave() {
    std::vector<ConnectionId> idle;
    m_visitors.forEach([&](Visitor& visitor) {
      if (!visitor.conversation) idle.push_back(visitor.id);
    });
    for (const ConnectionId id : idle) m_visitors.cut(id);
    if (m_visitors.size() == 0) std::exchange(m_allGone, nullptr)->set_value();
  }

  const DoorLimits m_limits;
  DoorListener& m_listener;
  const Routes m_routes;
  std::mutex m_mutex;                       // m_thread
  std::unique_ptr<ContextThread> m_thread;  // null: not begun, or ended
  // The rest is the thread's alone.
  Visitors m_visitors;
  std::unique_ptr<Exchange> m_exchange;
  std::unique_ptr<Entrance> m_entrance;
  GSource* m_ticking = nullptr;
  std::promise<void>* m_allGone = nullptr;  // fulfilled once nobody is left
};

Result<std::unique_ptr<Door>> Door::open(const DoorOptions& options, const Certificate& certificate,
                                         DoorListener& listener, Routes routes) {
  auto identity = loaded(certificate);
  if (!identity.ok()) return identity.error();
  auto socket = Entrance::listen(options.address, options.port);
  if (!socket.ok()) return socket.error();
  const std::uint16_t port = portOf(socket.value().get());
  auto inside = std::make_shared<Inside>(options.limits, listener, std::move(routes));
  inside->begin(std::move(socket).value(), std::move(identity).value());
  return std::unique_ptr<Door>(new Door(std::move(inside), port));
}

Door::Door(std::shared_ptr<Inside> inside, std::uint16_t port) : m_inside(std::move(inside)), m_port(port) {}

Door::~Door() {
  m_inside->end();
}

void Door::send(ConnectionId connection, std::string message) {
  m_inside->post([inside = m_inside.get(), connection, message = std::move(message)] {
    inside->send(connection, message);
  });
}

void Door::close(ConnectionId connection, CloseCode code, std::string reason) {
  m_inside->post([inside = m_inside.get(), connection, code, reason = std::move(reason)] {
    inside->close(connection, code, reason);
  });
}

void Door::post(std::function<void()> action) {
  m_inside->post(std::move(action));
}

}  // namespace tactus::conference
