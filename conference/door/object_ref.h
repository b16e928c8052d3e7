// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <glib-object.h>

#include <utility>

namespace tactus::conference {

/// Owns one reference of a GObject. Thread-safe: as the object is.
template <typename T>
class ObjectRef {
 public:
  ObjectRef() = default;
  /// Takes over the caller's reference.
  [[nodiscard]] static ObjectRef take(T* object) noexcept { return ObjectRef(object); }
  /// Adds a reference of its own.
  [[nodiscard]] static ObjectRef share(T* object) noexcept {
    return ObjectRef(object == nullptr ? nullptr : static_cast<T*>(g_object_ref(object)));
  }
  ~ObjectRef() {
    if (m_object != nullptr) g_object_unref(m_object);
  }
  ObjectRef(ObjectRef&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
  ObjectRef& operator=(ObjectRef&& other) noexcept {
    ObjectRef taken(std::move(other));
    std::swap(m_object, taken.m_object);
    return *this;
  }

  [[nodiscard]] T* get() const noexcept { return m_object; }
  explicit operator bool() const noexcept { return m_object != nullptr; }

 private:
  explicit ObjectRef(T* object) noexcept : m_object(object) {}

  T* m_object = nullptr;
};

}  // namespace tactus::conference
