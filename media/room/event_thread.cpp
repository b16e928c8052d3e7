// SPDX-License-Identifier: Apache-2.0
#include "media/room/event_thread.h"

#include <pthread.h>

#include <future>
#include <utility>

namespace tactus::media {
namespace {

using Work = std::function<void()>;

void freeWork(gpointer work) {
  delete static_cast<Work*>(work);
}

gboolean runOnce(gpointer work) {
  (*static_cast<Work*>(work))();
  return G_SOURCE_REMOVE;
}

gboolean runAgain(gpointer work) {
  (*static_cast<Work*>(work))();
  return G_SOURCE_CONTINUE;
}

}  // namespace

EventThread::EventThread(const char* name)
    : m_context(g_main_context_new()), m_loop(g_main_loop_new(m_context.get(), FALSE)) {
  m_thread = std::thread([this, name] {
    pthread_setname_np(pthread_self(), name);
    g_main_context_push_thread_default(m_context.get());
    g_main_loop_run(m_loop.get());
    g_main_context_pop_thread_default(m_context.get());
  });
}

EventThread::~EventThread() {
  post([this] { g_main_loop_quit(m_loop.get()); });
  m_thread.join();
}

void EventThread::call(const std::function<void()>& work) {
  if (std::this_thread::get_id() == m_thread.get_id()) return work();
  // Shared: the thread may still be inside set_value() when this returns.
  const auto done = std::make_shared<std::promise<void>>();
  post([&work, done] {
    work();
    done->set_value();
  });
  done->get_future().wait();
}

void EventThread::post(std::function<void()> work) {
  GSource* const source = g_idle_source_new();
  g_source_set_priority(source, G_PRIORITY_DEFAULT);
  g_source_set_callback(source, runOnce, new Work(std::move(work)), freeWork);
  g_source_attach(source, m_context.get());
  g_source_unref(source);
}

RepeatedEvent::RepeatedEvent(GMainContext* context, unsigned milliseconds, std::function<void()> work)
    : m_source(g_timeout_source_new(milliseconds)) {
  g_source_set_callback(m_source, runAgain, new Work(std::move(work)), freeWork);
  g_source_attach(m_source, context);
}

void RepeatedEvent::stop() noexcept {
  if (m_source == nullptr) return;
  GSource* const source = std::exchange(m_source, nullptr);
  g_source_destroy(source);
  g_source_unref(source);
}

}  // namespace tactus::media
