// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace tactus::periodic {

/// A mutex whose holder inherits the priority of whoever waits for it; std::mutex does not. Meets Lockable,
/// so that std::lock_guard works. For tables that real-time threads touch seldom (never per packet).
class PriorityInheritanceMutex {
 public:
  PriorityInheritanceMutex() noexcept {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&m_mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  ~PriorityInheritanceMutex() { pthread_mutex_destroy(&m_mutex); }
  PriorityInheritanceMutex(const PriorityInheritanceMutex&) = delete;
  PriorityInheritanceMutex& operator=(const PriorityInheritanceMutex&) = delete;

  void lock() noexcept { pthread_mutex_lock(&m_mutex); }
  bool try_lock() noexcept { return pthread_mutex_trylock(&m_mutex) == 0; }
  void unlock() noexcept { pthread_mutex_unlock(&m_mutex); }

 private:
  pthread_mutex_t m_mutex;
};

}  // namespace tactus::periodic
