// SPDX-License-Identifier: Apache-2.0
#include "media/capture/portal_bus.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/periodic/trace/format.h"
#include "plugins/error_words.h"

namespace tactus::media {
namespace {

using plugins::ErrorPtr;

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kBus = "org.freedesktop.DBus";
constexpr const char* kSession = "org.freedesktop.portal.Session";
/// A portal that is started by this call takes its time; one that takes longer is none.
constexpr int kProbeMs = 5000;
constexpr int kCallMs = 10'000;

Error unavailable(const ErrorPtr& error, const std::string& what) {
  if (!error) return {ErrorCode::Unavailable, what + "."};
  g_dbus_error_strip_remote_error(error.get());
  return {ErrorCode::Unavailable, what + ": " + plugins::wordsOf(*error) + "."};
}

}  // namespace

Result<std::unique_ptr<PortalBus>> PortalBus::connect(Options options, GCancellable& cancel) {
  GError* raw = nullptr;
  std::string address = options.address;
  if (address.empty()) {
    const plugins::CharPtr found(g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, &cancel, &raw));
    if (!found) return unavailable(ErrorPtr(raw), "There is no session bus");
    address = found.get();
  }
  constexpr auto kFlags = static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                            G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
  GDBusConnection* connection =
      g_dbus_connection_new_for_address_sync(address.c_str(), kFlags, nullptr, &cancel, &raw);
  if (connection == nullptr) return unavailable(ErrorPtr(raw), "There is no session bus");
  return std::unique_ptr<PortalBus>(new PortalBus(std::move(options), cancel, connection));
}

PortalBus::PortalBus(Options options, GCancellable& cancel, GDBusConnection* connection)
    : m_options(std::move(options)),
      m_cancel(cancel),
      m_context(g_main_context_get_thread_default()),
      m_connection(connection) {
  m_watches.push_back(
      subscribe(kBus, kBus, "NameOwnerChanged", "/org/freedesktop/DBus", kPortal, [this](GVariant* change) {
        const char* after = nullptr;
        g_variant_get(change, "(&s&s&s)", nullptr, nullptr, &after);
        if (*after == '\0') lose();
      }));
  g_signal_connect(connection, "closed", G_CALLBACK(+[](GDBusConnection*, gboolean, GError*, gpointer self) {
                     static_cast<PortalBus*>(self)->lose();
                   }),
                   this);
}

PortalBus::~PortalBus() {
  g_signal_handlers_disconnect_by_data(m_connection.get(), this);
  for (const guint watch : m_watches) g_dbus_connection_signal_unsubscribe(m_connection.get(), watch);
  if (!m_session.empty() && !m_lost)
    g_dbus_connection_call(m_connection.get(), kPortal, m_session.c_str(), kSession, "Close", nullptr,
                           nullptr, G_DBUS_CALL_FLAGS_NONE, -1, nullptr, nullptr, nullptr);
  (void)g_dbus_connection_flush_sync(m_connection.get(), nullptr, nullptr);
  (void)g_dbus_connection_close_sync(m_connection.get(), nullptr, nullptr);
  while (g_main_context_iteration(m_context, FALSE) != FALSE) continue;  // frees what was subscribed
}

void PortalBus::lose() {
  if (!std::exchange(m_lost, true) && m_options.closed) m_options.closed();
}

guint PortalBus::subscribe(const char* sender, const char* interface, const char* name,
                           const std::string& path, const char* argument, Signal told) {
  return g_dbus_connection_signal_subscribe(
      m_connection.get(), sender, interface, name, path.c_str(), argument, G_DBUS_SIGNAL_FLAGS_NONE,
      [](GDBusConnection*, const char*, const char*, const char*, const char*, GVariant* arguments,
         gpointer signal) { (*static_cast<Signal*>(signal))(arguments); },
      new Signal(std::move(told)), [](gpointer signal) { delete static_cast<Signal*>(signal); });
}

Result<VariantPtr> PortalBus::call(const char* interface, const char* method, GVariant* arguments,
                                   int milliseconds) const {
  GError* raw = nullptr;
  VariantPtr reply(g_dbus_connection_call_sync(m_connection.get(), kPortal, kPath, interface, method,
                                               arguments, nullptr, G_DBUS_CALL_FLAGS_NONE, milliseconds,
                                               &m_cancel, &raw));
  if (!reply) return unavailable(ErrorPtr(raw), "The desktop's portal does not answer");
  return reply;
}

Result<VariantPtr> PortalBus::properties() {
  auto reply =
      call("org.freedesktop.DBus.Properties", "GetAll", g_variant_new("(s)", m_options.interface), kProbeMs);
  if (!reply.ok()) return reply.error();
  if (!g_variant_is_of_type(reply.value().get(), G_VARIANT_TYPE("(a{sv})")))
    return unavailable(nullptr, "The desktop's portal answers in an unknown way");
  return VariantPtr(g_variant_get_child_value(reply.value().get(), 0));
}

/// The signal may come before the method returns: it is waited for before the call, under a name that is ours
/// to choose.
Result<PortalBus::Response> PortalBus::request(const char* method, const Arguments& arguments) {
  const std::string token = "tactus" + std::to_string(++m_requests);
  std::string sender = g_dbus_connection_get_unique_name(m_connection.get());  // ":1.42"
  sender.erase(0, 1);
  std::replace(sender.begin(), sender.end(), '.', '_');
  const std::string path = periodic::format("%s/request/%s/%s", kPath, sender.c_str(), token.c_str());
  std::optional<Response> response;
  const guint watch = subscribe(
      kPortal, "org.freedesktop.portal.Request", "Response", path, nullptr, [&response](GVariant* answer) {
        if (!g_variant_is_of_type(answer, G_VARIANT_TYPE("(ua{sv})"))) return;
        guint32 code = 0;
        GVariant* results = nullptr;
        g_variant_get(answer, "(u@a{sv})", &code, &results);
        response = Response{static_cast<Response::Code>(std::min(code, 2U)), VariantPtr(results)};
      });
  const auto called = call(m_options.interface, method, arguments(token.c_str()), kCallMs);
  while (called.ok() && !response && !m_lost && g_cancellable_is_cancelled(&m_cancel) == FALSE)
    (void)g_main_context_iteration(m_context, TRUE);
  g_dbus_connection_signal_unsubscribe(m_connection.get(), watch);
  if (!called.ok()) return called.error();
  if (!response) return unavailable(nullptr, "The desktop's portal has ended");
  return std::move(*response);
}

void PortalBus::hold(const std::string& session) {
  m_session = session;
  m_watches.push_back(
      subscribe(kPortal, kSession, "Closed", session, nullptr, [this](GVariant*) { lose(); }));
}

Result<net::Descriptor> PortalBus::openRemote() const {
  GError* raw = nullptr;
  GUnixFDList* list = nullptr;
  const VariantPtr reply(g_dbus_connection_call_with_unix_fd_list_sync(
      m_connection.get(), kPortal, kPath, m_options.interface, "OpenPipeWireRemote",
      g_variant_new("(o@a{sv})", m_session.c_str(), g_variant_new_array(G_VARIANT_TYPE("{sv}"), nullptr, 0)),
      G_VARIANT_TYPE("(h)"), G_DBUS_CALL_FLAGS_NONE, kCallMs, nullptr, &list, &m_cancel, &raw));
  const FdListPtr descriptors(list);
  if (!reply || !descriptors)
    return unavailable(ErrorPtr(raw), "The desktop gives no pictures of the screen");
  gint32 index = 0;
  g_variant_get(reply.get(), "(h)", &index);
  net::Descriptor remote(g_unix_fd_list_get(descriptors.get(), index, &raw));
  if (!remote) return unavailable(ErrorPtr(raw), "The desktop gives no pictures of the screen");
  return remote;
}

}  // namespace tactus::media
