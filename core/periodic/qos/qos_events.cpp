// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/qos_events.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace tactus::periodic {
namespace {

constexpr std::size_t kMostWaiting = 256;

}  // namespace

QosEvents::~QosEvents() {
  for (auto& [id, subscriber] : m_subscribers) end(*subscriber);
}

std::uint64_t QosEvents::watch(std::string name, Watcher watcher) {
  auto subscriber = std::make_unique<Subscriber>();
  subscriber->name = std::move(name);
  subscriber->handler = [watcher = std::move(watcher)](const QosEvent& event) {
    watcher(event);
    return std::optional<QosAction>();
  };
  return add(std::move(subscriber));
}

std::uint64_t QosEvents::attach(std::string name, Handler handler, std::optional<std::uint64_t> stream) {
  auto subscriber = std::make_unique<Subscriber>();
  subscriber->name = std::move(name);
  subscriber->handler = std::move(handler);
  subscriber->acts = true;
  subscriber->stream = stream;
  return add(std::move(subscriber));
}

std::uint64_t QosEvents::add(std::unique_ptr<Subscriber> subscriber) {
  subscriber->thread = std::thread([this, raw = subscriber.get()] { run(*raw); });
  const std::lock_guard lock(m_mutex);
  const std::uint64_t id = m_next++;
  m_subscribers.emplace(id, std::move(subscriber));
  return id;
}

void QosEvents::unsubscribe(std::uint64_t subscription) {
  std::unique_ptr<Subscriber> gone;
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_subscribers.find(subscription);
    if (found == m_subscribers.end()) return;
    gone = std::move(found->second);
    m_subscribers.erase(found);
  }
  end(*gone);
}

void QosEvents::publish(const QosEvent& event) {
  const std::lock_guard lock(m_mutex);
  for (auto& [id, subscriber] : m_subscribers) {
    if (subscriber->stream && *subscriber->stream != event.stream) continue;
    bool full = false;
    {
      const std::lock_guard held(subscriber->mutex);
      if (subscriber->quit) continue;
      if (subscriber->waiting.size() >= kMostWaiting) {
        full = subscriber->dropped++ == 0;
      } else {
        subscriber->waiting.push_back(event);
      }
    }
    subscriber->wake.notify_one();
    if (full) complain("The handler '" + subscriber->name + "' is too slow and misses events.");
  }
}

/// One that gets no more events handles nothing: the default is back.
bool QosEvents::handled(std::uint64_t stream) const {
  const std::lock_guard lock(m_mutex);
  return std::any_of(m_subscribers.begin(), m_subscribers.end(), [&](const auto& each) {
    Subscriber& subscriber = *each.second;
    if (!subscriber.acts || (subscriber.stream && *subscriber.stream != stream)) return false;
    const std::lock_guard held(subscriber.mutex);
    return !subscriber.quit;
  });
}

Result<void> QosEvents::want(Wanted wanted) {
  if (auto valid = validate(wanted.action); !valid.ok()) return valid;
  const std::lock_guard lock(m_answersMutex);
  std::vector<Wanted>* waiting = &m_wanted;
  if (wanted.stream >= kFirstEntered) {
    const auto found = m_entered.find(wanted.stream);
    if (found == m_entered.end()) return {};
    waiting = &found->second;
  }
  if (waiting->size() >= kMostWaiting)
    return Error{ErrorCode::Unavailable, "More actions are wanted than can be carried out."};
  waiting->push_back(std::move(wanted));
  return {};
}

std::uint64_t QosEvents::enter() {
  const std::lock_guard lock(m_answersMutex);
  m_entered.try_emplace(m_nextEntered);
  return m_nextEntered++;
}

void QosEvents::leave(std::uint64_t stream) {
  const std::lock_guard lock(m_answersMutex);
  m_entered.erase(stream);
}

std::vector<QosEvents::Wanted> QosEvents::takeWanted(std::uint64_t stream) {
  const std::lock_guard lock(m_answersMutex);
  const auto found = m_entered.find(stream);
  return found == m_entered.end() ? std::vector<Wanted>() : std::exchange(found->second, {});
}

std::vector<QosEvents::Wanted> QosEvents::takeWanted() {
  const std::lock_guard lock(m_answersMutex);
  return std::exchange(m_wanted, {});
}

std::vector<std::string> QosEvents::complaints() {
  const std::lock_guard lock(m_answersMutex);
  return std::exchange(m_complaints, {});
}

void QosEvents::complain(std::string sentence) {
  const std::lock_guard lock(m_answersMutex);
  m_complaints.push_back(std::move(sentence));
}

void QosEvents::end(Subscriber& subscriber) {
  {
    const std::lock_guard lock(subscriber.mutex);
    subscriber.quit = true;
  }
  subscriber.wake.notify_one();
  subscriber.thread.join();
}

/// What went wrong, or nothing.
std::string QosEvents::call(Subscriber& subscriber, const QosEvent& event) {
  try {
    const auto action = subscriber.handler(event);
    if (!action) return {};
    if (const auto wanted = want({event.stream, subscriber.name, *action}); !wanted.ok())
      complain("The handler '" + subscriber.name + "' is not followed: " + wanted.error().message);
    return {};
  } catch (const std::exception& thrown) {
    const std::string what = thrown.what();
    return what.empty() ? "an exception" : what;
  } catch (...) {
    return "an exception";
  }
}

void QosEvents::run(Subscriber& subscriber) {
  std::unique_lock lock(subscriber.mutex);
  for (;;) {
    subscriber.wake.wait(lock, [&] { return subscriber.quit || !subscriber.waiting.empty(); });
    if (subscriber.waiting.empty()) return;  // what was published before the end is still told
    const QosEvent event = std::move(subscriber.waiting.front());
    subscriber.waiting.pop_front();
    lock.unlock();
    const std::string failure = call(subscriber, event);
    lock.lock();
    if (failure.empty()) continue;
    subscriber.quit = true;
    subscriber.waiting.clear();
    lock.unlock();
    complain("The handler '" + subscriber.name + "' failed (" + failure + ") and gets no more events.");
    return;
  }
}

}  // namespace tactus::periodic
