// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/memory_share.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::periodic {
namespace {

/// A machine of which `free` bytes are left to this program, which has touched `ours`.
struct Machine {
  double free = 1000, ours = 0;
  std::shared_ptr<MemoryShare> memory =
      std::make_shared<MemoryShare>([this]() -> std::optional<MemoryShare::Reading> {
        return MemoryShare::Reading{free, ours};
      });
};

TEST(MemoryShare, SharesAreHeldUpToNineTenthsOfWhatThereIs) {
  Machine machine;
  EXPECT_TRUE(machine.memory->hold({"first", 600}).ok());
  const auto refused = machine.memory->hold({"'second'", 400});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().resource, "memory");
  EXPECT_EQ(refused.error().needs, 400);
  EXPECT_EQ(refused.error().left, 300);
  EXPECT_EQ(refused.error().offer, 300);
  EXPECT_TRUE(machine.memory->hold({"third", 300}).ok());
  EXPECT_EQ(machine.memory->standing().held, 900);
  EXPECT_EQ(machine.memory->standing().left, 0);
}

TEST(MemoryShare, ARefusalSaysHowMuchInWords) {
  Machine machine{.free = 2e9};
  (void)machine.memory->hold({"a", 1.2e9});
  const auto refused = machine.memory->hold({"'b.mkv'", 1.9e9});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence,
            "'b.mkv' needs 1.9 GB of memory; 600 MB are left beside the 1.2 GB that others were promised.");
}

TEST(MemoryShare, BytesAreWrittenInMegabytesAndFromAThousandOnInGigabytes) {
  EXPECT_EQ(bytesInWords(0), "0 MB");
  EXPECT_EQ(bytesInWords(312.4e6), "312 MB");
  EXPECT_EQ(bytesInWords(999.4e6), "999 MB");
  EXPECT_EQ(bytesInWords(999.6e6), "1.0 GB");
  EXPECT_EQ(bytesInWords(1.24e9), "1.2 GB");
}

std::string sentenceFor(const MemoryShare& memory, const Claim& claim) {
  const auto refused = memory.test(claim);
  return refused ? refused->sentence : "";
}

TEST(MemoryShare, ARefusalNamesTheStreamsWhoseClosingWouldMakeRoom) {
  Machine machine{.free = 1e9};
  (void)machine.memory->hold({"'large'", 400e6});
  (void)machine.memory->hold({"'small'", 100e6});
  (void)machine.memory->hold({"'Lecture'", 300e6});
  EXPECT_EQ(sentenceFor(*machine.memory, {"'new'", 200e6}),
            "'new' needs 200 MB of memory; 100 MB are left beside the 800 MB that others were promised. "
            "Closing 'small' or 'Lecture' would make room.");
  EXPECT_EQ(sentenceFor(*machine.memory, {"'new'", 450e6}),
            "'new' needs 450 MB of memory; 100 MB are left beside the 800 MB that others were promised. "
            "Closing 'large' would make room.");
  const auto refused = machine.memory->hold({"'new'", 400e6});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().closing, (std::vector<std::string>{"'Lecture'", "'large'"}));
}

TEST(MemoryShare, WhereNoStreamAloneWouldMakeRoomNoneIsNamed) {
  Machine machine{.free = 1e9};
  (void)machine.memory->hold({"'a'", 400e6});
  (void)machine.memory->hold({"'b'", 400e6});
  EXPECT_EQ(sentenceFor(*machine.memory, {"'new'", 501e6}),
            "'new' needs 501 MB of memory; 100 MB are left beside the 800 MB that others were promised.");
  // 200 MB that other programs took are missing as well.
  machine.free -= 200e6 / 0.9;
  EXPECT_EQ(sentenceFor(*machine.memory, {"'new'", 350e6}),
            "'new' needs 350 MB of memory; 0 MB are left beside the 800 MB that others were promised.");
}

TEST(MemoryShare, SharesOfOneNameAreOneStreams) {
  Machine machine{.free = 1e9};
  (void)machine.memory->hold({"'film'", 200e6});
  (void)machine.memory->hold({"'film'", 200e6});
  (void)machine.memory->hold({"'new'", 500e6});
  EXPECT_EQ(sentenceFor(*machine.memory, {"'new'", 400e6}),
            "'new' needs 400 MB of memory; 0 MB are left beside the 900 MB that others were promised. "
            "Closing 'film' would make room.")
      << "it does not name itself";
}

TEST(MemoryShare, AChangedShareIsNamedAsItWasLastClaimed) {
  Machine machine{.free = 1e9};
  const auto share = machine.memory->hold({"'first'", 100e6});
  const auto other = machine.memory->hold({"'other'", 100e6});
  ASSERT_TRUE(share.ok() && other.ok());
  ASSERT_TRUE(machine.memory->change(share.value(), {"'second'", 600e6}).ok());
  const auto refused = machine.memory->change(other.value(), {"'other'", 400e6});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence,
            "'other' needs 400 MB of memory; 300 MB are left beside the 600 MB that others were promised. "
            "Closing 'second' would make room.");
}

TEST(MemoryShare, WhatAStreamTouchesOfItsShareCountsOnce) {
  Machine machine;
  ASSERT_TRUE(machine.memory->hold({"first", 500}).ok());
  EXPECT_EQ(machine.memory->standing().left, 400);
  machine.free -= 500;
  machine.ours += 500;
  EXPECT_EQ(machine.memory->standing().left, 400);
}

TEST(MemoryShare, WhatTheProgramHasBesideItsStreamsIsNotPromised) {
  Machine machine{.free = 800, .ours = 200};
  ASSERT_TRUE(machine.memory->hold({"first", 500}).ok());
  EXPECT_EQ(machine.memory->standing().left, 900 - 200 - 500);
  machine.free -= 400;  // another program
  EXPECT_EQ(machine.memory->standing().left, 0);
}

TEST(MemoryShare, AShareThatIsGivenBackOrGrowsSmallerIsFree) {
  Machine machine;
  const auto share = machine.memory->hold({"first", 900});
  ASSERT_TRUE(share.ok());
  EXPECT_FALSE(machine.memory->change(share.value(), {"first", 901}).ok());
  EXPECT_TRUE(machine.memory->change(share.value(), {"first", 100}).ok());
  EXPECT_EQ(machine.memory->standing().left, 800);
  machine.memory->giveBack(share.value());
  machine.memory->giveBack(share.value());
  EXPECT_EQ(machine.memory->standing().left, 900);
}

TEST(MemoryShare, WhereNothingIsKnownNothingIsRefused) {
  MemoryShare memory([] { return std::nullopt; });
  EXPECT_FALSE(memory.test({"huge", 1e18}));
  EXPECT_TRUE(memory.hold({"huge", 1e18}).ok());
  EXPECT_EQ(memory.standing().left, std::nullopt);
}

RC_GTEST_PROP(HeldShares, AllAreHeldOrNone, ()) {
  Machine one{.free = *rc::gen::inRange(1, 1000) * 1.0};
  Machine two{.free = *rc::gen::inRange(1, 1000) * 1.0};
  std::vector<HeldShares> kept;
  double first = 0;
  double second = 0;
  for (int i = 0; i < 10; ++i) {
    const double mine = *rc::gen::inRange(1, 300);
    const double yours = *rc::gen::inRange(1, 300);
    auto held = HeldShares::hold({{one.memory, {"a", mine}}, {two.memory, {"b", yours}}});
    const bool fits = first + mine <= 0.9 * one.free && second + yours <= 0.9 * two.free;
    RC_ASSERT(held.ok() == fits);
    if (held.ok()) {
      first += mine;
      second += yours;
      kept.push_back(std::move(held).value());
    }
    RC_ASSERT(one.memory->standing().held == first);
    RC_ASSERT(two.memory->standing().held == second);
  }
  kept.clear();
  RC_ASSERT(one.memory->standing().held == 0);
  RC_ASSERT(two.memory->standing().held == 0);
}

TEST(HeldShares, AMovedOneGivesBackOnce) {
  Machine machine;
  auto held = HeldShares::hold({{machine.memory, {"a", 100}}});
  ASSERT_TRUE(held.ok());
  HeldShares mine = std::move(held).value();
  HeldShares other;
  other = std::move(mine);
  EXPECT_EQ(machine.memory->standing().held, 100);
  EXPECT_FALSE(other.empty());
  other = HeldShares();
  EXPECT_EQ(machine.memory->standing().held, 0);
}

}  // namespace
}  // namespace tactus::periodic
