// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/early_promotion.h"

#include <sched.h>

namespace tactus::periodic {

void EarlyPromotion::arrange(TimePoint at) TACTUS_REALTIME {
  // release: what the packet is about is written before the dispatcher acts on it.
  m_at.store(at.time_since_epoch().count() | kLowering, std::memory_order_release);
}

void EarlyPromotion::lowered() TACTUS_REALTIME {
  std::int64_t at = m_at.load(std::memory_order_relaxed);  // relaxed: the exchange below decides
  if (at <= 0 || (at & kLowering) == 0) return;
  (void)m_at.compare_exchange_strong(at, at & ~kLowering, std::memory_order_acq_rel);
}

bool EarlyPromotion::end() TACTUS_REALTIME {
  // acquire: the dispatcher's system call is over before ours begins.
  std::int64_t at = m_at.load(std::memory_order_acquire);
  while (at == kUnderWay || !m_at.compare_exchange_weak(at, kNothing, std::memory_order_acq_rel)) {
    if (at != kUnderWay) continue;
    sched_yield();
    at = m_at.load(std::memory_order_acquire);
  }
  return at > 0;
}

EarlyPromotion::Look EarlyPromotion::look(TimePoint now) TACTUS_REALTIME {
  std::int64_t at = m_at.load(std::memory_order_acquire);
  if (at <= 0) return {Due::Nothing, {}};
  if (at > now.time_since_epoch().count()) return {Due::Later, TimePoint(Duration(at))};
  if ((at & kLowering) != 0) return {Due::Again, {}};
  if (!m_at.compare_exchange_strong(at, kUnderWay, std::memory_order_acq_rel)) return {Due::Nothing, {}};
  return {Due::Once, {}};
}

void EarlyPromotion::promoted() TACTUS_REALTIME {
  // release: pairs with the acquire in end().
  m_at.store(kNothing, std::memory_order_release);
}

void EarlyPromotion::cancel() TACTUS_REALTIME {
  m_at.exchange(kNothing, std::memory_order_acq_rel);
}

bool EarlyPromotion::pending() const TACTUS_REALTIME {
  return m_at.load(std::memory_order_relaxed) != kNothing;  // relaxed: a hint, nothing is read through it
}

}  // namespace tactus::periodic
