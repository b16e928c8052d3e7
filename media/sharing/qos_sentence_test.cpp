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

using Place = SourceLimit::Place;
using Shown = SourceLimit::Shown;

std::string sentenceOf(const SourceLimit& limit) {
  return explain("Ann", limit).sentence;
}

TEST(SourceLimitSentence, SaysWhatIsShownAndWhichLineCarriesTooLittle) {
  const auto carries = [](Place place, Shown shown) {
    return sentenceOf({.place = place, .shown = shown, .carried = 480'000});
  };
  EXPECT_EQ(carries(Place::OwnLine, Shown::SmallerPicture),
            "'Ann' shows a smaller picture: your network carries 480 kbit/s.");
  EXPECT_EQ(carries(Place::OwnLine, Shown::FewerPictures),
            "'Ann' shows fewer pictures: your network carries 480 kbit/s.");
  EXPECT_EQ(carries(Place::OwnLine, Shown::NoPicture),
            "'Ann' shows no picture: your network carries 480 kbit/s.");
  EXPECT_EQ(carries(Place::TheirLine, Shown::SmallerPicture),
            "'Ann' shows a smaller picture: their network carries 480 kbit/s.");
  EXPECT_EQ(carries(Place::TheirLine, Shown::FewerPictures),
            "'Ann' shows fewer pictures: their network carries 480 kbit/s.");
  EXPECT_EQ(carries(Place::TheirLine, Shown::NoPicture),
            "'Ann' shows no picture: their network carries 480 kbit/s.");
}

TEST(SourceLimitSentence, BlamesTheirComputerAndTheirProgramForEachThatIsShown) {
  const auto of = [](Place place, Shown shown) { return sentenceOf({.place = place, .shown = shown}); };
  EXPECT_EQ(of(Place::TheirComputer, Shown::SmallerPicture),
            "'Ann' shows a smaller picture: their computer is busy.");
  EXPECT_EQ(of(Place::TheirComputer, Shown::FewerPictures),
            "'Ann' shows fewer pictures: their computer is busy.");
  EXPECT_EQ(of(Place::TheirComputer, Shown::NoPicture), "'Ann' shows no picture: their computer is busy.");
  EXPECT_EQ(of(Place::TheirProgram, Shown::SmallerPicture),
            "'Ann' shows a smaller picture: their program sends no larger one.");
  EXPECT_EQ(of(Place::TheirProgram, Shown::FewerPictures),
            "'Ann' shows fewer pictures: their program sends no more.");
  EXPECT_EQ(of(Place::TheirProgram, Shown::NoPicture), "'Ann' shows no picture: their program sends none.");
}

TEST(SourceLimitSentence, TheRateComesBeforeTheLossAndASmallLossIsNotNamed) {
  SourceLimit limit{.place = Place::OwnLine, .shown = Shown::FewerPictures, .carried = 1.24e6, .lost = 0.12};
  EXPECT_EQ(sentenceOf(limit), "'Ann' shows fewer pictures: your network carries 1.2 Mbit/s.");
  limit.carried.reset();
  EXPECT_EQ(sentenceOf(limit), "'Ann' shows fewer pictures: your network loses 12 % of the packets.");
  limit.place = Place::TheirLine;
  limit.lost = 0.05;
  EXPECT_EQ(sentenceOf(limit), "'Ann' shows fewer pictures: their network loses 5 % of the packets.");
  limit.lost = 0.049;
  EXPECT_EQ(sentenceOf(limit), "'Ann' shows fewer pictures: their network carries too little.");
}

TEST(SourceLimitSentence, ARateIsSaidWithTwoDigits) {
  const auto carries = [](double bits) {
    const std::string sentence =
        sentenceOf({.place = Place::OwnLine, .shown = Shown::NoPicture, .carried = bits});
    return sentence.substr(sentence.find("carries ") + 8);
  };
  EXPECT_EQ(carries(483'700), "480 kbit/s.");
  EXPECT_EQ(carries(94'900), "95 kbit/s.");
  EXPECT_EQ(carries(996'000), "1 Mbit/s.");
  EXPECT_EQ(carries(12'600'000), "13 Mbit/s.");
  EXPECT_EQ(carries(0), "0 bit/s.");
  EXPECT_EQ(carries(1e30), "400 Gbit/s.");
}

TEST(SourceLimitSentence, ItsCauseIsTheNetworkOrTheSender) {
  const auto cause = [](Place place) {
    return explain("Ann", {.place = place, .shown = Shown::NoPicture}).cause;
  };
  EXPECT_EQ(cause(Place::OwnLine), QosCause::Network);
  EXPECT_EQ(cause(Place::TheirLine), QosCause::Network);
  EXPECT_EQ(cause(Place::TheirComputer), QosCause::Sender);
  EXPECT_EQ(cause(Place::TheirProgram), QosCause::Sender);
  EXPECT_EQ(explain("Ann", SourceLimit{}).cause, QosCause::None);
  EXPECT_EQ(explain("Ann", SourceLimit{}).sentence, "");
}

TEST(SourceLimitSentence, TheSenderIsToldOnlyOfWhatIsTheirs) {
  EXPECT_EQ(sentenceToSender({}), "");
  EXPECT_EQ(sentenceToSender({.place = Place::OwnLine, .shown = Shown::NoPicture}), "");
  EXPECT_EQ(sentenceToSender({.place = Place::TheirLine, .shown = Shown::SmallerPicture, .carried = 480'000}),
            "I see a smaller picture of you: your network carries 480 kbit/s.");
  EXPECT_EQ(sentenceToSender({.place = Place::TheirLine, .shown = Shown::FewerPictures, .lost = 0.12}),
            "I see fewer pictures of you: your network loses 12 % of the packets.");
  EXPECT_EQ(sentenceToSender({.place = Place::TheirComputer, .shown = Shown::NoPicture}),
            "I see no picture of you: your computer is busy.");
  EXPECT_EQ(sentenceToSender({.place = Place::TheirProgram, .shown = Shown::NoPicture}),
            "I see no picture of you: your program sends none.");
}

}  // namespace
}  // namespace tactus::media
