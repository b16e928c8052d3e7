// SPDX-License-Identifier: Apache-2.0
#include "conference/room/json_fields.h"

#include <algorithm>
#include <cmath>

#include "conference/room/client_message.h"
#include "conference/room/plain_text.h"

namespace tactus::conference {
namespace {

using nlohmann::json;

/// How deep objects and arrays are nested in `text`, whether or not it is JSON.
std::size_t depthOf(std::string_view text) noexcept {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inString && c == '\\') {
      ++i;
    } else if (c == '"') {
      inString = !inString;
    } else if (!inString && (c == '{' || c == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!inString && (c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

Error corrupt(std::string sentence) {
  return {ErrorCode::Corrupt, std::move(sentence)};
}

}  // namespace

Result<json> parseObject(std::string_view text, std::size_t longest, std::size_t deepest) {
  if (text.size() > longest)
    return corrupt("The message has " + std::to_string(text.size()) + " bytes; at most " +
                   std::to_string(longest) + " are allowed.");
  if (depthOf(text) > deepest)
    return corrupt("The message nests more than " + std::to_string(deepest) + " objects and arrays.");
  json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) return corrupt("The message is not JSON.");
  if (!object.is_object()) return corrupt("The message is not a JSON object.");
  const auto type = object.find("type");
  if (type == object.end() || !type->is_string())
    return corrupt("The message has no field \"type\" with a text.");
  return object;
}

std::string lineOf(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

const json& JsonFields::find(const char* key) const {
  static const json kNothing;
  if (!m_object.is_object()) return kNothing;
  const auto found = m_object.find(key);
  return found == m_object.end() ? kNothing : *found;
}

void JsonFields::fault(const char* key, const std::string& what) {
  if (m_fault) return;
  m_fault = Error{ErrorCode::InvalidArgument,
                  "The message's field \"" + std::string(key) + "\" must be " + what + "."};
}

std::string JsonFields::listOf(const std::vector<std::string_view>& names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  return list;
}

std::string JsonFields::text(const char* key, std::size_t longest) {
  const json& value = find(key);
  if (value.is_string() && value.get_ref<const std::string&>().size() <= longest)
    return value.get<std::string>();
  fault(key, "a text of at most " + std::to_string(longest) + " bytes");
  return {};
}

std::string JsonFields::name(const char* key) {
  return plainName(text(key, kLongestName));
}

std::string JsonFields::chatText(const char* key) {
  std::string plain = plainText(text(key, kLongestChatText));
  if (plain.empty()) fault(key, "a text of 1 to " + std::to_string(kLongestChatText) + " bytes");
  return plain;
}

std::string JsonFields::cid(const char* key) {
  constexpr std::size_t kLongest = client::Publish::kLongestCid;
  std::string cid = text(key, kLongest);
  const bool printable = std::all_of(cid.begin(), cid.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (cid.empty() || !printable) fault(key, "1 to " + std::to_string(kLongest) + " characters of ASCII");
  return cid;
}

bool JsonFields::flag(const char* key) {
  const json& value = find(key);
  if (value.is_boolean()) return value.get<bool>();
  fault(key, "true or false");
  return false;
}

std::uint64_t JsonFields::integer(const char* key, std::uint64_t least, std::uint64_t largest) {
  const json& value = find(key);
  if (value.is_number_unsigned()) {
    const auto given = value.get<std::uint64_t>();
    if (given >= least && given <= largest) return given;
  }
  fault(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(largest));
  return least;
}

std::uint32_t JsonFields::size(const char* key) {
  return has(key) ? static_cast<std::uint32_t>(integer(key, 0, kLargestSize)) : 0;
}

double JsonFields::share(const char* key) {
  const json& value = find(key);
  if (value.is_number()) {
    const auto given = value.get<double>();
    if (given >= 0 && given <= 1) return given;
  }
  fault(key, "a number from 0 to 1");
  return 0;
}

std::optional<periodic::Rate> JsonFields::rate(const char* key) {
  if (!has(key)) return std::nullopt;
  const json& value = find(key);
  const double given = value.is_number() ? value.get<double>() : -1;
  if (given < 0 || given > kHighestPictureRate) {
    fault(key, "a number from 0 to " + std::to_string(kHighestPictureRate));
    return std::nullopt;
  }
  const auto rate = periodic::Rate::create(std::llround(given * 1000), 1000);
  return rate ? std::optional(rate.value()) : std::nullopt;
}

SessionKey JsonFields::session(const char* key) {
  const auto session = SessionKey::parse(text(key, SessionKey::kLongest));
  if (!session) fault(key, "a session's key");
  return session.value_or(SessionKey());
}

}  // namespace tactus::conference
