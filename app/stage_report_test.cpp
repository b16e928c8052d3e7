// SPDX-License-Identifier: Apache-2.0
#include "app/stage_report.h"

#include <gtest/gtest.h>

#include <QJsonObject>
#include <chrono>

namespace tactus::app {
namespace {

using namespace std::chrono_literals;
using Place = media::SourceLimit::Place;
using Shown = media::SourceLimit::Shown;

TEST(WindowReport, TellsOfALimitWhereItLiesWhatIsLeftAndWhatIsKnown) {
  media::WindowState window;
  window.terms.name = "Ann";
  EXPECT_EQ(windowJson(window).value("name"), "Ann");
  EXPECT_FALSE(windowJson(window).contains("limit"));
  window.limit = {.place = Place::OwnLine, .shown = Shown::SmallerPicture, .carried = 480'000};
  EXPECT_EQ(windowJson(window).value("limit"),
            (QJsonObject{{"place", "own_line"}, {"shown", "smaller"}, {"carried", 480'000}}));
  window.limit = {.place = Place::TheirLine, .shown = Shown::FewerPictures, .lost = 0.25};
  EXPECT_EQ(windowJson(window).value("limit"),
            (QJsonObject{{"place", "their_line"}, {"shown", "fewer"}, {"lost", 0.25}}));
  window.limit = {.place = Place::TheirComputer, .shown = Shown::NoPicture};
  EXPECT_EQ(windowJson(window).value("limit"), (QJsonObject{{"place", "their_computer"}, {"shown", "none"}}));
  window.limit.place = Place::TheirProgram;
  EXPECT_EQ(windowJson(window).value("limit"), (QJsonObject{{"place", "their_program"}, {"shown", "none"}}));
}

TEST(WindowReport, TellsThePlayoutDelayOfALiveStreamAlone) {
  media::WindowState window;
  EXPECT_FALSE(windowJson(window).contains("playout_ms"));
  EXPECT_FALSE(windowJson(window).contains("longest_playout_ms"));
  window.playout = 45ms;
  window.longestPlayout = 125ms;
  EXPECT_EQ(windowJson(window).value("playout_ms"), 45);
  EXPECT_EQ(windowJson(window).value("longest_playout_ms"), 125);
}

}  // namespace
}  // namespace tactus::app
