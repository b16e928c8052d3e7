// SPDX-License-Identifier: Apache-2.0
// Random messages, JSON, bytes, and changes of good messages: read as written, or refused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "conference/room/client_message.h"
#include "conference/room/plain_text.h"
#include "conference/room/random_messages.h"
#include "conference/room/server_message.h"

namespace tactus::conference {
namespace {

using testing::anyClientMessage;
using testing::anyServerMessage;

template <typename Message>
void readTwice(const std::string& json, Result<Message> (*parse)(std::string_view)) {
  const auto message = parse(json);
  if (!message) {
    const std::string& sentence = message.error().message;
    RC_ASSERT(sentence.ends_with('.') && sentence.size() < 200);
    return;
  }
  const std::string written = toJson(message.value());
  RC_LOG(json + " was written as " + written);
  const auto again = parse(written);
  RC_ASSERT(again.ok());
  RC_ASSERT(again.value() == message.value());
}

/// What parses is written and read as the same.
void readTwice(const std::string& json) {
  readTwice(json, &parseClientMessage);
  readTwice(json, &parseServerMessage);
}

std::string anyJson(int depth) {
  switch (*rc::gen::inRange(0, depth == 0 ? 4 : 6)) {
    case 0:
      return *rc::gen::element<std::string>("null", "true", "false", "0", "-1", "1.5", "1e308", "1e-9",
                                            "9007199254740993", "18446744073709551616");
    case 1:
      return *rc::gen::element<std::string>(R"("")", R"("PA_a")", R"("TR_a")", R"("host")", R"("video")",
                                            R"("camera")", R"("\u0000")", R"("0123456789abcdefABCDEF")");
    case 2:
    case 3:
      return std::to_string(*rc::gen::arbitrary<int>());
    case 4: {
      std::string array;
      const int count = *rc::gen::inRange(0, 4);
      for (int i = 0; i < count; ++i) array += (i > 0 ? "," : "") + anyJson(depth - 1);
      return "[" + array + "]";
    }
    default: {
      std::string object;
      const int count = *rc::gen::inRange(0, 5);
      for (int i = 0; i < count; ++i)
        object +=
            (i > 0 ? "," : "") + std::string("\"") +
            *rc::gen::element<std::string>("sid", "track", "name", "kind", "source", "muted", "room", "you",
                                           "participants", "level", "text", "cid", "width", "rate") +
            "\":" + anyJson(depth - 1);
      return "{" + object + "}";
    }
  }
}

RC_GTEST_PROP(RoomMessageProperty, AClientsMessageIsReadAsItWasWritten, ()) {
  const ClientMessage message = anyClientMessage();
  const std::string json = toJson(message);
  RC_ASSERT(json.size() <= kLongestClientMessage);
  RC_ASSERT(json.find('\n') == std::string::npos);
  RC_ASSERT(parseClientMessage(json).value() == message);
}

RC_GTEST_PROP(RoomMessageProperty, AServersMessageIsReadAsItWasWritten, ()) {
  const ServerMessage message = anyServerMessage();
  const std::string json = toJson(message);
  RC_ASSERT(json.find('\n') == std::string::npos);
  RC_ASSERT(parseServerMessage(json).value() == message);
}

RC_GTEST_PROP(RoomMessageProperty, RandomBytesAreNoMessage, (const std::string& bytes)) {
  RC_ASSERT(!parseClientMessage(bytes).ok());
  RC_ASSERT(!parseServerMessage(bytes).ok());
}

RC_GTEST_PROP(RoomMessageProperty, RandomJsonIsRefusedOrReadAlike, ()) {
  const std::string type(typeOf(anyServerMessage()));
  const std::string other(typeOf(anyClientMessage()));
  const std::string inner = anyJson(4);
  const std::string fields = inner.starts_with("{") && inner.size() > 2 ? "," + inner.substr(1) : "}";
  readTwice(R"({"type":")" + (*rc::gen::arbitrary<bool>() ? type : other) + "\"" + fields);
  readTwice(inner);
}

RC_GTEST_PROP(RoomMessageProperty, ChangedMessagesAreRefusedOrReadAlike, ()) {
  std::string json = *rc::gen::arbitrary<bool>() ? toJson(anyClientMessage()) : toJson(anyServerMessage());
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes && !json.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, json.size());
    const auto size = std::min<std::size_t>(*rc::gen::element<std::size_t>(1, 1, 2, 9), json.size() - at);
    const char c =
        *rc::gen::element('"', '{', '}', '[', ']', ',', ':', '\\', '0', '9', '-', 'e', '\0', '\n', '\xC3');
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        json[at] = c;
        break;
      case 1:
        json.insert(at, 1, c);
        break;
      case 2:
        json.erase(at, size);
        break;
      default:
        json.insert(at, json.substr(at, size));
        break;
    }
  }
  readTwice(json);
}

}  // namespace
}  // namespace tactus::conference
