// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/shown_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::net {
namespace {

TEST(ShownText, KeepsUtf8) {
  for (const std::string text :
       {"The port is busy.", "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8E\xB5", "\xC2\xA0"})
    EXPECT_EQ(shownText(text, 100), text);
}

TEST(ShownText, ReplacesControlCharacters) {
  EXPECT_EQ(shownText(std::string_view("a\x1B[2J\n\0b\x7F", 9), 100), "a [2J  b ");
  EXPECT_EQ(shownText("\xC2\x9B\x32J", 100), " 2J");  // CSI as one character
}

TEST(ShownText, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(shownText("\xC0\xAF", 100), "??");              // overlong
  EXPECT_EQ(shownText("\xE0\x80\xAF", 100), "???");         // overlong
  EXPECT_EQ(shownText("\xED\xA0\x80", 100), "???");         // surrogate
  EXPECT_EQ(shownText("\xF4\x90\x80\x80", 100), "????");    // above U+10FFFF
  EXPECT_EQ(shownText("\xE2\x82", 100), "??");              // cut short
  EXPECT_EQ(shownText("\xE2\x82.\xF0\x9F", 100), "??.??");  // the next character is kept
}

TEST(ShownText, IsCutBetweenCharacters) {
  EXPECT_EQ(shownText("abc", 2), "ab");
  EXPECT_EQ(shownText("a\xE2\x82\xAC", 3), "a");
  EXPECT_EQ(shownText("a\xE2\x82\xAC", 4), "a\xE2\x82\xAC");
  EXPECT_EQ(shownText("abc", 0), "");
}

RC_GTEST_PROP(ShownTextProperty, IsShortAndStaysAsItIs, ()) {
  const auto bytes = *rc::gen::container<std::string>(
      rc::gen::element('a', '\n', '\xC2', '\xC3', '\xE0', '\xED', '\xF4', '\x80', '\x9B', '\xA0', '\xBF'));
  const auto most = *rc::gen::inRange<std::size_t>(0, 40);
  const std::string shown = shownText(bytes, most);
  RC_ASSERT(shown.size() <= most);
  RC_ASSERT(shownText(shown, most) == shown);
}

}  // namespace
}  // namespace tactus::net
