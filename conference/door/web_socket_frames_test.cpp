// SPDX-License-Identifier: Apache-2.0
#include "conference/door/web_socket_frames.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conference/door/tls_peer.h"
#include "conference/room/plain_text.h"

namespace tactus::conference {
namespace {

using Kind = WebSocketEvent::Kind;

constexpr std::size_t kLimit = 1000;

std::vector<WebSocketEvent> read(WebSocketReader& reader, const std::string& bytes) {
  std::vector<WebSocketEvent> events;
  reader.push({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  while (auto event = reader.next()) events.push_back(std::move(*event));
  return events;
}

/// The one event that the bytes are.
WebSocketEvent one(const std::string& bytes) {
  WebSocketReader reader(kLimit);
  const auto events = read(reader, bytes);
  EXPECT_EQ(events.size(), 1u);
  return events.empty() ? WebSocketEvent{} : events.front();
}

CloseCode faultOf(const std::string& bytes) {
  const auto event = one(bytes);
  EXPECT_EQ(event.kind, Kind::Fault) << event.text;
  return event.code;
}

TEST(WebSocketFrames, TheExampleOfTheStandardIsRead) {
  // RFC 6455, section 5.7: "Hello", masked.
  const auto event = one("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  EXPECT_EQ(event.kind, Kind::Text);
  EXPECT_EQ(event.text, "Hello");
  EXPECT_EQ(textFrame("Hello"), "\x81\x05Hello");
}

TEST(WebSocketFrames, FragmentsAreOneMessageAndAPingMayComeBetween) {
  WebSocketReader reader(kLimit);
  const auto events = read(reader, TlsPeer::frame("Hel", 1, false) + TlsPeer::frame("ping", 9) +
                                       TlsPeer::frame("", 0, false) + TlsPeer::frame("lo", 0));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, Kind::Ping);
  EXPECT_EQ(events[0].text, "ping");
  EXPECT_EQ(events[1].kind, Kind::Text);
  EXPECT_EQ(events[1].text, "Hello");
}

TEST(WebSocketFrames, TheLimitHoldsForTheWholeMessage) {
  EXPECT_EQ(one(TlsPeer::frame(std::string(kLimit, 'a'))).kind, Kind::Text);
  EXPECT_EQ(faultOf(TlsPeer::frame(std::string(kLimit + 1, 'a'))), CloseCode::TooBig);
  EXPECT_EQ(
      faultOf(TlsPeer::frame(std::string(600, 'a'), 1, false) + TlsPeer::frame(std::string(401, 'a'), 0)),
      CloseCode::TooBig);
  // The header is enough: nothing of the 2^63 bytes is waited for.
  EXPECT_EQ(faultOf(std::string("\x81\xff\x80\0\0\0\0\0\0\0mask", 14)), CloseCode::TooBig);
}

TEST(WebSocketFrames, WhatTheStandardForbidsIsAFault) {
  EXPECT_EQ(faultOf(std::string("\x81\x05", 2)), CloseCode::ProtocolError);              // not masked
  EXPECT_EQ(faultOf("\xc1" + TlsPeer::frame("a").substr(1)), CloseCode::ProtocolError);  // a reserved bit
  EXPECT_EQ(faultOf(TlsPeer::frame("a", 3)), CloseCode::ProtocolError);
  EXPECT_EQ(faultOf(TlsPeer::frame("a", 0)), CloseCode::ProtocolError);  // continues nothing
  EXPECT_EQ(faultOf(TlsPeer::frame("a", 1, false) + TlsPeer::frame("b", 1)), CloseCode::ProtocolError);
  EXPECT_EQ(faultOf(TlsPeer::frame("a", 9, false)), CloseCode::ProtocolError);
  EXPECT_EQ(faultOf(TlsPeer::frame(std::string(126, 'a'), 9)), CloseCode::ProtocolError);
  EXPECT_EQ(faultOf(TlsPeer::frame("a", 2)), CloseCode::UnsupportedData);
  EXPECT_EQ(faultOf(TlsPeer::frame("\xc3(")), CloseCode::InvalidText);
  EXPECT_EQ(faultOf(TlsPeer::frame("\x03", 8)), CloseCode::ProtocolError);
  EXPECT_EQ(faultOf(TlsPeer::frame("\x03\xee", 8)), CloseCode::ProtocolError);  // 1006 is never sent
}

TEST(WebSocketFrames, NothingIsReadAfterTheEnd) {
  WebSocketReader reader(kLimit);
  const auto events = read(reader, TlsPeer::frame("\x03\xe8goodbye", 8) + TlsPeer::frame("more"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Kind::Close);
  EXPECT_EQ(events[0].code, CloseCode::Normal);
  EXPECT_EQ(events[0].text, "goodbye");
  EXPECT_TRUE(read(reader, TlsPeer::frame("more")).empty());
}

TEST(WebSocketFrames, ALongReasonIsCutBetweenLetters) {
  const std::string frame = closeFrame(CloseCode::Normal, std::string(122, 'a') + "ä");
  EXPECT_EQ(frame, "\x88\x7c\x03\xe8" + std::string(122, 'a'));
}

RC_GTEST_PROP(WebSocketFrames, HowTheBytesAreCutDoesNotMatter, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
  std::string bytes;
  for (const auto& text : texts)
    bytes += TlsPeer::frame(text.substr(0, text.size() / 2), 1, false) +
             TlsPeer::frame(text.substr(text.size() / 2), 0);
  WebSocketReader reader(kLimit);
  std::vector<std::string> heard;
  while (!bytes.empty()) {
    const auto size = std::min(*rc::gen::inRange<std::size_t>(1, 20), bytes.size());
    for (const auto& event : read(reader, bytes.substr(0, size))) heard.push_back(event.text);
    bytes.erase(0, size);
  }
  RC_ASSERT(heard == texts);
}

RC_GTEST_PROP(WebSocketFrames, RandomBytesAreFramesOrAFault, (const std::vector<std::uint8_t>& bytes)) {
  WebSocketReader reader(kLimit);
  reader.push(bytes);
  int faults = 0;
  while (const auto event = reader.next()) {
    faults += event->kind == Kind::Fault;
    RC_ASSERT(event->text.size() <= kLimit);
  }
  RC_ASSERT(faults <= 1);
}

}  // namespace
}  // namespace tactus::conference
