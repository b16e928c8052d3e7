// SPDX-License-Identifier: Apache-2.0
#include "conference/room/client_message.h"

#include <gtest/gtest.h>

#include <string>

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;

/// The sentence of what is wrong with a message; "" where nothing is.
std::string faultOf(std::string_view json) {
  const auto message = parseClientMessage(json);
  return message ? "" : message.error().message;
}
ErrorCode codeOf(std::string_view json) {
  const auto message = parseClientMessage(json);
  EXPECT_FALSE(message.ok()) << json;
  return message ? ErrorCode::System : message.error().code;
}
template <typename Type>
Type parsed(std::string_view json) {
  const auto message = parseClientMessage(json);
  EXPECT_TRUE(message.ok()) << json << ": " << faultOf(json);
  EXPECT_TRUE(message.ok() && std::holds_alternative<Type>(message.value())) << json;
  return message ? std::get<Type>(message.value()) : Type{};
}

TEST(ClientMessage, AJoinHasAName) {
  EXPECT_EQ(parsed<client::Join>(R"({"type":"join","name":" Ann ","client":"browser"})"),
            (client::Join{"Ann", ClientKind::Browser, {}}));
  EXPECT_EQ(faultOf(R"({"type":"join"})"),
            R"(The message's field "name" must be a text of at most 128 bytes.)");
  EXPECT_EQ(faultOf(R"({"type":"join","name":7})"),
            R"(The message's field "name" must be a text of at most 128 bytes.)");
}

TEST(ClientMessage, ANameOf128BytesIsTheLongest) {
  const auto join = [](std::size_t size) {
    return R"({"type":"join","name":")" + std::string(size, 'x') + R"("})";
  };
  EXPECT_EQ(parsed<client::Join>(join(128)).name.size(), 128U);
  EXPECT_EQ(codeOf(join(129)), ErrorCode::InvalidArgument);
}

TEST(ClientMessage, ASessionIsResumedByItsKey) {
  const auto join = parsed<client::Join>(R"({"type":"join","name":"Ann","resume":"0123456789abcdefABCDEF"})");
  ASSERT_TRUE(join.resume);
  EXPECT_EQ(join.resume->secret(), "0123456789abcdefABCDEF");
  EXPECT_EQ(faultOf(R"({"type":"join","name":"Ann","resume":"short"})"),
            R"(The message's field "resume" must be a session's key.)");
}

TEST(ClientMessage, ATrackHasSizeAndRate) {
  const auto publish =
      parsed<client::Publish>(R"({"type":"publish","cid":"c1","kind":"video","source":"camera",)"
                              R"("width":1280,"height":720,"rate":29.97})");
  EXPECT_EQ(publish.description,
            (TrackDescription{TrackSource::Camera, 1280, 720, periodic::Rate::perSecond(2997, 100)}));
  EXPECT_FALSE(publish.muted);
}

TEST(ClientMessage, ATrackOfPicturesMayComeInTwoSizes) {
  const auto publish = [](const std::string& fields) {
    return R"({"type":"publish","cid":"c1","kind":"video","source":"camera")" + fields + "}";
  };
  EXPECT_EQ(parsed<client::Publish>(publish("")).description.sizes, 1U);
  EXPECT_EQ(parsed<client::Publish>(publish(R"(,"sizes":2)")).description.sizes, 2U);
  for (const char* sizes : {"0", "3", "1.5", "\"2\""})
    EXPECT_EQ(codeOf(publish(R"(,"sizes":)" + std::string(sizes))), ErrorCode::InvalidArgument) << sizes;
  EXPECT_EQ(codeOf(R"({"type":"publish","cid":"c1","kind":"audio","source":"microphone","sizes":2})"),
            ErrorCode::InvalidArgument);
}

TEST(ClientMessage, ATracksKindIsThatOfItsSource) {
  EXPECT_EQ(faultOf(R"({"type":"publish","cid":"c1","kind":"audio","source":"camera"})"),
            R"(The message's field "kind" must be the kind of its "source".)");
  EXPECT_EQ(faultOf(R"({"type":"publish","cid":"c1","kind":"audio","source":"microphone","width":3})"),
            R"(The message's field "kind" must be "video" where there is a size or a rate.)");
}

TEST(ClientMessage, NumbersHaveRanges) {
  const auto setting = [](const std::string& fields) {
    return R"({"type":"track_setting","sid":"TR_a",)" + fields + "}";
  };
  EXPECT_EQ(parsed<client::SetTrack>(setting(R"("width":16384)")).setting.width, 16384U);
  EXPECT_EQ(faultOf(setting(R"("width":16385)")),
            R"(The message's field "width" must be a whole number from 0 to 16384.)");
  EXPECT_EQ(codeOf(setting(R"("width":-1)")), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(setting(R"("width":640.5)")), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(setting(R"("width":"640")")), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(setting(R"("rate":1000.1)")), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(setting(R"("rate":1e999)")), ErrorCode::Corrupt);
  EXPECT_EQ(codeOf(R"({"type":"level","level":1.01})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"ping","t":9007199254740992})"), ErrorCode::InvalidArgument);
}

TEST(ClientMessage, ASettingsFieldsHaveDefaults) {
  EXPECT_EQ(parsed<client::SetTrack>(R"({"type":"track_setting","sid":"TR_a"})").setting, TrackSetting{});
  EXPECT_EQ(
      parsed<client::SetTrack>(R"({"type":"track_setting","sid":"TR_a","priority":"low","rate":0})").setting,
      (TrackSetting{true, 0, 0, {}, TrackPriority::Low}));
}

TEST(ClientMessage, ASenderSaysWhatLimitsIt) {
  const auto sending = [](const std::string& fields) {
    return R"({"type":"track_sending","sid":"TR_a",)" + fields + "}";
  };
  EXPECT_EQ(parsed<client::Sending>(sending(R"("pictures":"whole","limit":"none")")).sending,
            TrackDelivery{});
  EXPECT_EQ(parsed<client::Sending>(
                sending(R"("pictures":"smaller","limit":"sender_line","carried":600,"lost":0.25)"))
                .sending,
            (TrackDelivery{DeliveredPictures::Smaller, DeliveryLimit::SenderLine, 600, 0.25}));
  EXPECT_EQ(parsed<client::Sending>(
                sending(R"("pictures":"fewer","limit":"sender_computer","carried":null,"lost":null)"))
                .sending,
            (TrackDelivery{DeliveredPictures::Fewer, DeliveryLimit::SenderComputer, {}, 0}));
  EXPECT_EQ(faultOf(sending(R"("pictures":"none","limit":"receiver_line")")),
            R"(The message's field "limit" must be "none", "sender_line" or "sender_computer".)");
  EXPECT_EQ(codeOf(sending(R"("pictures":"none","limit":"sender_program")")), ErrorCode::InvalidArgument);
}

TEST(ClientMessage, JustWhatIsWholeHasNoLimit) {
  const auto sending = [](const std::string& fields) {
    return R"({"type":"track_sending","sid":"TR_a",)" + fields + "}";
  };
  EXPECT_EQ(faultOf(sending(R"("pictures":"whole","limit":"sender_line")")),
            R"(The message's field "limit" must be "none" if "pictures" is "whole", and only then.)");
  EXPECT_EQ(codeOf(sending(R"("pictures":"fewer","limit":"none")")), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(sending(R"("pictures":"whole")")), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(sending(R"("limit":"none")")), ErrorCode::InvalidArgument);
}

TEST(ClientMessage, NobodySaysThatItIsLost) {
  EXPECT_EQ(faultOf(R"({"type":"quality","quality":"lost"})"),
            R"(The message's field "quality" must be one of "excellent", "good", "poor".)");
}

TEST(ClientMessage, ChatIsTextOf1To4096Bytes) {
  const auto chat = [](const std::string& text) { return R"({"type":"chat","text":")" + text + R"("})"; };
  EXPECT_EQ(parsed<client::Chat>(chat("a\\nb\\u0007")).text, "a\nb");
  EXPECT_EQ(parsed<client::Chat>(chat(std::string(4096, 'x'))).text.size(), 4096U);
  EXPECT_EQ(codeOf(chat(std::string(4097, 'x'))), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(chat("\\u0007")), ErrorCode::InvalidArgument);
}

TEST(ClientMessage, AnInvitationLastsAYearAtMost) {
  EXPECT_EQ(parsed<client::Invite>(R"({"type":"invite","role":"guest","expires_in":60})"),
            (client::Invite{Role::Guest, 60s}));
  EXPECT_EQ(codeOf(R"({"type":"invite","role":"guest","expires_in":0})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"invite","role":"guest","expires_in":31536001})"), ErrorCode::InvalidArgument);
}

TEST(ClientMessage, FieldsOfLaterVersionsArePassedOver) {
  EXPECT_EQ(parsed<client::Hand>(R"({"type":"hand","raised":true,"colour":{"r":[1]}})").raised, true);
}

TEST(ClientMessage, ATypeOfALaterVersionIsToldApart) {
  EXPECT_EQ(codeOf(R"({"type":"dance"})"), ErrorCode::Unsupported);
  EXPECT_EQ(faultOf(R"({"type":"dance"})"), "The message's type is not known.");
}

TEST(ClientMessage, WhatIsNoObjectWithATypeIsCorrupt) {
  for (const char* const json :
       {"", "join", "[]", "null", "7", R"("join")", "{}", R"({"type":7})", R"({"type":"hand","raised":true)",
        R"({"type":"hand","raised":true} x)", "{\"type\":\"chat\",\"text\":\"\xC3\"}",
        R"({"type":"chat","text":"\ud800"})"})
    EXPECT_EQ(codeOf(json), ErrorCode::Corrupt) << json;
}

TEST(ClientMessage, AMessageHas64KiBAtMost) {
  const std::string head = R"({"type":"leave","x":")";
  const auto sized = [&](std::size_t size) {
    return head + std::string(size - head.size() - 2, 'x') + "\"}";
  };
  EXPECT_TRUE(parseClientMessage(sized(65'536)).ok());
  EXPECT_EQ(faultOf(sized(65'537)), "The message has 65537 bytes; at most 65536 are allowed.");
}

TEST(ClientMessage, NestingEndsAt16) {
  const auto nested = [](std::size_t depth) {
    return R"({"type":"leave","x":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_TRUE(parseClientMessage(nested(16)).ok());
  EXPECT_EQ(faultOf(nested(17)), "The message nests more than 16 objects and arrays.");
  EXPECT_EQ(codeOf(std::string(60'000, '[')), ErrorCode::Corrupt);
  EXPECT_TRUE(parseClientMessage(R"({"type":"leave","x":"[[[[[[[[[[[[[[[[[[[[\"[["})").ok());
}

TEST(ClientMessage, SentencesQuoteNothingOfTheMessage) {
  EXPECT_EQ(faultOf(R"({"type":"mute","sid":"SECRET","muted":true})"),
            R"(The message's field "sid" must be an identifier that begins with "TR_".)");
}

}  // namespace
}  // namespace tactus::conference
