// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tactus {

/// What kind of thing went wrong; callers branch on this, users read `message`.
enum class ErrorCode {
  InvalidArgument,   ///< a value outside its documented range
  NotFound,          ///< file, device, node or track does not exist
  PermissionDenied,  ///< the kernel or a broker said no
  Unsupported,       ///< nothing here can do this (format, feature, kernel)
  Unavailable,       ///< a service is absent or went away; may come back
  Corrupt,           ///< bytes that cannot be what they claim
  Timeout,           ///< a peer or device did not answer in time
  Refused,           ///< admission said no
  System,            ///< a system call failed; the message has errno's text
};

/// A failure as a value: one sentence for a person, one code for the program.
struct Error {
  ErrorCode code = ErrorCode::System;
  std::string message;
};

/// Either a T or an E. Never throws; `value()` on an error is a programmer error.
template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : m_state(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return m_state.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] T& value() & { return *std::get_if<0>(&m_state); }
  [[nodiscard]] const T& value() const& { return *std::get_if<0>(&m_state); }
  [[nodiscard]] T&& value() && { return std::move(*std::get_if<0>(&m_state)); }
  [[nodiscard]] const E& error() const { return *std::get_if<1>(&m_state); }

 private:
  std::variant<T, E> m_state;
};

template <typename E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : m_error(std::move(error)), m_failed(true) {}

  [[nodiscard]] bool ok() const noexcept { return !m_failed; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] const E& error() const { return m_error; }

 private:
  E m_error;
  bool m_failed = false;
};

}  // namespace tactus
