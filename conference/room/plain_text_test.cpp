// SPDX-License-Identifier: Apache-2.0
#include "conference/room/plain_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::conference {
namespace {

TEST(PlainName, ANameKeepsItsLetters) {
  EXPECT_EQ(plainName("Ann"), "Ann");
  EXPECT_EQ(plainName("Zoë 梅 🎻"), "Zoë 梅 🎻");
  EXPECT_EQ(plainName("فرهاد"), "فرهاد");
}

TEST(PlainName, SpacesAtItsEndsGoAndSeveralAreOne) {
  EXPECT_EQ(plainName("  Ann \t\n Lee  "), "Ann Lee");
  EXPECT_EQ(plainName("Ann\u00A0\u3000Lee"), "Ann Lee");
  EXPECT_EQ(plainName(" \u2003 "), "");
}

TEST(PlainName, ControlCharactersAndDisguisesGo) {
  EXPECT_EQ(plainName("A\x1B[31mnn\x07"), "A[31mnn");
  EXPECT_EQ(plainName("A\u009B31mnn"), "A31mnn");
  EXPECT_EQ(plainName("An\u200Bn\u202Exyz\u2066"), "Annxyz");
  EXPECT_EQ(plainName("\uFEFFAnn"), "Ann");
}

TEST(PlainText, LineFeedsTabsAndSpacesStay) {
  EXPECT_EQ(plainText("  one\r\n\ttwo  "), "  one\n\ttwo  ");
  EXPECT_EQ(plainText("\x1B[2J\u202Eabc"), "[2Jabc");
}

TEST(PlainText, WhatIsNoUtf8Goes) {
  EXPECT_EQ(plainText("a\xC3"), "a");
  EXPECT_EQ(plainName("\xED\xA0\x80z\xC0\x80"), "z");
}

TEST(IsUtf8, FollowsTable37OfUnicode) {
  EXPECT_TRUE(isUtf8("a\u00E9\u20AC\U0001F3BB"));
  EXPECT_FALSE(isUtf8("\xC0\x80"));          // overlong
  EXPECT_FALSE(isUtf8("\xED\xA0\x80"));      // a surrogate
  EXPECT_FALSE(isUtf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(isUtf8("\xE2\x82"));          // cut
}

RC_GTEST_PROP(PlainText, IsUtf8AndDoesNotChangeAgain, (const std::string& bytes)) {
  const std::string text = plainText(bytes);
  RC_ASSERT(isUtf8(text));
  RC_ASSERT(plainText(text) == text);
  const std::string name = plainName(bytes);
  RC_ASSERT(isUtf8(name));
  RC_ASSERT(plainName(name) == name);
  RC_ASSERT(name.size() <= bytes.size());
}

}  // namespace
}  // namespace tactus::conference
