// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "conference/door/object_ref.h"
#include "conference/door/visitors.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// Accepts connections and shakes hands with them (TLS). A peer that sends nothing costs a descriptor until
/// its deadline; only who has sent something gets a handshake, few at a time and fewer of one network, since
/// GIO gives each a thread that waits. Thread-safe: no, on the door's thread alone. Real-time-safe: no.
class Entrance {
 public:
  using Entered = std::function<void(Visitor&)>;

  Entrance(Visitors& visitors, ObjectRef<GTlsCertificate> certificate, Entered entered);
  ~Entrance();
  Entrance(const Entrance&) = delete;
  Entrance& operator=(const Entrance&) = delete;

  /// A socket that listens. An empty address: all of this machine. Unavailable: the port is taken.
  /// NotFound: the address is not one of this machine. Thread-safe: yes.
  [[nodiscard]] static Result<ObjectRef<GSocket>> listen(const std::string& address, std::uint16_t port);

  /// Accepts from now on, in the thread's default context.
  void open(ObjectRef<GSocket> listener);
  /// Accepts nothing more.
  void close();
  /// Accepts again after a lack of descriptors, and begins handshakes that had to wait. About once a second.
  void tick();

 private:
  struct Shake;
  void accept();
  void watch(ConnectionId id);
  void beginHandshakes();
  void shakeHands(Visitor& visitor);
  static void onShaken(GObject* source, GAsyncResult* result, gpointer data);

  Visitors& m_visitors;
  const ObjectRef<GTlsCertificate> m_certificate;
  const Entered m_entered;
  const std::shared_ptr<Entrance*> m_self;  // shared with handshakes that may outlive this; then null
  ObjectRef<GSocket> m_listener;
  GSource* m_accepting = nullptr;
  std::map<ConnectionId, GSource*> m_watched;  // peers that have sent nothing
  std::set<ConnectionId> m_waiting;            // for a handshake, oldest first
};

}  // namespace tactus::conference
