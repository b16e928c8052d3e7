// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/line_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tactus::net {
namespace {

/// Pushes all and pops what can be; false after an error.
bool feed(LineReader& reader, std::string_view bytes, std::vector<std::string>& lines) {
  while (true) {
    bytes.remove_prefix(reader.push(bytes));
    while (true) {
      auto line = reader.pop();
      if (!line) return false;
      if (!line.value()) break;
      lines.push_back(*line.value());
    }
    if (bytes.empty()) return true;
  }
}

TEST(LineReader, GivesLinesOnceTheyAreWhole) {
  LineReader reader;
  std::vector<std::string> lines;
  EXPECT_TRUE(feed(reader, "bye sen", lines));
  EXPECT_TRUE(lines.empty());
  EXPECT_TRUE(feed(reader, "tence=x\n\nstate\nre", lines));
  EXPECT_EQ(lines, (std::vector<std::string>{"bye sentence=x", "", "state"}));
}

TEST(LineReader, TakesALineOf1024BytesAndRefusesALongerOne) {
  LineReader reader;
  std::vector<std::string> lines;
  EXPECT_TRUE(feed(reader, std::string(1023, 'a') + "\n", lines));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].size(), 1023u);
  EXPECT_TRUE(feed(reader, std::string(1023, 'a'), lines));
  EXPECT_FALSE(feed(reader, "a\n", lines));
  EXPECT_EQ(reader.pop().error().code, ErrorCode::Corrupt);
}

TEST(LineReader, TakesNoMoreThanItHasRoomFor) {
  LineReader reader;
  EXPECT_EQ(reader.push(std::string(5000, 'a')), 1024u);
  EXPECT_EQ(reader.push("a"), 0u);
}

TEST(LineReader, RefusesControlCharactersAndOtherBytesThanAscii) {
  for (const char bad : {'\r', '\0', '\t', '\x1B', '\x7F', '\x80', '\xFF'}) {
    LineReader reader;
    std::vector<std::string> lines;
    EXPECT_FALSE(feed(reader, std::string("bye\nstate") + bad, lines));
    EXPECT_EQ(lines, std::vector<std::string>{"bye"});  // what came before is good
    EXPECT_FALSE(feed(reader, "bye\n", lines));         // the error stays
    EXPECT_EQ(lines.size(), 1u);
  }
}

RC_GTEST_PROP(LineReaderProperty, LinesDoNotDependOnHowBytesAreCut, ()) {
  const auto sent = *rc::gen::container<std::vector<std::string>>(rc::gen::map(
      rc::gen::pair(rc::gen::element(0, 1, 30, 700, 1023), rc::gen::inRange(' ', '~')),
      [](const std::pair<int, char>& each) { return std::string(std::size_t(each.first), each.second); }));
  std::string bytes;
  for (const auto& line : sent) bytes += line + '\n';
  LineReader reader;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const auto size = static_cast<std::size_t>(*rc::gen::element(1, 7, 500, 2000));
    RC_ASSERT(feed(reader, std::string_view(bytes).substr(begin, size), lines));
    begin += size;
  }
  RC_ASSERT(lines == sent);
}

}  // namespace
}  // namespace tactus::net
