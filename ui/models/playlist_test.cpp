// SPDX-License-Identifier: Apache-2.0
#include "ui/models/playlist.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

TEST(Playlist, AnEmptyListHasNothingToPlay) {
  Playlist list;
  EXPECT_EQ(list.index(), -1);
  EXPECT_TRUE(list.current().isEmpty());
  EXPECT_FALSE(list.hasNext());
  EXPECT_FALSE(list.moveTo(0));
  EXPECT_EQ(list.atEnd(), Playlist::AtEnd::Stop);
}

TEST(Playlist, ItemsFollowEachOtherAndStopAtTheLast) {
  Playlist list;
  list.replace({"a", "b", "c"});
  EXPECT_EQ(list.index(), -1);
  EXPECT_EQ(list.next(), "a");
  ASSERT_TRUE(list.moveTo(0));
  EXPECT_EQ(list.current(), "a");
  EXPECT_EQ(list.next(), "b");
  EXPECT_EQ(list.atEnd(), Playlist::AtEnd::Next);
  ASSERT_TRUE(list.moveTo(2));
  EXPECT_FALSE(list.hasNext());
  EXPECT_TRUE(list.next().isEmpty());
  EXPECT_EQ(list.atEnd(), Playlist::AtEnd::Stop);
}

TEST(Playlist, OutsideTheListNothingMoves) {
  Playlist list;
  list.replace({"a", "b"});
  ASSERT_TRUE(list.moveTo(1));
  EXPECT_FALSE(list.moveTo(2));
  EXPECT_FALSE(list.moveTo(-1));
  EXPECT_EQ(list.current(), "b");
}

TEST(Playlist, ALoopBeginsTheFileAgainWhateverComesNext) {
  Playlist list;
  list.replace({"a", "b"});
  ASSERT_TRUE(list.moveTo(0));
  list.setLoop(true);
  EXPECT_EQ(list.atEnd(), Playlist::AtEnd::Again);
  list.setLoop(false);
  EXPECT_EQ(list.atEnd(), Playlist::AtEnd::Next);
}

TEST(Playlist, AnotherListIsNotBegun) {
  Playlist list;
  list.replace({"a", "b"});
  ASSERT_TRUE(list.moveTo(1));
  list.setLoop(true);
  list.replace({"c"});
  EXPECT_EQ(list.index(), -1);
  EXPECT_EQ(list.next(), "c");
  EXPECT_TRUE(list.loop()) << "the user's choice stays";
}

}  // namespace
}  // namespace tactus::ui
