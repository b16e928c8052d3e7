// SPDX-License-Identifier: Apache-2.0
#include "conference/door/room_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "conference/door/base64url.h"

namespace tactus::conference {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kToken = "0123456789abcdefABCDEF-_01234567";
const std::string kFingerprint = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
const std::string kLink = "https://192.168.1.7:4711/r/" + kToken + "#sha256=" + kFingerprint;

std::string again(const std::string& text) {
  const auto link = RoomLink::parse(text);
  return link.ok() ? link.value().text() : link.error().message;
}

TEST(RoomLink, WhatIsGivenAwayIsUnderstood) {
  const auto link = RoomLink::parse(kLink);
  ASSERT_TRUE(link.ok()) << link.error().message;
  EXPECT_EQ(link.value().host, "192.168.1.7");
  EXPECT_EQ(link.value().port, 4711);
  EXPECT_EQ(link.value().token.text(), kToken);
  EXPECT_EQ(link.value().fingerprint, kFingerprint);
  EXPECT_EQ(link.value().text(), kLink);
  EXPECT_EQ(link.value().base(), "https://192.168.1.7:4711/r/" + kToken);
}

TEST(RoomLink, WhatPeopleAndProgramsDoToLinksIsTolerated) {
  const std::string path = "/r/" + kToken, mark = "#sha256=" + kFingerprint;
  EXPECT_EQ(again(" \n" + kLink + "\r\n"), kLink);
  EXPECT_EQ(again("HTTPS://192.168.1.7:4711" + path + mark), kLink);
  EXPECT_EQ(again("https://192.168.1.7:4711" + path + "/" + mark), kLink);
  EXPECT_EQ(again("https://192.168.1.7:4711" + path + "?from=mail" + mark), kLink);
  EXPECT_EQ(again("https://192.168.1.7:4711" + path + "#lang=de&sha256=" + kFingerprint), kLink);
  EXPECT_EQ(
      again("https://192.168.1.7:4711/r/%30" + kToken.substr(1) + "#sha256=%34" + kFingerprint.substr(1)),
      kLink);
  EXPECT_EQ(again("https://Ann.Example" + path), "https://ann.example:443" + path);
  EXPECT_EQ(again("https://[FE80::1]:1" + path), "https://[fe80::1]:1" + path);
  EXPECT_EQ(again("https://[::1]" + path), "https://[::1]:443" + path);
}

TEST(RoomLink, AMissingFingerprintIsSeen) {
  const auto link = RoomLink::parse("https://a:1/r/" + kToken);
  ASSERT_TRUE(link.ok());
  EXPECT_EQ(link.value().fingerprint, "");
}

TEST(RoomLink, WhatIsWrongIsSaidWithoutTheSecret) {
  const auto faultOf = [](const std::string& text) {
    const auto link = RoomLink::parse(text);
    EXPECT_FALSE(link.ok()) << text;
    if (link.ok()) return std::string();
    EXPECT_THAT(link.error().message, Not(HasSubstr(kToken.substr(0, 8))));
    return link.error().message;
  };
  const std::string path = "/r/" + kToken;
  EXPECT_EQ(faultOf(""), "This is no link to a room: it does not begin with https://.");
  EXPECT_THAT(faultOf("http://a" + path), HasSubstr("https://"));
  EXPECT_THAT(faultOf("https://" + path), HasSubstr("names no host"));
  EXPECT_THAT(faultOf("https://a b" + path), HasSubstr("names no host"));
  EXPECT_THAT(faultOf("https://ann@a" + path), HasSubstr("user's name"));
  EXPECT_THAT(faultOf("https://[::1" + path), HasSubstr("']'"));
  EXPECT_THAT(faultOf("https://[a]" + path), HasSubstr("no IPv6 address"));
  EXPECT_THAT(faultOf("https://[::1]1" + path), HasSubstr("':'"));
  for (const char* port : {"0", "65536", "1x", "-1", "99999999999999999999"})
    EXPECT_THAT(faultOf("https://a:" + std::string(port) + path), HasSubstr("1 to 65535"));
  EXPECT_THAT(faultOf("https://a/"), HasSubstr("/r/"));
  EXPECT_THAT(faultOf("https://a/r/"), HasSubstr("secret"));
  EXPECT_THAT(faultOf("https://a/r/" + kToken.substr(0, 20)), HasSubstr("cut off"));
  EXPECT_THAT(faultOf("https://a" + path + "/socket"), HasSubstr("secret"));
  EXPECT_THAT(faultOf("https://a/r/%zz"), HasSubstr("secret"));
  EXPECT_THAT(faultOf(kLink.substr(0, kLink.size() - 1)), HasSubstr("fingerprint"));
  EXPECT_THAT(faultOf("https://a/r/" + std::string(3000, 'a')), HasSubstr("2048"));
}

RC_GTEST_PROP(RoomLink, AnyTextIsALinkOrASentence, (const std::string& text)) {
  for (const std::string& tried : {text, "https://" + text, "https://a/r/" + text, kLink + text}) {
    const auto link = RoomLink::parse(tried);
    if (!link.ok()) RC_ASSERT(link.error().message.ends_with("."));
    if (link.ok()) RC_ASSERT(again(link.value().text()) == link.value().text());
  }
}

TEST(Token, IsComparedWhole) {
  const auto one = Token::parse(kToken), two = Token::parse("1" + kToken.substr(1));
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(one.value().equals(one.value().text()));
  EXPECT_FALSE(one.value().equals(two.value().text()));
  EXPECT_FALSE(one.value().equals(one.value().text() + "A"));
  EXPECT_FALSE(one.value().equals(""));
}

TEST(Base64Url, TheExamplesOfTheStandardHold) {
  const auto encoded = [](const std::string& text) {
    return toBase64Url(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg");
  EXPECT_EQ(encoded("fo"), "Zm8");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encoded("\xfb\xff"), "-_8");
  for (const char* wrong : {"Z", "Zg==", "Zh", "Z g", "+/8", "Zm9vYmFyZ"})
    EXPECT_FALSE(fromBase64Url(wrong).has_value()) << wrong;
}

RC_GTEST_PROP(Base64Url, WhatIsEncodedIsDecoded, (const std::vector<std::uint8_t>& bytes)) {
  RC_ASSERT(fromBase64Url(toBase64Url(bytes)) == bytes);
}

}  // namespace
}  // namespace tactus::conference
