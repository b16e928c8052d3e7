// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tactus::periodic {

/// Objects that are known by a handle: an enum class of 32 bits, 0 is none. A handle is a slot's index and
/// its generation, from 1; a slot whose generations are used up stays empty, so that no handle is given
/// twice. Thread-safe: no. Real-time-safe: at().
template <typename Object, typename Handle>
class HandleTable {
  static constexpr std::uint32_t kIndexBits = 20;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;
  static constexpr std::uint32_t kLastGeneration = (1u << (32 - kIndexBits)) - 1;

 public:
  /// How many objects there are at most.
  static constexpr std::size_t kCapacity = std::size_t{1} << kIndexBits;

  /// nullptr: it was removed, or never was.
  [[nodiscard]] Object* at(Handle handle) const noexcept {
    const auto value = static_cast<std::uint32_t>(handle);
    const std::uint32_t index = value & kIndexMask;
    if (index >= m_slots.size() || m_slots[index].generation != value >> kIndexBits) return nullptr;
    return m_slots[index].object.get();
  }

  /// The object that `make(handle)` returns as a std::unique_ptr, in its place; nullptr: the table is full.
  template <typename Make>
  Object* add(const Make& make) {
    if (m_free.empty()) {
      if (m_slots.size() == kCapacity) return nullptr;
      m_slots.emplace_back();
      m_free.push_back(static_cast<std::uint32_t>(m_slots.size() - 1));
    }
    const std::uint32_t index = m_free.back();
    Slot& slot = m_slots[index];
    slot.object = make(static_cast<Handle>(slot.generation << kIndexBits | index));
    m_free.pop_back();
    return slot.object.get();
  }

  /// The object of this handle is destroyed; there is one.
  void remove(Handle handle) {
    const std::uint32_t index = static_cast<std::uint32_t>(handle) & kIndexMask;
    Slot& slot = m_slots[index];
    slot.object.reset();
    if (slot.generation == kLastGeneration) return;
    ++slot.generation;
    m_free.push_back(index);
  }

  /// How many objects there have been at a time, at least.
  [[nodiscard]] std::size_t slots() const noexcept { return m_slots.size(); }

  /// `use(object)` for each, by slot.
  template <typename Use>
  void forEach(const Use& use) const {
    for (const Slot& slot : m_slots)
      if (slot.object) use(*slot.object);
  }

 private:
  struct Slot {
    std::unique_ptr<Object> object = {};
    std::uint32_t generation = 1;
  };
  std::vector<Slot> m_slots;
  std::vector<std::uint32_t> m_free;  // slots without an object whose handles are not used up
};

}  // namespace tactus::periodic
