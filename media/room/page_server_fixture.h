// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#include <libsoup/soup.h>

#include <string>

#include "media/room/event_thread.h"

namespace tactus::media {

/// An HTTP server on the loopback device, with a thread of its own, which calls `handler`. It ends before
/// what the handler uses: the last member of whoever has one.
class PageServer {
 public:
  PageServer(const char* thread, SoupServerCallback handler, void* self) : m_thread(thread) {
    m_thread.call([this, handler, self] {
      m_server = soup_server_new(nullptr, nullptr);
      soup_server_add_handler(m_server, nullptr, handler, self, nullptr);
      soup_server_listen_local(m_server, 0, SOUP_SERVER_LISTEN_IPV4_ONLY, nullptr);
      GSList* const addresses = soup_server_get_uris(m_server);
      m_port = addresses != nullptr ? g_uri_get_port(static_cast<GUri*>(addresses->data)) : 0;
      g_slist_free_full(addresses, reinterpret_cast<GDestroyNotify>(g_uri_unref));
    });
  }
  ~PageServer() {
    m_thread.call([this] {
      soup_server_disconnect(m_server);
      g_object_unref(m_server);
    });
  }
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  [[nodiscard]] std::string address() const { return "http://127.0.0.1:" + std::to_string(m_port) + "/"; }

 private:
  SoupServer* m_server = nullptr;
  int m_port = 0;
  EventThread m_thread;
};

}  // namespace tactus::media
