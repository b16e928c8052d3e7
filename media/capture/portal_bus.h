// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/net/descriptor.h"
#include "core/periodic/result.h"
#include "media/stage/dbus_handle.h"

namespace tactus::media {

/// A D-Bus connection to the desktop's portal (org.freedesktop.portal.Desktop) that is used for one session
/// of one of its interfaces: the portal ends the session with the connection.
///
/// For the thread that made it, whose default main context gets the signals; but openRemote() is for any.
/// What waits gives up when it is cancelled, and request() when its context is woken as well. Real-time-safe:
/// no.
class PortalBus {
 public:
  struct Options {
    std::string address = {};  ///< of the bus; empty: the session's
    const char* interface = "";
    std::function<void()> closed = {};  ///< the portal has ended the session, or has ended itself
  };
  /// What the user or the desktop answered to a request.
  struct Response {
    enum class Code : std::uint32_t { Success, Cancelled, Other };
    Code code = Code::Other;
    VariantPtr results = {};
  };
  /// The arguments of a method, whose options begin with the token of the request.
  using Arguments = std::function<GVariant*(const char* token)>;

  /// Unavailable: there is no such bus. Both outlive it.
  [[nodiscard]] static Result<std::unique_ptr<PortalBus>> connect(Options options, GCancellable& cancel);
  ~PortalBus();
  PortalBus(const PortalBus&) = delete;
  PortalBus& operator=(const PortalBus&) = delete;

  /// The interface's properties, a{sv}. Errors: Unavailable: there is no portal that has the interface, or it
  /// does not answer within seconds.
  [[nodiscard]] Result<VariantPtr> properties();
  /// Calls a method that answers by a request's signal, and waits for that as long as the portal is there.
  /// Unavailable, one sentence: it is not, or has refused.
  [[nodiscard]] Result<Response> request(const char* method, const Arguments& arguments);
  /// The session that was created: it is closed with this.
  void hold(const std::string& session);
  [[nodiscard]] const std::string& session() const noexcept { return m_session; }
  /// The portal or its session has ended.
  [[nodiscard]] bool isLost() const noexcept { return m_lost; }
  /// PipeWire's connection of the session. Unavailable, one sentence. Thread-safe: yes.
  [[nodiscard]] Result<net::Descriptor> openRemote() const;

 private:
  PortalBus(Options options, GCancellable& cancel, GDBusConnection* connection);
  using Signal = std::function<void(GVariant*)>;
  [[nodiscard]] guint subscribe(const char* sender, const char* interface, const char* name,
                                const std::string& path, const char* argument, Signal told);
  [[nodiscard]] Result<VariantPtr> call(const char* interface, const char* method, GVariant* arguments,
                                        int milliseconds) const;
  void lose();

  const Options m_options;
  GCancellable& m_cancel;
  GMainContext* const m_context;
  const ConnectionPtr m_connection;
  std::vector<guint> m_watches;
  std::string m_session;  // object path; empty: there is none
  unsigned m_requests = 0;
  bool m_lost = false;
};

}  // namespace tactus::media
