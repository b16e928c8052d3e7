// SPDX-License-Identifier: Apache-2.0
#include "conference/room/server_message.h"

#include <gtest/gtest.h>

#include <string>

namespace tactus::conference {
namespace {

ErrorCode codeOf(std::string_view json) {
  const auto message = parseServerMessage(json);
  EXPECT_FALSE(message.ok()) << json;
  return message ? ErrorCode::System : message.error().code;
}

ParticipantInfo largestParticipant(char letter) {
  ParticipantInfo participant;
  participant.sid = *ParticipantSid::parse("PA_" + std::string(61, letter));
  participant.name = std::string(kLongestName, '"');
  participant.quality = ConnectionQuality::Excellent;
  for (std::size_t i = 0; i < kMostTracks; ++i)
    participant.tracks.push_back(
        {*TrackSid::parse("TR_" + std::string(61, letter)),
         {TrackSource::Screen, kLargestSize, kLargestSize, periodic::Rate::perSecond(999'999, 1000)},
         false});
  return participant;
}

TEST(ServerMessage, JoinedOfTheLargestRoomIsShortEnough) {
  server::Joined joined;
  joined.session = *SessionKey::parse(std::string(64, 's'));
  joined.room.name = std::string(kLongestName, '"');
  joined.you = largestParticipant('y');
  for (std::size_t i = 1; i < kMostParticipants; ++i) joined.participants.push_back(largestParticipant('p'));
  // As many bytes as HostedRoom keeps.
  for (std::size_t i = 0; i < kMostChatLines; ++i)
    joined.chat.push_back({joined.you.sid, joined.you.name, std::string(kMostChatBytes / kMostChatLines, '"'),
                           WallTime(std::chrono::milliseconds(8'640'000'000'000'000))});
  const std::string json = toJson(joined);
  EXPECT_LT(json.size(), kLongestServerMessage);
  const auto message = parseServerMessage(json);
  ASSERT_TRUE(message.ok()) << message.error().message;
  EXPECT_EQ(std::get<server::Joined>(message.value()), joined);
}

TEST(ServerMessage, ALongerMessageIsRefused) {
  EXPECT_EQ(codeOf(std::string(kLongestServerMessage + 1, ' ')), ErrorCode::Corrupt);
}

TEST(ServerMessage, WhatALyingServerSaysIsRefused) {
  EXPECT_EQ(codeOf(R"({"type":"joined"})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"participant_joined","participant":[]})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"speakers","speakers":[3]})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"speakers","speakers":{"sid":"PA_a","level":0.5}})"),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"pong","t":-1})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"chat","from":"PA_a","name":"Ann","text":"x","at":1e30})"),
            ErrorCode::InvalidArgument);
}

TEST(ServerMessage, ItsSentencesAreFitForATerminal) {
  const auto message =
      parseServerMessage(R"({"type":"refused","reason":"full","message":"\u001b[31mFull."})");
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(std::get<server::Refused>(message.value()).message, "[31mFull.");
}

TEST(ServerMessage, WhatIsWantedAsItIsHasNoSize) {
  const auto track = *TrackSid::parse("TR_a");
  EXPECT_EQ(toJson(server::Wanted{track, {}}), R"({"enabled":true,"track":"TR_a","type":"track_wanted"})");
  EXPECT_EQ(toJson(server::Wanted{track, {true, 320, 180}}),
            R"({"enabled":true,"height":180,"track":"TR_a","type":"track_wanted","width":320})");
  EXPECT_EQ(codeOf(R"({"type":"track_wanted","track":"TR_a"})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"track_wanted","track":"PA_a","enabled":true})"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"track_wanted","track":"TR_a","enabled":true,"width":16385})"),
            ErrorCode::InvalidArgument);
}

TEST(ServerMessage, ADeliveryHasTheFiguresThatAreKnown) {
  const auto track = *TrackSid::parse("TR_a");
  EXPECT_EQ(toJson(server::Delivery{track, {}}),
            R"({"limit":"none","pictures":"whole","track":"TR_a","type":"track_delivery"})");
  const server::Delivery none{track, {DeliveredPictures::None, DeliveryLimit::ReceiverLine, 90, 0.5}};
  EXPECT_EQ(toJson(none), R"({"carried":90,"limit":"receiver_line","lost":0.5,"pictures":"none",)"
                          R"("track":"TR_a","type":"track_delivery"})");
  const auto delivery = [](const std::string& fields) {
    return R"({"type":"track_delivery","track":"TR_a","pictures":"fewer","limit":"sender_program",)" +
           fields + "}";
  };
  EXPECT_TRUE(parseServerMessage(delivery(R"("carried":1000000,"lost":1)")).ok());
  for (const char* const wrong : {R"("carried":0)", R"("carried":1000001)", R"("carried":1.5)",
                                  R"("lost":1.1)", R"("lost":-0.1)", R"("lost":"0")"})
    EXPECT_EQ(codeOf(delivery(wrong)), ErrorCode::InvalidArgument) << wrong;
  EXPECT_EQ(codeOf(R"({"type":"track_delivery","track":"TR_a","pictures":"whole","limit":"receiver_line"})"),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(R"({"type":"track_delivery","track":"PA_a","pictures":"whole","limit":"none"})"),
            ErrorCode::InvalidArgument);
}

TEST(ServerMessage, AnErrorSaysWhatItIsAbout) {
  const server::Error error{MessageFault::TooMany, "A participant has 8 tracks at most.", "publish", "c9"};
  EXPECT_EQ(
      toJson(error),
      R"({"cid":"c9","code":"too_many","for":"publish","message":"A participant has 8 tracks at most.",)"
      R"("type":"error"})");
}

}  // namespace
}  // namespace tactus::conference
