// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/ingest_life.h"

#include <gtest/gtest.h>

#include "media/room/ingest/keyframe_limit.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

const TimePoint kStart{1000s};

TEST(IngestLife, PublisherWhoDoesNotConnectWithinTenSecondsIsGivenUp) {
  IngestLife life(kStart, {});
  life.update(kStart + 9999ms, Connection::Connecting, 0, 0);
  EXPECT_EQ(life.state(), IngestState::Connecting);
  life.update(kStart + 10s, Connection::Connecting, 0, 0);
  EXPECT_EQ(life.state(), IngestState::Ended);
  EXPECT_EQ(life.why(), IngestEnd::NeverConnected);
}

TEST(IngestLife, IsSilentUntilThePacketsComeAndTwoSecondsAfterTheLast) {
  IngestLife life(kStart, {});
  life.update(kStart + 1s, Connection::Connected, 0, 0);
  EXPECT_EQ(life.state(), IngestState::Silent);
  life.update(kStart + 12s, Connection::Connected, 1, 1);
  EXPECT_EQ(life.state(), IngestState::Live);
  life.update(kStart + 13999ms, Connection::Connected, 1, 1);
  EXPECT_EQ(life.state(), IngestState::Live);
  life.update(kStart + 14s, Connection::Connected, 1, 1);
  EXPECT_EQ(life.state(), IngestState::Silent);
  life.update(kStart + 15s, Connection::Connected, 2, 2);
  EXPECT_EQ(life.state(), IngestState::Live);
}

TEST(IngestLife, SilentPublisherIsKeptAsLongAsItSendsReports) {
  IngestLife life(kStart, {});
  for (int i = 0; i < 360; ++i)
    life.update(kStart + i * 10s, Connection::Connected, 0, static_cast<std::uint64_t>(i));
  EXPECT_EQ(life.state(), IngestState::Silent);
}

TEST(IngestLife, PublisherOfWhomNothingAtAllIsHeardIsGoneAfterFifteenSeconds) {
  IngestLife life(kStart, {});
  life.update(kStart + 9s, Connection::Connected, 5, 8);
  life.update(kStart + 23999ms, Connection::Connected, 5, 8);
  EXPECT_EQ(life.state(), IngestState::Silent);
  life.update(kStart + 24s, Connection::Connected, 5, 8);
  EXPECT_EQ(life.state(), IngestState::Ended);
  EXPECT_EQ(life.why(), IngestEnd::ConnectionLost);
}

TEST(IngestLife, ConnectedPublisherThatConnectsAnewIsNotGivenUpForThat) {
  IngestLife life(kStart, {});
  life.update(kStart + 1s, Connection::Connected, 5, 5);
  life.update(kStart + 12s, Connection::Connecting, 5, 6);
  EXPECT_EQ(life.state(), IngestState::Silent);
}

TEST(IngestLife, SaysWhyItEnded) {
  IngestLife left(kStart, {}), lost(kStart, {}), never(kStart, {}), stopped(kStart, {});
  left.update(kStart, Connection::Connected, 1, 1);
  left.update(kStart, Connection::Closed, 1, 1);
  EXPECT_EQ(left.why(), IngestEnd::PeerLeft);
  lost.update(kStart, Connection::Connected, 1, 1);
  lost.update(kStart, Connection::Lost, 1, 1);
  EXPECT_EQ(lost.why(), IngestEnd::ConnectionLost);
  never.update(kStart, Connection::Lost, 0, 0);
  EXPECT_EQ(never.why(), IngestEnd::NeverConnected);
  stopped.end(IngestEnd::Stopped);
  EXPECT_EQ(stopped.why(), IngestEnd::Stopped);
}

TEST(IngestLife, EndIsForGoodAndItsFirstReasonStays) {
  IngestLife life(kStart, {});
  life.end(IngestEnd::Stopped);
  life.end(IngestEnd::Failed);
  life.update(kStart, Connection::Connected, 9, 9);
  EXPECT_EQ(life.state(), IngestState::Ended);
  EXPECT_EQ(life.why(), IngestEnd::Stopped);
}

TEST(KeyframeLimit, NothingIsSentUnasked) {
  KeyframeLimit limit;
  EXPECT_FALSE(limit.pass(kStart));
  EXPECT_EQ(limit.due(), TimePoint::max());
}

TEST(KeyframeLimit, FirstRequestPassesAtOnceAndTheNextAfterTheInterval) {
  KeyframeLimit limit;
  limit.want();
  EXPECT_TRUE(limit.pass(kStart));
  limit.want();
  EXPECT_FALSE(limit.pass(kStart + 299ms));
  EXPECT_EQ(limit.due(), kStart + 300ms);
  EXPECT_TRUE(limit.pass(kStart + 300ms));
  EXPECT_EQ(limit.due(), TimePoint::max());
}

TEST(KeyframeLimit, ThousandRequestsASecondCostFourKeyframes) {
  KeyframeLimit limit;
  for (int i = 0; i < 1000; ++i) {
    limit.want();
    (void)limit.pass(kStart + i * 1ms);
  }
  EXPECT_EQ(limit.asked(), 1000U);
  EXPECT_EQ(limit.passed(), 4U);  // at 0, 300, 600 and 900 ms
}

}  // namespace
}  // namespace tactus::media
