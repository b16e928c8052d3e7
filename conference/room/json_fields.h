// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to client_message.cpp, server_message.cpp and message_facts.cpp: the fields of one JSON object.

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conference/room/room_facts.h"
#include "conference/room/session_key.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// The JSON object of a message. Corrupt: it is none within the limits. Thread-safe: yes.
[[nodiscard]] Result<nlohmann::json> parseObject(std::string_view json, std::size_t longest,
                                                 std::size_t deepest);
/// One line; bytes that are no UTF-8 become U+FFFD. Thread-safe: yes.
[[nodiscard]] std::string lineOf(const nlohmann::json& object);

/// Reads the fields of an object and of those in it; the first fault is kept, and what is read after it means
/// nothing. Sentences name the field and quote nothing of its value. Thread-safe: no.
class JsonFields {
 public:
  /// Borrows both. `object` may be of any type; what is no object has no fields.
  JsonFields(const nlohmann::json& object, std::optional<Error>& fault) : m_object(object), m_fault(fault) {}

  /// UTF-8 of at most `longest` bytes.
  [[nodiscard]] std::string text(const char* key, std::size_t longest);
  [[nodiscard]] std::string name(const char* key);
  [[nodiscard]] std::string chatText(const char* key);
  [[nodiscard]] std::string cid(const char* key);
  [[nodiscard]] bool flag(const char* key);
  /// Absent: `otherwise`.
  [[nodiscard]] bool flag(const char* key, bool otherwise) { return has(key) ? flag(key) : otherwise; }
  [[nodiscard]] std::uint64_t integer(const char* key, std::uint64_t least, std::uint64_t largest);
  /// Absent: `otherwise`.
  [[nodiscard]] std::uint64_t integer(const char* key, std::uint64_t least, std::uint64_t largest,
                                      std::uint64_t otherwise) {
    return has(key) ? integer(key, least, largest) : otherwise;
  }
  /// Pixels; absent: 0.
  [[nodiscard]] std::uint32_t size(const char* key);
  /// 0 ... 1.
  [[nodiscard]] double share(const char* key);
  /// A rate of pictures; absent or 0: none. Rounded to 1/1000 Hz.
  [[nodiscard]] std::optional<periodic::Rate> rate(const char* key);
  [[nodiscard]] SessionKey session(const char* key);
  template <typename Kind>
  [[nodiscard]] Sid<Kind> sid(const char* key) {
    const auto sid = Sid<Kind>::parse(text(key, Sid<Kind>::kLongest));
    if (!sid) fault(key, "an identifier that begins with \"" + std::string(Kind::kPrefix) + "\"");
    return sid.value_or(Sid<Kind>());
  }
  /// One of an enum's names, in its order.
  template <typename Value, std::size_t count>
  [[nodiscard]] Value among(const char* key, const std::array<std::string_view, count>& names) {
    const std::string given = text(key, kLongestWord);
    for (std::size_t i = 0; i < count; ++i)
      if (names[i] == given) return static_cast<Value>(i);
    fault(key, "one of " + listOf({names.begin(), names.end()}));
    return {};
  }
  /// An object, read by `read(JsonFields&)`.
  template <typename Read>
  [[nodiscard]] auto object(const char* key, Read read) {
    const nlohmann::json& inner = find(key);
    if (!inner.is_object()) fault(key, "an object");
    JsonFields fields(inner, m_fault);
    return read(fields);
  }
  /// An array of objects, each read by `read(JsonFields&)`.
  template <typename Read>
  [[nodiscard]] auto objects(const char* key, Read read) {
    std::vector<decltype(read(*this))> all;
    const nlohmann::json& inner = find(key);
    if (!inner.is_array()) fault(key, "an array of objects");
    for (const nlohmann::json& each : inner.is_array() ? inner : nlohmann::json::array()) {
      if (!each.is_object()) fault(key, "an array of objects");
      JsonFields fields(each, m_fault);
      if (m_fault) break;
      all.push_back(read(fields));
    }
    return all;
  }
  /// Whether the field is there; null is as good as absent.
  [[nodiscard]] bool has(const char* key) const { return !find(key).is_null(); }

  /// The field is not `what` ("a number").
  void fault(const char* key, const std::string& what);

 private:
  static constexpr std::size_t kLongestWord = 64;
  [[nodiscard]] static std::string listOf(const std::vector<std::string_view>& names);
  [[nodiscard]] const nlohmann::json& find(const char* key) const;

  const nlohmann::json& m_object;
  std::optional<Error>& m_fault;
};

}  // namespace tactus::conference
