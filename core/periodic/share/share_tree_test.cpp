// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/share/share_tree.h"

#include "core/periodic/share/share_fixture.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

using ShareTreeTest = ShareTreeFixture;

TEST_F(ShareTreeTest, EqualQueuesTakeTurns) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 3);
  send(b, 'B', 3);
  EXPECT_EQ(serve(7), "ABABAB-");
}

TEST_F(ShareTreeTest, AQueueOfTwiceTheWeightIsServedTwiceAsOften) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b", 2);
  send(a, 'A', 3);
  send(b, 'B', 6);
  EXPECT_EQ(serve(9), "ABBABBABB");
}

TEST_F(ShareTreeTest, SharesAreOfTheCostAndNotOfTheNumberOfRequests) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 2, 300);
  send(b, 'B', 6, 100);
  EXPECT_EQ(serve(8), "ABBBABBB");
}

TEST_F(ShareTreeTest, ALateJoinerStartsAtTheVirtualTimeAndMakesNothingUp) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 104);
  EXPECT_EQ(serve(100), std::string(100, 'A'));
  send(b, 'B', 4);
  // The hundredth A is in service: v = 99, and the next A starts at 100.
  EXPECT_EQ(serve(8), "BABABABA");
}

TEST_F(ShareTreeTest, AClassThatWasIdleEarnsNoCredit) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 1);
  send(b, 'B', 1);
  EXPECT_EQ(serve(2), "AB");
  send(a, 'A', 1000);
  (void)serve(997);
  send(b, 'B', 3);
  EXPECT_EQ(serve(6), "BABABA");
}

TEST_F(ShareTreeTest, AfterAnIdleTimeTheVirtualTimeIsTheLargestFinishTag) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 1, 50);
  EXPECT_EQ(serve(2), "A-");
  // Without the idle time B would start at 0 and have 50 ahead of A.
  send(b, 'B', 3);
  send(a, 'A', 3);
  EXPECT_EQ(serve(6), "BABABA");
}

TEST_F(ShareTreeTest, UntilTheNextTakeARequestCountsAsInService) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 1, 50);
  EXPECT_EQ(serve(1), "A");
  // Charged before it was sent: B arrives while v = 0, and the next A starts at 50.
  send(a, 'A', 2);
  send(b, 'B', 3, 10);
  EXPECT_EQ(serve(5), "BBBAA");
}

TEST_F(ShareTreeTest, NestedWeightsMultiply) {
  const ShareNode x = inner(root, "x", ShareOrder::Fair);
  const ShareNode y = queue(root, "y");
  const ShareNode a = queue(x, "a", 1);
  const ShareNode b = queue(x, "b", 3);
  send(a, 'A', 400);
  send(b, 'B', 400);
  send(y, 'Y', 400);
  (void)serve(400);
  EXPECT_EQ(served(a), 50);
  EXPECT_EQ(served(b), 150);
  EXPECT_EQ(served(x), 200);
  EXPECT_EQ(served(y), 200);
  EXPECT_EQ(served(root), 400);
}

TEST_F(ShareTreeTest, AWeightChangesAtOnceAndTheDebtStaysTheSameCost) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 1, 8);
  send(a, 'A', 20);
  send(b, 'B', 20);
  // A has had 8 and starts at 8; with weight 4 these are 2.
  EXPECT_EQ(serve(1), "A");
  ASSERT_TRUE(tree.setWeight(a, 4).ok());
  EXPECT_EQ(serve(2), "BB");
  EXPECT_EQ(serve(10), "ABAAAABAAA");
}

TEST_F(ShareTreeTest, AHeavierWeightCountsForARequestInService) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 2);
  send(b, 'B', 9);
  const auto taken = tree.take();
  ASSERT_TRUE(tree.setWeight(a, 0.25).ok());
  tree.charge(taken->queue, 1);
  EXPECT_EQ(serve(6), "BBBBAB");
}

TEST_F(ShareTreeTest, UnderOverloadEachGetsItsShareHoweverMuchItSends) {
  const ShareNode a = queue(root, "a", 1);
  const ShareNode b = queue(root, "b", 2);
  const ShareNode c = queue(root, "c", 5);
  // 12 arrive each tick, most of them where the weight is least; 8 are served.
  for (int tick = 0; tick < 100; ++tick) {
    send(a, 'A', 9);
    send(b, 'B', 2);
    send(c, 'C', 1);
    (void)serve(8);
  }
  EXPECT_EQ(served(c), 100);  // less than its share, all of what it sent
  EXPECT_EQ(served(b), 200);  // the same
  EXPECT_EQ(served(a), 500);  // what the others leave
  EXPECT_EQ(tree.length(a), 400u);
}

TEST_F(ShareTreeTest, TheShareOfASuspendedLeafGoesToItsSiblingsFirst) {
  const ShareNode x = inner(root, "x", ShareOrder::Fair);
  const ShareNode y = queue(root, "y");
  const ShareNode a = queue(x, "a");
  const ShareNode b = queue(x, "b");
  send(a, 'A', 200);
  send(b, 'B', 200);
  send(y, 'Y', 200);
  tree.suspend(a);
  tree.suspend(a);
  (void)serve(200);
  EXPECT_EQ(served(a), 0);
  EXPECT_EQ(served(b), 100);
  EXPECT_EQ(served(y), 100);
  EXPECT_EQ(tree.length(a), 200u);
  tree.resume(a);
  (void)serve(80);
  // No credit for the time before: A starts at 99 as the last B did, the next B at 100.
  EXPECT_EQ(served(a), 21);
  EXPECT_EQ(served(b), 119);
  EXPECT_EQ(served(y), 140);
}

TEST_F(ShareTreeTest, ASuspendedRootServesNothing) {
  const ShareNode a = queue(root, "a");
  send(a, 'A');
  tree.suspend(root);
  EXPECT_EQ(tree.next(), nullptr);
  EXPECT_EQ(serve(1), "-");
  tree.resume(root);
  EXPECT_NE(tree.next(), nullptr);
  EXPECT_EQ(serve(1), "A");
}

TEST_F(ShareTreeTest, StrictServesTheLowerOnlyWhileTheHigherIsEmpty) {
  const ShareNode link = inner(root, "link", ShareOrder::Strict);
  const ShareNode bulk = queue(link, "bulk", 1, 2);
  const ShareNode audio = queue(link, "audio", 1, 1);
  const ShareNode streams = inner(link, "streams", ShareOrder::Fair, 1, 1);
  const ShareNode film = queue(streams, "film");
  send(bulk, 'B', 3);
  EXPECT_EQ(serve(1), "B");
  send(film, 'F', 1);
  send(audio, 'A', 2);
  send(film, 'F', 1);
  // Equals in the order of their arrival, whether queue or inner node.
  EXPECT_EQ(serve(6), "FAAFBB");
  send(bulk, 'B', 1);
  send(audio, 'A', 1);
  ASSERT_TRUE(tree.setPriority(bulk, 0).ok());
  EXPECT_EQ(serve(3), "BA-");
}

TEST_F(ShareTreeTest, DeadlineServesTheEarliestFirstRequestOfAllQueues) {
  const ShareNode rounds = inner(root, "rounds", ShareOrder::Deadline);
  const ShareNode a = queue(rounds, "a");
  const ShareNode b = queue(rounds, "b");
  send(a, 'A', 1, 1, TimePoint(30ms));
  send(a, 'a', 1, 1, TimePoint(10ms));  // behind A: a queue is FIFO
  send(b, 'B', 1, 1, TimePoint(20ms));
  send(b, 'b', 1, 1, TimePoint(30ms));  // as A, which arrived first
  EXPECT_EQ(serve(4), "BAab");
}

TEST_F(ShareTreeTest, ArrivalIsFifoAcrossQueues) {
  const ShareNode all = inner(root, "all", ShareOrder::Arrival);
  const ShareNode a = queue(all, "a");
  const ShareNode b = queue(all, "b", 100);
  send(a, 'A', 2);
  send(b, 'B', 1);
  send(a, 'A', 1);
  send(b, 'B', 2);
  EXPECT_EQ(serve(6), "AABABB");
}

TEST_F(ShareTreeTest, ARequestLeavesFromTheMiddleAndTheFront) {
  const ShareNode rounds = inner(root, "rounds", ShareOrder::Deadline);
  const ShareNode a = queue(rounds, "a");
  const ShareNode b = queue(rounds, "b");
  SharePacket& front = send(a, '1', 1, 1, TimePoint(10ms));
  SharePacket& middle = send(a, '2', 1, 1, TimePoint(12ms));
  send(a, '3', 1, 1, TimePoint(40ms));
  SharePacket& other = send(b, 'B', 1, 1, TimePoint(20ms));
  EXPECT_EQ(tree.first(a), &front);
  tree.drop(middle);
  EXPECT_EQ(tree.length(a), 2u);
  tree.drop(front);  // now the first deadline of a is 40 ms
  EXPECT_EQ(serve(1), "B");
  EXPECT_FALSE(other.waits());
  EXPECT_EQ(serve(2), "3-");
  EXPECT_EQ(tree.first(a), nullptr);
  EXPECT_EQ(served(rounds), 2);
}

TEST_F(ShareTreeTest, DroppingTheLastRequestMakesTheWayToTheRootIdle) {
  const ShareNode x = inner(root, "x", ShareOrder::Fair);
  const ShareNode a = queue(x, "a");
  SharePacket& only = send(a, 'A');
  EXPECT_NE(tree.next(), nullptr);
  tree.drop(only);
  EXPECT_EQ(tree.next(), nullptr);
  EXPECT_EQ(serve(1), "-");
}

TEST_F(ShareTreeTest, WhatIsChargedCountsAndNotWhatWasExpected) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 3);
  send(b, 'B', 6);
  const auto taken = tree.take();
  EXPECT_EQ(taken->queue, a);
  tree.charge(a, 4);
  EXPECT_EQ(serve(5), "BBBBA");
}

TEST_F(ShareTreeTest, ACostOfZeroChangesNoShareAndStarvesNobody) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A', 2, 0);
  send(b, 'B', 2);
  send(a, 'A', 2, 0);
  EXPECT_EQ(serve(6), "AABAAB");
  EXPECT_EQ(served(a), 0);
}

TEST_F(ShareTreeTest, ARequestThatArrivesWhileItsQueueIsInServiceWaitsForTheCharge) {
  const ShareNode a = queue(root, "a");
  const ShareNode b = queue(root, "b");
  send(a, 'A');
  send(b, 'B', 3);
  const auto taken = tree.take();
  EXPECT_EQ(taken->queue, a);
  send(a, 'A', 2);
  tree.charge(a, 2);
  EXPECT_EQ(serve(5), "BBBAA");
}

TEST_F(ShareTreeTest, TagsGoBackToZeroWithoutChangingTheOrder) {
  const ShareNode a = queue(root, "a", 1);
  const ShareNode b = queue(root, "b", 2);
  send(a, 'A', 20, 1e9);
  send(b, 'B', 40, 1e9);
  std::string expected;
  for (int i = 0; i < 20; ++i) expected += "ABB";
  EXPECT_EQ(serve(60), expected);
  // A petabyte later one byte still counts.
  send(a, 'A', 1, 1e15);
  send(a, 'A', 2);
  EXPECT_EQ(serve(1), "A");
  EXPECT_EQ(serve(1), "A");
  send(a, 'A', 8);
  send(b, 'B', 8);
  EXPECT_EQ(serve(9), "BBABBABBA");
}

TEST_F(ShareTreeTest, MovedWhileBackloggedANodeTakesItsRequestsAndItsDebtAlong) {
  const ShareNode x = inner(root, "x", ShareOrder::Fair);
  const ShareNode y = inner(root, "y", ShareOrder::Fair);
  const ShareNode a = queue(x, "a");
  const ShareNode b = queue(x, "b");
  const ShareNode c = queue(y, "c");
  send(a, 'A', 1, 3);
  send(a, 'A', 9);
  send(b, 'B', 1);
  EXPECT_EQ(serve(2), "AB");  // in x v = 0, A starts at 3, B finished 1
  send(c, 'C', 9);
  tree.suspend(x);
  EXPECT_EQ(serve(3), "CCC");
  ASSERT_TRUE(tree.move(a, y).ok());
  EXPECT_EQ(tree.path(a).value(), "/y/a");
  // The debt of 3 begins at y's virtual time of 2: A starts at 5, C at 3.
  EXPECT_EQ(serve(6), "CCACAC");
  EXPECT_EQ(served(x), 4);
  EXPECT_EQ(served(y), 9);
}

TEST_F(ShareTreeTest, MovedAfterAnIdleTimeANodeBringsNoCredit) {
  const ShareNode x = inner(root, "x", ShareOrder::Fair);
  const ShareNode a = queue(x, "a");
  const ShareNode b = queue(x, "b");
  const ShareNode c = queue(root, "c");
  send(b, 'B', 50);
  send(c, 'C', 53);
  (void)serve(100);
  ASSERT_TRUE(tree.move(a, root).ok());
  send(a, 'A', 3);
  EXPECT_EQ(serve(6), "ACACAC");
}

TEST_F(ShareTreeTest, WhatIsInServiceWhileItsNodeIsMovedIsChargedWhereItWasTaken) {
  const ShareNode x = inner(root, "x", ShareOrder::Fair);
  const ShareNode y = inner(root, "y", ShareOrder::Fair);
  const ShareNode a = queue(x, "a");
  const ShareNode c = queue(y, "c");
  send(a, 'A', 5);
  send(c, 'C', 5);
  const auto taken = tree.take();
  EXPECT_EQ(taken->queue, a);
  ASSERT_TRUE(tree.move(a, y).ok());
  EXPECT_EQ(tree.remove(x).error().message, "The node /x has a request in service.");
  tree.charge(a, 2);
  EXPECT_EQ(served(x), 2);
  EXPECT_EQ(served(y), 0);
  EXPECT_EQ(served(root), 2);
  // In y, A has had 2 and C nothing.
  EXPECT_EQ(serve(5), "CCACA");
  EXPECT_TRUE(tree.remove(x).ok());
}

TEST_F(ShareTreeTest, AfterAMoveInServiceTheNewParentKnowsItsNextRequest) {
  const ShareNode link = inner(root, "link", ShareOrder::Strict);
  const ShareNode x = inner(link, "x", ShareOrder::Fair, 1, 0);
  const ShareNode y = inner(link, "y", ShareOrder::Fair, 1, 1);
  const ShareNode z = queue(link, "z", 1, 1);
  const ShareNode a = queue(x, "a");
  const ShareNode c = queue(y, "c");
  send(a, 'A', 2);
  send(z, 'Z', 1);
  send(c, 'C', 1);
  EXPECT_EQ(tree.take()->queue, a);
  ASSERT_TRUE(tree.move(a, y).ok());
  tree.charge(a, 5);
  // Now C comes first in y, and it arrived after Z.
  EXPECT_EQ(serve(3), "ZCA");
}

}  // namespace
}  // namespace tactus::periodic
