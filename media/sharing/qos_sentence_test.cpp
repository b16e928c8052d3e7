// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/qos_sentence.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

WindowFare halfOf(double rate) {
  WindowFare fare;
  fare.name = "Film";
  fare.thinning.frequency = 0.5;
  fare.nominalRate = rate;
  fare.machineIsFull = true;
  return fare;
}

TEST(QosSentence, SaysWhatIsShownAndWhoTakesTheProcessors) {
  const auto explanation = explain(halfOf(30), WindowRival{"Lecture", Priority::High});
  EXPECT_EQ(explanation.cause, QosCause::Streams);
  EXPECT_EQ(explanation.sentence,
            "'Film' shows 15 of 30 pictures a second: the processors are busy with 'Lecture' at High.");
  EXPECT_EQ(explain(halfOf(30), std::nullopt).sentence,
            "'Film' shows 15 of 30 pictures a second: the processors are not fast enough for it.");
}

TEST(QosSentence, SaysFewPicturesExactlyAndUnknownRatesByTheirShare) {
  EXPECT_EQ(explain(halfOf(7), std::nullopt).sentence,
            "'Film' shows 3.5 of 7 pictures a second: the processors are not fast enough for it.");
  EXPECT_EQ(explain(halfOf(0), std::nullopt).sentence,
            "'Film' shows 50 % of its pictures: the processors are not fast enough for it.");
  auto last = halfOf(30);
  last.thinning.lastRung = true;
  last.othersFillIt = true;
  EXPECT_EQ(explain(last, WindowRival{"Lecture", Priority::Normal}).sentence,
            "'Film' shows keyframes only: other programs use the processors.");
  last.lastRung = LastRung::SoundAlone;
  EXPECT_EQ(explain(last, std::nullopt).sentence,
            "'Film' shows no picture: other programs use the processors.");
}

TEST(QosSentence, BlamesTheSourceFirstAndTheDisplayForWhatWasReadyInTime) {
  WindowFare late;
  late.name = "Film";
  late.machineIsFull = true;
  late.displayIsLate = true;
  EXPECT_EQ(explain(late, std::nullopt).sentence,
            "'Film' shows pictures late: the display takes its pictures too late.");
  late.displayIsLate = false;
  EXPECT_EQ(explain(late, std::nullopt).cause, QosCause::Streams);
  late.machineIsFull = false;  // then the processors are no reason
  EXPECT_EQ(explain(late, std::nullopt).cause, QosCause::Display);
  late.waitsForSource = true;
  EXPECT_EQ(explain(late, std::nullopt).sentence,
            "'Film' shows pictures late: its source delivers too slowly.");
  auto stretched = halfOf(30);
  stretched.machineIsFull = false;
  EXPECT_EQ(explain(stretched, std::nullopt).cause, QosCause::Streams);
  stretched.stretched = true;
  EXPECT_EQ(explain(stretched, std::nullopt).cause, QosCause::Display);
}

TEST(QosSentence, SaysWhichHandlerAskedForIt) {
  auto half = halfOf(30);
  half.limitedBy = "socket";
  EXPECT_EQ(explain(half, WindowRival{"Lecture", Priority::High}).cause, QosCause::Handler);
  EXPECT_EQ(explain(half, std::nullopt).sentence,
            "'Film' shows 15 of 30 pictures a second: 'socket' asked for it.");
  half.thinning = {.size = 0.5};
  EXPECT_EQ(explain(half, std::nullopt).sentence,
            "'Film' shows its pictures at 50 % of their size: 'socket' asked for it.");
}

}  // namespace
}  // namespace tactus::media
