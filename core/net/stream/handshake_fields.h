// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to handshake_message: the word and the fields of one line.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::net {

/// The name of an enum's value in a message.
template <typename Value>
struct WordOf {
  Value value;
  std::string_view word;
};

/// Reads the fields of a line; the first fault is kept, and what is read after it means nothing.
/// Thread-safe: no. Real-time-safe: no.
class FieldReader {
 public:
  explicit FieldReader(std::string_view line);

  [[nodiscard]] std::string_view word() const noexcept { return m_word; }
  /// The decoded value; nullptr: the line lacks the key, which is no fault.
  [[nodiscard]] const std::string* find(std::string_view key) const noexcept;
  /// As find(), but a missing key is a fault and reads as "".
  [[nodiscard]] const std::string& text(std::string_view key);
  /// Decimal digits without leading zeros, 0 ... `largest`.
  [[nodiscard]] std::uint64_t number(std::string_view key, std::uint64_t largest = UINT64_MAX);
  /// 0 or 1.
  [[nodiscard]] bool flag(std::string_view key) { return number(key, 1) == 1; }
  /// 16 hexadecimal digits, small letters.
  [[nodiscard]] std::uint64_t hex64(std::string_view key);
  template <typename Value, std::size_t count>
  [[nodiscard]] Value among(std::string_view key, const std::array<WordOf<Value>, count>& words) {
    const std::string& given = text(key);
    for (const auto& each : words)
      if (each.word == given) return each.value;
    malformed(key);
    return words[0].value;
  }
  /// `valueOf(name)`: the value of a name; absent: nothing has the name.
  template <typename Value>
  [[nodiscard]] Value named(std::string_view key, std::optional<Value> (*valueOf)(std::string_view)) {
    const auto value = valueOf(text(key));
    if (!value) malformed(key);
    return value.value_or(Value{});
  }

  /// The value of `key` is none that may stand there.
  void malformed(std::string_view key);
  /// Something else is wrong.
  void fail(Error error);
  [[nodiscard]] const std::optional<Error>& fault() const noexcept { return m_fault; }

  /// Digits as number() takes them. nullopt: none.
  [[nodiscard]] static std::optional<std::uint64_t> numberOf(std::string_view digits);

 private:
  struct Field {
    std::string_view key;
    std::string value;
  };
  void addField(std::string_view field);

  std::string_view m_word;
  std::vector<Field> m_fields;
  std::optional<Error> m_fault;
};

/// Writes a line.
class FieldWriter {
 public:
  explicit FieldWriter(std::string_view word) : m_line(word) {}
  void text(std::string_view key, std::string_view value);
  template <typename Number>
  void number(std::string_view key, Number value) {
    text(key, std::to_string(value));
  }
  void hex64(std::string_view key, std::uint64_t value);
  /// A value that has no word is written as "".
  template <typename Value, std::size_t count>
  void among(std::string_view key, Value value, const std::array<WordOf<Value>, count>& words) {
    std::string_view word;
    for (const auto& each : words)
      if (each.value == value) word = each.word;
    text(key, word);
  }
  [[nodiscard]] const std::string& line() const noexcept { return m_line; }

 private:
  std::string m_line;
};

}  // namespace tactus::net
