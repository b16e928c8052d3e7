// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/percent_code.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::net {
namespace {

TEST(PercentCode, EncodesEverythingButUnreservedCharacters) {
  EXPECT_EQ(percentEncoded("Az09-._~"), "Az09-._~");
  EXPECT_EQ(percentEncoded("30000/1001"), "30000%2F1001");
  EXPECT_EQ(percentEncoded(std::string_view("a b\n\0%", 6)), "a%20b%0A%00%25");
  EXPECT_EQ(percentEncoded("\xC3\xA9"), "%C3%A9");
  EXPECT_EQ(percentEncoded(""), "");
}

TEST(PercentCode, DecodesWhatIsEncodedWithoutNeedAndSmallDigits) {
  EXPECT_EQ(percentDecoded("%41%7e%c3%A9").value(), "A~\xC3\xA9");
}

TEST(PercentCode, RefusesWhatIsNotEncodedOrCutShort) {
  for (const char* text : {"a b", "a/b", "%", "%4", "a%4", "%4g", "%g4", "%%41", "\xC3", "="})
    EXPECT_FALSE(percentDecoded(text)) << text;
}

RC_GTEST_PROP(PercentCodeProperty, DecodingGivesBackAnyBytes, (const std::string& bytes)) {
  RC_ASSERT(percentDecoded(percentEncoded(bytes)) == bytes);
}

RC_GTEST_PROP(PercentCodeProperty, WhatDecodesFromRandomTextIsStable, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('%', '4', 'f', 'G', '~', ' ', '\0'));
  const auto bytes = percentDecoded(text);
  if (bytes) RC_ASSERT(percentDecoded(percentEncoded(*bytes)) == bytes);
}

}  // namespace
}  // namespace tactus::net
