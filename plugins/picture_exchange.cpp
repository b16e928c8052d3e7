// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_exchange.h"

#include <array>
#include <atomic>

#include "plugins/aligned_memory.h"
#include "plugins/event_descriptor.h"

namespace tactus::plugins {
namespace {

constexpr std::uint32_t kSlots = 4;
constexpr std::uint32_t kNone = kSlots;

/// The slots in the reader's hands, as one word: the one it took last, and the one before, which stays a
/// texture until the next frame is drawn.
struct Held {
  std::uint32_t latest = kNone;
  std::uint32_t before = kNone;
  static Held of(std::uint32_t word) noexcept { return {word & 0xff, word >> 8 & 0xff}; }
  [[nodiscard]] std::uint32_t word() const noexcept { return latest | before << 8; }
  [[nodiscard]] bool has(std::uint32_t slot) const noexcept { return slot == latest || slot == before; }
};

}  // namespace

struct PictureExchange::Slots {
  // Written by the writer only, and only while the slot is free; read by the reader only while it holds the
  // slot.
  struct Slot {
    PictureMemory memory;
    Rgb32View view;
    periodic::TimePoint due;
    PictureMemory fresh;  // of the new size, for when the slot gets free
    bool outgrown = false;
    bool shown = false;  // without the reader
  };
  std::array<Slot, kSlots> slots;
  // Index of the picture that waits, kNone if none. The writer puts one in, the reader takes it out.
  std::atomic<std::uint32_t> waiting{kNone};
  std::atomic<std::uint32_t> held{Held{}.word()};  // written by the reader
  std::uint32_t filling = kNone;                   // writer only
  int width = 0, height = 0;                       // writer only
  std::atomic<std::uint64_t> taken{0};
  EventDescriptor event;

  [[nodiscard]] std::array<bool, kSlots> occupied() const noexcept;
  void renew(Slot& slot) noexcept;
};

/// Writer only. A slot reported free stays so until the writer publishes it; one reported occupied may be
/// free by now. At most three are occupied: one waits, two are held.
std::array<bool, kSlots> PictureExchange::Slots::occupied() const noexcept {
  // acquire: if take() has emptied the mailbox, the next load sees that the slot was listed as held before
  // that. A slot that is neither here nor in that list cannot get there but through publish().
  const std::uint32_t mail = waiting.load(std::memory_order_acquire);
  // acquire: what the reader did with a slot is over once it is no longer listed.
  const Held listed = Held::of(held.load(std::memory_order_acquire));
  std::array<bool, kSlots> result{};
  for (std::uint32_t i = 0; i < kSlots; ++i) result[i] = i == mail || listed.has(i);
  return result;
}

/// The slot is free: gives it the memory of the new size. The old one is kept for the next resize() to free.
void PictureExchange::Slots::renew(Slot& slot) noexcept {
  if (!slot.outgrown) return;
  slot.memory.swap(slot.fresh);
  slot.view = {slot.memory.data(), width, height, static_cast<int>(alignedRow(width))};
  slot.outgrown = false;
}

PictureExchange::PictureExchange() : m_slots(std::make_unique<Slots>()) {}
PictureExchange::~PictureExchange() = default;

void PictureExchange::resize(int width, int height) {
  auto& state = *m_slots;
  if (width == state.width && height == state.height) return;
  state.width = width;
  state.height = height;
  state.filling = kNone;
  const auto occupied = state.occupied();
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    auto& slot = state.slots[i];
    slot.fresh = {};
    if (!occupied[i]) slot.memory = {};  // before the new one is allocated
    if (width > 0 && height > 0) slot.fresh = PictureMemory(alignedRow(width), height);
    slot.outgrown = true;
    if (!occupied[i]) state.renew(slot);
  }
}

Rgb32View PictureExchange::begin() noexcept {
  auto& state = *m_slots;
  if (state.width <= 0 || state.height <= 0) return {};
  const auto occupied = state.occupied();
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    if (occupied[i]) continue;
    state.renew(state.slots[i]);
    if (state.slots[i].view.data == nullptr) return {};
    state.filling = i;
    return state.slots[i].view;
  }
  return {};  // not reached: at most three are occupied
}

const PictureMemory* PictureExchange::filling() const noexcept {
  return m_slots->filling == kNone ? nullptr : &m_slots->slots[m_slots->filling].memory;
}

bool PictureExchange::publish(periodic::TimePoint due, Wake wake) noexcept {
  auto& state = *m_slots;
  if (state.filling == kNone) return false;
  state.slots[state.filling].due = due;
  state.slots[state.filling].shown = wake == Wake::Nobody;
  // release: the pixels are written before the index is seen. No acquire: the reader never touched the
  // replaced slot.
  const std::uint32_t replaced = state.waiting.exchange(state.filling, std::memory_order_release);
  state.filling = kNone;
  if (wake == Wake::Reader) state.event.signal();
  return replaced != kNone;
}

bool PictureExchange::take(Taken& into) noexcept {
  auto& state = *m_slots;
  // Before the mailbox is looked into: a picture published later signals again.
  state.event.clear();
  // relaxed: written by this thread alone.
  const Held before = Held::of(state.held.load(std::memory_order_relaxed));
  // relaxed: only a guess, which the compare-exchange checks.
  std::uint32_t index = state.waiting.load(std::memory_order_relaxed);
  if (index == kNone) return false;
  do {
    // Listed as held before it is taken, so that the writer never finds it in neither place. From here on the
    // older of the two pictures is given up: the loop ends with a picture, as nobody else empties the
    // mailbox. release: what was done with the older one is over.
    state.held.store(Held{index, before.latest}.word(), std::memory_order_release);
    // acquire: the pixels that publish() released are seen; release: whoever sees the mailbox empty sees the
    // listing. On failure a newer picture came in between, and `index` is its slot now.
  } while (!state.waiting.compare_exchange_weak(index, kNone, std::memory_order_acq_rel,
                                                std::memory_order_relaxed));
  into = {state.slots[index].view, state.slots[index].due};
  // relaxed: a statistic with one writer.
  if (!state.slots[index].shown)
    state.taken.store(state.taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

void PictureExchange::releaseOlder() noexcept {
  auto& state = *m_slots;
  // relaxed: written by this thread alone.
  const Held held = Held::of(state.held.load(std::memory_order_relaxed));
  // release: what was done with the older one is over.
  state.held.store(Held{held.latest, kNone}.word(), std::memory_order_release);
}

bool PictureExchange::waiting() const noexcept {
  return m_slots->waiting.load(std::memory_order_relaxed) != kNone;
}

int PictureExchange::descriptor() const noexcept {
  return m_slots->event.get();
}

std::uint64_t PictureExchange::taken() const noexcept {
  return m_slots->taken.load(std::memory_order_relaxed);
}

}  // namespace tactus::plugins
