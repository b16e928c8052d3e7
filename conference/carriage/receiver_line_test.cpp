// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/receiver_line.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using Layers = std::vector<std::size_t>;

net::BitRate kilobits(std::int64_t rate) {
  return net::BitRate::perSecond(rate * 1000);
}

/// A line that is looked at once a second.
class LineTrialsTest : public ::testing::Test {
 protected:
  /// Seconds until it is tried; 0: at once.
  int untilTrial() {
    for (int second = 0; second < 200; ++second, at += 1s)
      if (trials.update(at, false, true)) return second;
    return -1;
  }
  bool falls() { return trials.update(at += 1s, true, true); }

  LineTrials trials;
  periodic::TimePoint at{100s};
};

TEST_F(LineTrialsTest, AStepIsTriedOnceTheLineWasQuietForAWhile) {
  EXPECT_EQ(untilTrial(), 4);
}

TEST_F(LineTrialsTest, NothingIsTriedThatIsNotWanted) {
  for (int second = 0; second < 100; ++second) EXPECT_FALSE(trials.update(at += 1s, false, false));
}

TEST_F(LineTrialsTest, AfterATrialThatFailsThePatienceIsDoubled) {
  EXPECT_EQ(untilTrial(), 4);
  for (const int patience : {8, 16, 32, 64, 64}) {
    EXPECT_FALSE(falls());
    EXPECT_EQ(untilTrial(), patience);
  }
}

TEST_F(LineTrialsTest, AfterATrialThatSucceedsItIsAsAtFirst) {
  EXPECT_EQ(untilTrial(), 4);
  falls();
  EXPECT_EQ(untilTrial(), 8);
  EXPECT_EQ(untilTrial(), 5) << "the verdict takes that long";
  EXPECT_EQ(untilTrial(), 5) << "and the patience is over by then";
}

TEST_F(LineTrialsTest, ATrialThatIsSaidToHaveFailedCountsAsOneThatFell) {
  EXPECT_EQ(untilTrial(), 4);
  at += 1s;
  trials.fail();
  EXPECT_EQ(untilTrial(), 7) << "8 s after it";
  at += 1s;
  trials.forget();
  EXPECT_EQ(untilTrial(), 7) << "one that has shown nothing changes nothing";
}

TEST_F(LineTrialsTest, AFallBeginsTheWaitAnew) {
  for (int second = 0; second < 3; ++second) EXPECT_FALSE(trials.update(at += 1s, false, true));
  EXPECT_FALSE(falls());
  EXPECT_EQ(untilTrial(), 4);
}

/// Cameras in two sizes, of 800 and 200 kbit/s, with sound of 30.
class ReceiverLineTest : public ::testing::Test {
 protected:
  ReceiverLine::Connection& add(const std::string& name, TrackPriority priority = TrackPriority::Normal) {
    connections.push_back({.name = name,
                           .carries = {},
                           .sound = kilobits(30),
                           .pictures = kilobits(800),
                           .demand = PictureDemand{priority, {kilobits(800), kilobits(200)}, 0, 0}});
    return connections.back();
  }
  /// A second later, with what was decided before.
  Layers divided() {
    const auto division = line.divide(at += 1s, connections);
    raised = division.raised;
    probe = division.probe;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      auto& each = connections[i];
      if (!each.demand) continue;
      each.demand->now = division.layers[i];
      each.pictures = division.layers[i] < 2 ? each.demand->layers[division.layers[i]] : net::BitRate();
    }
    if (raised) connections[raised->connection].carries = raised->rate;
    if (probe) connections[probe->connection].probed = resultOf(probe->rate);
    return division.layers;
  }
  /// Of a probe on a line that carries `line`.
  std::optional<media::ProbeResult> resultOf(net::BitRate rate) const {
    if (!probesEnd) return std::nullopt;
    return media::ProbeResult{.repeated = repeated, .sent = rate, .carried = std::min(rate, carries)};
  }
  /// Seconds until a probe is asked for; 0: at once.
  int untilProbe() {
    for (int second = 0; second < 200; ++second) {
      divided();
      if (probe) return second;
    }
    return -1;
  }

  std::vector<ReceiverLine::Connection> connections;
  std::optional<ReceiverLine::Division::Rate> raised, probe;
  net::BitRate carries = kilobits(2000);  // the line, as probes show
  std::uint64_t repeated = 20;            // by each probe
  bool probesEnd = true;
  ReceiverLine line;
  periodic::TimePoint at{100s};
};

TEST_F(ReceiverLineTest, WhereNoConnectionIsLimitedNothingIsWithheld) {
  add("ann");
  add("bob");
  for (int second = 0; second < 20; ++second) EXPECT_EQ(divided(), (Layers{0, 0}));
}

TEST_F(ReceiverLineTest, WhatOneConnectionLacksAnotherGivesUpThatMattersLess) {
  add("ann", TrackPriority::High).carries = kilobits(500);
  add("bob").carries = kilobits(500);
  EXPECT_EQ(divided(), (Layers{0, 1})) << "1000 less 60 of sound: 800, and a little more than half of 200";
}

TEST_F(ReceiverLineTest, SoundComesFirst) {
  add("ann").carries = kilobits(129);
  EXPECT_EQ(divided(), (Layers{2}));
}

TEST_F(ReceiverLineTest, AProbeShowsThatTheLineCarriesMore) {
  add("ann").carries = kilobits(300);
  EXPECT_EQ(divided(), (Layers{1}));
  EXPECT_EQ(untilProbe(), 3);
  EXPECT_EQ(probe->rate, kilobits(980)) << "200, 1.25 times 600, and 30 of sound";
  EXPECT_FALSE(raised) << "it is not known to pass yet";
  EXPECT_EQ(divided(), (Layers{0}));
  ASSERT_TRUE(raised);
  EXPECT_EQ(raised->rate, kilobits(980));
  for (int second = 0; second < 100; ++second) EXPECT_EQ(divided(), (Layers{0}));
}

TEST_F(ReceiverLineTest, WhatAProbeDoesNotFindIsNeverSent) {
  carries = kilobits(800);
  add("ann").carries = kilobits(300);
  EXPECT_EQ(divided(), (Layers{1}));
  EXPECT_EQ(untilProbe(), 3);
  for (const int patience : {8, 16, 32, 64, 64}) {
    EXPECT_EQ(divided(), (Layers{1}));
    EXPECT_FALSE(raised);
    EXPECT_EQ(untilProbe(), patience - 2);
  }
}

TEST_F(ReceiverLineTest, AlmostTheRateOfAProbeIsEnough) {
  carries = kilobits(882);
  add("ann").carries = kilobits(300);
  untilProbe();
  EXPECT_EQ(divided(), (Layers{0})) << "980 were asked for";
}

TEST_F(ReceiverLineTest, WhereNothingCanBeRepeatedTheStepItselfIsTheTrial) {
  repeated = 0;
  carries = {};
  add("ann").carries = kilobits(100);
  untilProbe();
  divided();
  ASSERT_TRUE(raised);
  connections[0].carries = kilobits(90);
  EXPECT_EQ(divided(), (Layers{2})) << "it has failed";
}

TEST_F(ReceiverLineTest, AProbeThatIsNeverOverIsForgotten) {
  probesEnd = false;
  add("ann").carries = kilobits(300);
  EXPECT_EQ(untilProbe(), 4);
  EXPECT_EQ(untilProbe(), 3) << "4 s after it: the patience is as it was";
  EXPECT_FALSE(raised);
}

TEST_F(ReceiverLineTest, AProbeOfAConnectionThatIsGoneIsForgotten) {
  add("ann").carries = kilobits(300);
  untilProbe();
  connections[0].name = "bob";
  EXPECT_EQ(divided(), (Layers{1}));
  EXPECT_FALSE(raised);
}

TEST_F(ReceiverLineTest, AStepThatFailsInSpiteOfItsProbeEndsAtOnce) {
  add("ann").carries = kilobits(300);
  while (!raised) divided();
  connections[0].carries = kilobits(320);
  EXPECT_EQ(divided(), (Layers{1}));
}

TEST_F(ReceiverLineTest, OfAConnectionWithoutLimitWhatIsSentIsCounted) {
  add("ann").carries = kilobits(430);
  add("bob");
  EXPECT_EQ(divided(), (Layers{0, 1})) << "430 and 830, less 60";
}

TEST_F(ReceiverLineTest, WhoIsNotWantedTakesNothing) {
  add("ann").carries = kilobits(900);
  auto& bob = add("bob");
  bob.carries = kilobits(30);
  bob.demand.reset();
  bob.pictures = {};
  EXPECT_EQ(divided(), (Layers{0, 0}));
}

}  // namespace
}  // namespace tactus::conference
