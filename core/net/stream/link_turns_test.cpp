// SPDX-License-Identifier: Apache-2.0
// The link's thread. No test depends on how fast it answers.
#include "core/net/stream/link_turns.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/net/stream/ordered_end_fixture.h"

namespace tactus::net {
namespace {

using namespace ordered;
using namespace std::chrono_literals;

class LinkTurnsOverALink : public testing::Test {
 protected:
  void open(BitRate rate, periodic::Duration longestWait = 1h) {
    m_link = std::make_unique<TestLink>(rate);
    const FlowSpec flow{.name = "film", .linkClass = LinkClass::Bulk, .longestWait = longestWait};
    m_turns = LinkTurns::open(*m_link->get(), flow).value();
  }
  /// How many bytes may be written once the next turn has come.
  std::size_t turn(std::size_t waiting) {
    std::size_t granted = m_turns->ask(waiting);
    while (granted == 0 && readable(m_turns->descriptor())) granted = m_turns->ask(waiting);
    return granted;
  }
  [[nodiscard]] FlowRow row() const { return m_link->get()->rows().at(0); }

  std::unique_ptr<TestLink> m_link;
  std::unique_ptr<LinkTurns> m_turns;
};

TEST_F(LinkTurnsOverALink, ATurnIsTheWholeSegmentsOfAMillisecond) {
  open(BitRate::perSecond(100'000'000));
  EXPECT_EQ(turn(1'000'000), 8u * 1428u) << "12,500 bytes, headers included";
  EXPECT_EQ(row().figures.sentBytes, 8u * 1514u);
  EXPECT_FALSE(m_turns->isAsked());
  m_turns->written(1000);
  EXPECT_EQ(m_turns->ask(1'000'000), 8u * 1428u - 1000u) << "no other turn before this one is used";
  EXPECT_FALSE(m_turns->isAsked());
}

TEST_F(LinkTurnsOverALink, ATurnIsNotLongerThanWhatWaits) {
  open(BitRate::perSecond(100'000'000));
  EXPECT_EQ(turn(1430), 1430u);
  EXPECT_EQ(row().figures.sentBytes, 1430u + 2 * 86u);
}

TEST_F(LinkTurnsOverALink, ATurnIsOneSegmentAtLeast) {
  open(BitRate::perSecond(64'000));
  EXPECT_EQ(turn(1'000'000), 1428u);
}

TEST_F(LinkTurnsOverALink, TurnAfterTurnComes) {
  open(BitRate::perSecond(400'000'000));
  std::size_t left = 2'000'000;
  while (left > 0) {
    const std::size_t granted = turn(left);
    ASSERT_GT(granted, 0u);
    m_turns->written(granted);
    left -= granted;
  }
  EXPECT_FALSE(readable(m_turns->descriptor(), 0)) << "no turn is told twice";
}

TEST_F(LinkTurnsOverALink, NothingThatWaitsTakesTheTurnBack) {
  open(BitRate());
  EXPECT_EQ(m_turns->ask(1000), 0u);
  EXPECT_TRUE(m_turns->isAsked());
  EXPECT_EQ(row().waiting, 1u);
  EXPECT_EQ(m_turns->ask(0), 0u);
  EXPECT_FALSE(m_turns->isAsked());
  EXPECT_EQ(row().waiting, 0u);
  EXPECT_FALSE(readable(m_turns->descriptor(), 0));
}

TEST_F(LinkTurnsOverALink, ATurnThatIsLateIsAskedForAgain) {
  open(BitRate(), 1ms);
  EXPECT_EQ(m_turns->ask(1000), 0u);
  ASSERT_TRUE(readable(m_turns->descriptor()));
  EXPECT_EQ(m_turns->ask(1000), 0u);
  EXPECT_TRUE(m_turns->isAsked());
  EXPECT_GE(row().figures.late, 1u);
  m_link->get()->setRate(BitRate::perSecond(1'000'000));
  EXPECT_EQ(turn(1000), 1000u);
}

}  // namespace
}  // namespace tactus::net
