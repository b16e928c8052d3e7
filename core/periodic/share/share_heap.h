// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Where an element is in its heap; the heap writes it, an element is in one heap at most.
class ShareHeapPlace {
 public:
  [[nodiscard]] bool isInHeap() const noexcept { return m_index != kNone; }

 private:
  template <typename Element, typename Before>
  friend class ShareHeap;
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t m_index = kNone;
};

/// A binary heap of elements it does not own. Each element has a member `ShareHeapPlace place`, so that any
/// of them moves or leaves in O(log n). `Before` is a strict order. Thread-safe: no.
template <typename Element, typename Before>
class ShareHeap {
 public:
  explicit ShareHeap(Before before) noexcept : m_before(before) {}

  /// Room for `count` elements; add() needs it. Real-time-safe: no (allocates).
  void reserve(std::size_t count) { m_elements.reserve(count); }

  [[nodiscard]] bool isEmpty() const noexcept { return m_elements.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return m_elements.size(); }
  /// The least element; the heap is not empty. O(1). Real-time-safe: yes.
  [[nodiscard]] Element& first() const noexcept {
    assert(!isEmpty());
    return *m_elements.front();
  }

  /// `element` is in no heap, and there is room. Real-time-safe: yes.
  void add(Element& element) TACTUS_REALTIME {
    assert(!element.place.isInHeap() && m_elements.size() < m_elements.capacity());
    element.place.m_index = m_elements.size();
    m_elements.push_back(&element);
    rise(element.place.m_index);
  }

  /// `element` is in this heap. Real-time-safe: yes.
  void remove(Element& element) TACTUS_REALTIME {
    assert(holds(element));
    const std::size_t hole = std::exchange(element.place.m_index, ShareHeapPlace::kNone);
    Element* last = m_elements.back();
    m_elements.pop_back();
    if (last == &element) return;
    put(hole, *last);
    update(*last);
  }

  /// `element` is in this heap, and its rank changed. Real-time-safe: yes.
  void update(Element& element) TACTUS_REALTIME {
    assert(holds(element));
    rise(element.place.m_index);
    sink(element.place.m_index);
  }

 private:
  [[nodiscard]] bool holds(const Element& element) const noexcept {
    return element.place.m_index < m_elements.size() && m_elements[element.place.m_index] == &element;
  }
  void put(std::size_t index, Element& element) noexcept {
    m_elements[index] = &element;
    element.place.m_index = index;
  }
  void exchange(std::size_t a, std::size_t b) noexcept {
    Element& other = *m_elements[a];
    put(a, *m_elements[b]);
    put(b, other);
  }
  void rise(std::size_t index) noexcept {
    for (; index > 0; index = (index - 1) / 2) {
      if (!m_before(*m_elements[index], *m_elements[(index - 1) / 2])) return;
      exchange(index, (index - 1) / 2);
    }
  }
  void sink(std::size_t index) noexcept {
    for (;;) {
      std::size_t least = index;
      for (std::size_t child = 2 * index + 1; child <= 2 * index + 2 && child < m_elements.size(); ++child)
        if (m_before(*m_elements[child], *m_elements[least])) least = child;
      if (least == index) return;
      exchange(index, least);
      index = least;
    }
  }

  Before m_before;
  std::vector<Element*> m_elements;
};

}  // namespace tactus::periodic
