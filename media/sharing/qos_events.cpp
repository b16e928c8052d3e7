// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/qos_events.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace tactus::media {
namespace {

constexpr std::size_t kMostWaiting = 256;

}  // namespace

std::string_view nameOf(QosCause cause) noexcept {
  switch (cause) {
    case QosCause::None:
      return "none";
    case QosCause::Windows:
      return "windows";
    case QosCause::OtherPrograms:
      return "other programs";
    case QosCause::Source:
      return "source";
    case QosCause::Display:
      return "display";
  }
  return "none";
}

std::string_view nameOf(QosEvent::Kind kind) noexcept {
  switch (kind) {
    case QosEvent::Kind::Violation:
      return "violation";
    case QosEvent::Kind::Recovered:
      return "recovered";
    case QosEvent::Kind::Thinned:
      return "thinned";
    case QosEvent::Kind::KeyframesOnly:
      return "keyframes only";
    case QosEvent::Kind::Whole:
      return "whole";
    case QosEvent::Kind::Refused:
      return "refused";
    case QosEvent::Kind::Admitted:
      return "admitted";
  }
  return "violation";
}

QosEvents::~QosEvents() {
  for (auto& [id, subscriber] : m_subscribers) end(*subscriber);
}

std::uint64_t QosEvents::subscribe(std::string name, Handler handler, Role role) {
  auto subscriber = std::make_unique<Subscriber>();
  subscriber->name = std::move(name);
  subscriber->handler = std::move(handler);
  subscriber->role = role;
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

bool QosEvents::handled() const {
  const std::lock_guard lock(m_mutex);
  return std::any_of(m_subscribers.begin(), m_subscribers.end(),
                     [](const auto& each) { return each.second->role == Role::Acts; });
}

std::vector<std::string> QosEvents::complaints() {
  const std::lock_guard lock(m_complaintsMutex);
  return std::exchange(m_complaints, {});
}

void QosEvents::complain(std::string sentence) {
  const std::lock_guard lock(m_complaintsMutex);
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

void QosEvents::run(Subscriber& subscriber) {
  std::unique_lock lock(subscriber.mutex);
  for (;;) {
    subscriber.wake.wait(lock, [&] { return subscriber.quit || !subscriber.waiting.empty(); });
    if (subscriber.waiting.empty()) return;  // what was published before the end is still told
    const QosEvent event = std::move(subscriber.waiting.front());
    subscriber.waiting.pop_front();
    lock.unlock();
    std::string failure;
    try {
      subscriber.handler(event);
    } catch (const std::exception& thrown) {
      failure = thrown.what();
      if (failure.empty()) failure = "an exception";
    } catch (...) {
      failure = "an exception";
    }
    lock.lock();
    if (failure.empty()) continue;
    subscriber.quit = true;
    subscriber.waiting.clear();
    lock.unlock();
    complain("The handler '" + subscriber.name + "' failed (" + failure + ") and gets no more events.");
    return;
  }
}

}  // namespace tactus::media
