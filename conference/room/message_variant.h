// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to client_message.cpp and server_message.cpp: a variant of structs with a kType each.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "conference/room/json_fields.h"

namespace tactus::conference {

template <typename Message>
[[nodiscard]] std::string_view typeOfVariant(const Message& message) noexcept {
  return std::visit([](const auto& each) { return std::remove_cvref_t<decltype(each)>::kType; }, message);
}

/// The alternative whose kType is the object's "type", read by `read(fields, alternative)`.
template <typename Message, typename Read>
[[nodiscard]] Result<Message> readVariant(const nlohmann::json& object, Read read) {
  const auto& type = object.at("type").get_ref<const std::string&>();
  std::optional<Error> fault;
  std::optional<Message> message;
  const auto tryOne = [&]<std::size_t index>(std::integral_constant<std::size_t, index>) {
    using Alternative = std::variant_alternative_t<index, Message>;
    if (type != Alternative::kType) return;
    JsonFields fields(object, fault);
    Alternative alternative;
    read(fields, alternative);
    message = std::move(alternative);
  };
  [&]<std::size_t... index>(std::index_sequence<index...>) {
    (tryOne(std::integral_constant<std::size_t, index>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Message>>{});
  if (fault) return *fault;
  if (!message) return Error{ErrorCode::Unsupported, "The message's type is not known."};
  return std::move(*message);
}

template <typename Message, typename Write>
[[nodiscard]] std::string writeVariant(const Message& message, Write write) {
  nlohmann::json object = nlohmann::json::object();
  object["type"] = typeOfVariant(message);
  std::visit([&](const auto& each) { write(object, each); }, message);
  return lineOf(object);
}

}  // namespace tactus::conference
