// SPDX-License-Identifier: Apache-2.0
#include "media/playback/announcements.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tactus::media {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Listener final : public PlayerListener {
 public:
  void onState(PlayState) override {}
  void onInfo(const MediaInfo&) override {}
  void onBuffering(int) override {}
  void onError(const Error&) override {}
  void onWarning(const std::string& sentence) override {
    told.push_back(sentence);
    if (onTold) onTold();
  }
  void onNextItem(const std::string&) override {}
  void onEnded() override {}
  std::vector<std::string> told;
  std::function<void()> onTold;
};

class AnnouncementsTest : public testing::Test {
 protected:
  void say(const std::string& sentence) {
    announcements.add([=](PlayerListener& to) { to.onWarning(sentence); });
  }
  Listener listener;
  Announcements announcements{listener};
};

TEST_F(AnnouncementsTest, AreToldInOrderOnceDelivered) {
  say("a");
  say("b");
  EXPECT_THAT(listener.told, IsEmpty());
  announcements.deliver();
  EXPECT_THAT(listener.told, ElementsAre("a", "b"));
  announcements.deliver();
  EXPECT_THAT(listener.told, ElementsAre("a", "b"));
}

TEST_F(AnnouncementsTest, WhatAListenerCausesIsToldAfterwards) {
  say("a");
  say("b");
  int depth = 0;
  listener.onTold = [&] {
    EXPECT_EQ(depth++, 0) << "a listener is never called inside a call";
    if (listener.told.size() == 1) say("c");
    announcements.deliver();
    --depth;
  };
  announcements.deliver();
  EXPECT_THAT(listener.told, ElementsAre("a", "b", "c"));
}

TEST_F(AnnouncementsTest, WhatIsForgottenIsNeverTold) {
  say("a");
  announcements.forget();
  announcements.deliver();
  EXPECT_THAT(listener.told, IsEmpty());
}

TEST_F(AnnouncementsTest, AreDeliveredAtTheEndOfAScope) {
  {
    const Deliver deliver(announcements);
    say("a");
    EXPECT_THAT(listener.told, IsEmpty());
  }
  EXPECT_THAT(listener.told, ElementsAre("a"));
}

}  // namespace
}  // namespace tactus::media
