// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_exchange.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

namespace tactus::plugins {
namespace {

constexpr std::size_t kSlots = 4;
constexpr std::uint32_t kNone = kSlots;
constexpr int kAlignment = 64;  // a cache line, and what swscale's widest stores want

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

}  // namespace

struct PictureExchange::Slots {
  struct Slot {
    // Shared by the slot and a reader that holds it across a resize(); touched by the writer only, except the
    // copy of the view, which the mailbox hands over.
    std::unique_ptr<std::uint8_t, Free> memory;
    Rgb32View view;
    periodic::TimePoint due;
    std::uint32_t generation = 0;
  };
  std::array<Slot, kSlots> slots;
  // Index of the picture that waits, kNone if none. The writer puts one in, the reader takes it out.
  std::atomic<std::uint32_t> waiting{kNone};
  // The slots in the reader's hands: the one it took last and the one before (still a texture until the next
  // frame is drawn), one byte each.
  std::atomic<std::uint32_t> held{kNone | kNone << 8};
  std::uint32_t filling = kNone;  // writer only
  int width = 0, height = 0;      // writer only
  std::uint32_t generation = 0;   // writer only
  std::atomic<std::uint64_t> taken{0};
  int event = -1;
};

PictureExchange::PictureExchange() : m_slots(new Slots) {
  m_slots->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

PictureExchange::~PictureExchange() {
  if (m_slots->event >= 0) close(m_slots->event);
  delete m_slots;
}

void PictureExchange::resize(int width, int height) {
  if (width == m_slots->width && height == m_slots->height) return;
  m_slots->width = width;
  m_slots->height = height;
  ++m_slots->generation;  // each slot gets its new memory when the writer next owns it
}

Rgb32View PictureExchange::begin() noexcept {
  auto& state = *m_slots;
  if (state.width <= 0 || state.height <= 0) return {};
  // acquire: what the reader did with a slot is over once it is no longer listed.
  const std::uint32_t held = state.held.load(std::memory_order_acquire);
  const std::uint32_t waiting = state.waiting.load(std::memory_order_seq_cst);
  // The reader moves `waiting` to `held` between our two loads only by taking it, and then lists it first: a
  // slot in neither is free for as long as the writer does not publish it.
  const std::uint32_t again = state.held.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    const auto holds = [i](std::uint32_t pair) { return (pair & 0xff) == i || (pair >> 8 & 0xff) == i; };
    if (i == waiting || holds(held) || holds(again)) continue;
    auto& slot = state.slots[i];
    if (slot.generation != state.generation) {
      const int stride = (state.width * 4 + kAlignment - 1) / kAlignment * kAlignment;
      // Some of swscale's loops write a few pixels past the last one.
      const auto size =
          static_cast<std::size_t>(stride) * static_cast<std::size_t>(state.height) + kAlignment * 4;
      slot.memory.reset(static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, size)));
      slot.view = {slot.memory.get(), state.width, state.height, stride};
      slot.generation = state.generation;
    }
    if (slot.view.data == nullptr) return {};
    state.filling = i;
    return slot.view;
  }
  return {};
}

bool PictureExchange::publish(periodic::TimePoint due) noexcept {
  auto& state = *m_slots;
  if (state.filling == kNone) return false;
  state.slots[state.filling].due = due;
  // release: the pixels are written before the index is seen; acquire: the replaced slot is ours again.
  const std::uint32_t replaced = state.waiting.exchange(state.filling, std::memory_order_acq_rel);
  state.filling = kNone;
  const std::uint64_t one = 1;
  (void)!write(state.event, &one, sizeof one);  // can only fail when 2^64 - 1 pictures wait
  return replaced != kNone;
}

bool PictureExchange::take(Taken& into) noexcept {
  auto& state = *m_slots;
  std::uint64_t count = 0;
  (void)!read(state.event, &count, sizeof count);
  std::uint32_t index = state.waiting.load(std::memory_order_relaxed);
  for (;;) {
    if (index == kNone) return false;
    // Listed as held before it is taken, so that the writer never finds it in neither place.
    const std::uint32_t previous = state.held.load(std::memory_order_relaxed) & 0xff;
    const std::uint32_t before = state.held.load(std::memory_order_relaxed);
    // seq_cst: the writer must see the listing if it sees the mailbox empty.
    state.held.store(index | previous << 8, std::memory_order_seq_cst);
    if (state.waiting.compare_exchange_strong(index, kNone, std::memory_order_seq_cst)) break;
    state.held.store(before, std::memory_order_seq_cst);
  }
  into = {state.slots[index].view, state.slots[index].due};
  state.taken.store(state.taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

int PictureExchange::descriptor() const noexcept {
  return m_slots->event;
}

std::uint64_t PictureExchange::taken() const noexcept {
  return m_slots->taken.load(std::memory_order_relaxed);
}

}  // namespace tactus::plugins
