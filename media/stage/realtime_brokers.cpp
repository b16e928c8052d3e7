// SPDX-License-Identifier: Apache-2.0
#include "media/stage/realtime_brokers.h"

#include <unistd.h>

#include <string>

#include "media/stage/dbus_handle.h"

namespace tactus::media {
namespace {

using periodic::Duration;
using periodic::KernelClass;
using plugins::ErrorPtr;

constexpr int kTimeoutMs = 2000;

struct Address {
  GBusType bus;
  const char* name;
  const char* path;
  const char* interface;
  const char* person;  ///< what to call it in a sentence
};

constexpr Address kRtkit{G_BUS_TYPE_SYSTEM, "org.freedesktop.RealtimeKit1", "/org/freedesktop/RealtimeKit1",
                         "org.freedesktop.RealtimeKit1", "RealtimeKit"};
constexpr Address kPortal{G_BUS_TYPE_SESSION, "org.freedesktop.portal.Desktop",
                          "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Realtime",
                          "The Realtime portal"};

class BusBroker final : public periodic::RealtimeBroker {
 public:
  BusBroker(const Address& address, KernelClass granted) : m_address(address), m_class(granted) {}

  KernelClass kernelClass() const noexcept override { return m_class; }

  Result<int> maxPriority() override {
    const auto value = property("MaxRealtimePriority");
    if (!value.ok()) return value.error();
    return static_cast<int>(value.value());
  }

  Duration rttimeLimit() override {
    const auto value = property("RTTimeUSecMax");
    return std::chrono::microseconds(value.ok() && value.value() > 0 ? value.value() : 200'000);
  }

  Result<void> makeRealtime(pid_t tid, int priority) override {
    const bool portal = m_class == KernelClass::PortalRr;
    GVariant* arguments =
        portal ? g_variant_new("(ttu)", static_cast<guint64>(getpid()), static_cast<guint64>(tid),
                               static_cast<guint32>(priority))
               : g_variant_new("(tu)", static_cast<guint64>(tid), static_cast<guint32>(priority));
    const auto reply =
        call(m_address.interface, portal ? "MakeThreadRealtimeWithPID" : "MakeThreadRealtime", arguments);
    if (!reply.ok()) return reply.error();
    return {};
  }

 private:
  Result<std::shared_ptr<GVariant>> call(const char* interface, const char* method, GVariant* arguments) {
    const VariantPtr held(g_variant_ref_sink(arguments));
    GError* raw = nullptr;
    if (!m_connection) m_connection.reset(g_bus_get_sync(m_address.bus, nullptr, &raw));
    if (!m_connection) {
      const ErrorPtr error(raw);
      return Error{ErrorCode::Unavailable, std::string(m_address.person) + " cannot be asked: there is no " +
                                               (m_address.bus == G_BUS_TYPE_SYSTEM ? "system" : "session") +
                                               " bus."};
    }
    g_dbus_connection_set_exit_on_close(m_connection.get(), FALSE);
    GVariant* reply =
        g_dbus_connection_call_sync(m_connection.get(), m_address.name, m_address.path, interface, method,
                                    held.get(), nullptr, G_DBUS_CALL_FLAGS_NONE, kTimeoutMs, nullptr, &raw);
    if (reply == nullptr) {
      const ErrorPtr error(raw);
      g_dbus_error_strip_remote_error(error.get());
      return Error{ErrorCode::PermissionDenied,
                   std::string(m_address.person) + " refused: " + error->message + "."};
    }
    return std::shared_ptr<GVariant>(reply,
                                     g_variant_unref);  // shared only because Result wants a copyable value
  }

  Result<std::int64_t> property(const char* name) {
    const auto reply =
        call("org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", m_address.interface, name));
    if (!reply.ok()) return reply.error();
    GVariant* inner = nullptr;
    g_variant_get(reply.value().get(), "(v)", &inner);
    const VariantPtr value(inner);
    if (g_variant_is_of_type(value.get(), G_VARIANT_TYPE_INT32)) return g_variant_get_int32(value.get());
    if (g_variant_is_of_type(value.get(), G_VARIANT_TYPE_INT64)) return g_variant_get_int64(value.get());
    if (g_variant_is_of_type(value.get(), G_VARIANT_TYPE_UINT32)) return g_variant_get_uint32(value.get());
    return Error{ErrorCode::Corrupt, std::string(m_address.person) + " answered in an unknown way."};
  }

  const Address& m_address;
  KernelClass m_class;
  ConnectionPtr m_connection;
};

}  // namespace

std::vector<std::unique_ptr<periodic::RealtimeBroker>> realtimeBrokers() {
  std::vector<std::unique_ptr<periodic::RealtimeBroker>> brokers;
  brokers.push_back(std::make_unique<BusBroker>(kRtkit, KernelClass::RtkitRr));
  brokers.push_back(std::make_unique<BusBroker>(kPortal, KernelClass::PortalRr));
  return brokers;
}

}  // namespace tactus::media
