// SPDX-License-Identifier: Apache-2.0
#include "conference/door/context_thread.h"

#include <pthread.h>

#include <future>
#include <utility>

namespace tactus::conference {
namespace {

/// A source that is dispatched once for each time its ready time is set.
GSource* makeSource(GSourceFunc action, gpointer data) {
  static GSourceFuncs functions = {nullptr,
                                   nullptr,
                                   [](GSource* source, GSourceFunc callback, gpointer argument) -> gboolean {
                                     g_source_set_ready_time(source, -1);
                                     return callback(argument);
                                   },
                                   nullptr,
                                   nullptr,
                                   nullptr};
  GSource* source = g_source_new(&functions, sizeof(GSource));
  g_source_set_callback(source, action, data, nullptr);
  return source;
}

}  // namespace

ContextThread::ContextThread(const std::string& name)
    : m_context(g_main_context_new()),
      m_loop(g_main_loop_new(m_context, FALSE)),
      m_source(makeSource(onPosted, this)) {
  g_source_attach(m_source, m_context);
  m_thread = std::thread([this] {
    g_main_context_push_thread_default(m_context);
    g_main_loop_run(m_loop);
    while (g_main_context_iteration(m_context, FALSE) != 0) continue;  // what was cancelled last
    g_main_context_pop_thread_default(m_context);
  });
  (void)pthread_setname_np(m_thread.native_handle(), name.c_str());
}

ContextThread::~ContextThread() {
  post([this] { g_main_loop_quit(m_loop); });
  m_thread.join();
  g_source_destroy(m_source);
  g_source_unref(m_source);
  g_main_loop_unref(m_loop);
  g_main_context_unref(m_context);
}

void ContextThread::post(std::function<void()> action) {
  {
    const std::lock_guard lock(m_mutex);
    m_posted.push_back(std::move(action));
  }
  g_source_set_ready_time(m_source, 0);
}

gboolean ContextThread::onPosted(gpointer data) {
  auto* self = static_cast<ContextThread*>(data);
  std::deque<std::function<void()>> posted;
  {
    const std::lock_guard lock(self->m_mutex);
    posted.swap(self->m_posted);
  }
  for (const auto& action : posted) action();
  return G_SOURCE_CONTINUE;
}

void ContextThread::run(const std::function<void()>& action) {
  std::promise<void> done;
  post([&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace tactus::conference
