// SPDX-License-Identifier: Apache-2.0
// Nodes that come, go and change, their handles and paths, and what is refused.
#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "core/periodic/share/share_fixture.h"

namespace tactus::periodic {
namespace {

using ShareTreeShapeTest = ShareTreeFixture;

template <typename T>
std::string failure(const Result<T>& result, ErrorCode expected) {
  if (result.ok()) return "no failure";
  EXPECT_EQ(result.error().code, expected);
  return result.error().message;
}

TEST_F(ShareTreeShapeTest, PathsLeadToNodesAndBack) {
  const ShareNode stream = inner(root, "stream", ShareOrder::Fair);
  const ShareNode film = queue(stream, "film");
  EXPECT_EQ(tree.find("/").value(), root);
  EXPECT_EQ(tree.find("/stream").value(), stream);
  EXPECT_EQ(tree.find("/stream/film").value(), film);
  EXPECT_EQ(tree.path(root).value(), "/");
  EXPECT_EQ(tree.path(film).value(), "/stream/film");
}

TEST_F(ShareTreeShapeTest, BadPathsAreRefused) {
  inner(root, "stream", ShareOrder::Fair);
  EXPECT_EQ(failure(tree.find("/film"), ErrorCode::NotFound), "There is no node /film.");
  EXPECT_EQ(failure(tree.find("/stream/film/x"), ErrorCode::NotFound), "There is no node /stream/film/x.");
  for (const char* bad : {"", "stream", "//", "/stream/", "//stream", "/film//x", "/film/"}) {
    EXPECT_EQ(
        failure(tree.find(bad), ErrorCode::InvalidArgument),
        "A path is '/' or '/' before each name, as in /stream/film; '" + std::string(bad) + "' is not.");
  }
}

TEST_F(ShareTreeShapeTest, BadNamesAndWeightsAreRefused) {
  const ShareNode film = queue(root, "film");
  EXPECT_EQ(failure(tree.make(root, "", {}), ErrorCode::InvalidArgument),
            "A node of the share tree needs a name.");
  EXPECT_EQ(failure(tree.make(root, "a/b", {}), ErrorCode::InvalidArgument),
            "The name a/b has a '/', which parts the names of a path.");
  EXPECT_EQ(failure(tree.make(root, "film", {}), ErrorCode::InvalidArgument),
            "The node / already has a child named film.");
  for (const double bad : {0.0, -1.0, 1e-10, 1e13, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(failure(tree.make(root, "x", {.order = {}, .weight = bad}), ErrorCode::InvalidArgument),
                testing::StartsWith("A weight lies between 1e-09 and 1e+12; "));
    EXPECT_THAT(failure(tree.setWeight(film, bad), ErrorCode::InvalidArgument),
                testing::StartsWith("A weight lies between 1e-09 and 1e+12; "));
  }
  EXPECT_EQ(tree.rows().size(), 2u);
}

TEST_F(ShareTreeShapeTest, AQueueHasNoChildrenAndSomeOrdersTakeOnlyQueues) {
  const ShareNode film = queue(root, "film");
  const ShareNode rounds = inner(root, "rounds", ShareOrder::Deadline);
  const ShareNode all = inner(root, "all", ShareOrder::Arrival);
  const ShareNode part = inner(root, "part", ShareOrder::Strict);
  EXPECT_EQ(failure(tree.make(film, "x", {}), ErrorCode::InvalidArgument),
            "The node /film is a queue: it has no children.");
  EXPECT_EQ(failure(tree.make(rounds, "x", {.order = ShareOrder::Fair}), ErrorCode::InvalidArgument),
            "The children of /rounds are queues alone: it goes by deadline.");
  EXPECT_EQ(failure(tree.move(part, all), ErrorCode::InvalidArgument),
            "The children of /all are queues alone: it goes by arrival.");
  EXPECT_TRUE(tree.make(part, "x", {.order = ShareOrder::Fair}).ok());
  EXPECT_TRUE(tree.make(rounds, "x", {}).ok());
}

TEST_F(ShareTreeShapeTest, OnlyAnEmptyNodeIsRemoved) {
  const ShareNode stream = inner(root, "stream", ShareOrder::Fair);
  const ShareNode film = queue(stream, "film");
  send(film, 'F');
  EXPECT_EQ(failure(tree.remove(root), ErrorCode::Refused), "The root of the share tree cannot be removed.");
  EXPECT_EQ(failure(tree.remove(stream), ErrorCode::Refused), "The node /stream has children.");
  EXPECT_EQ(failure(tree.remove(film), ErrorCode::Refused), "The node /stream/film has requests that wait.");
  const auto taken = tree.take();
  EXPECT_EQ(failure(tree.remove(film), ErrorCode::Refused),
            "The node /stream/film has a request in service.");
  tree.charge(taken->queue, 1);
  EXPECT_TRUE(tree.remove(film).ok());
  EXPECT_TRUE(tree.remove(stream).ok());
  EXPECT_EQ(serve(1), "-");
  EXPECT_EQ(served(root), 1);
}

TEST_F(ShareTreeShapeTest, ANodeIsNotMovedBelowItselfNorOntoAName) {
  const ShareNode a = inner(root, "a", ShareOrder::Fair);
  const ShareNode b = inner(a, "b", ShareOrder::Fair);
  const ShareNode film = queue(b, "film");
  queue(root, "film");
  EXPECT_EQ(failure(tree.move(root, a), ErrorCode::Refused), "The root of the share tree cannot be moved.");
  EXPECT_EQ(failure(tree.move(a, a), ErrorCode::InvalidArgument),
            "The node /a cannot be moved below itself.");
  EXPECT_EQ(failure(tree.move(a, b), ErrorCode::InvalidArgument),
            "The node /a cannot be moved below itself.");
  EXPECT_EQ(failure(tree.move(b, film), ErrorCode::InvalidArgument),
            "The node /a/b cannot be moved below itself.");
  EXPECT_EQ(failure(tree.move(film, root), ErrorCode::InvalidArgument),
            "The node / already has a child named film.");
  EXPECT_TRUE(tree.move(film, b).ok());
  EXPECT_TRUE(tree.move(film, a).ok());
  EXPECT_EQ(tree.path(film).value(), "/a/film");
}

TEST_F(ShareTreeShapeTest, AHandleOfANodeThatIsGoneIsNotFound) {
  const ShareNode old = queue(root, "film");
  ASSERT_TRUE(tree.remove(old).ok());
  const ShareNode fresh = queue(root, "film");
  EXPECT_NE(old, fresh);
  const std::string sentence = "This node of the share tree does not exist any more.";
  for (const ShareNode gone : {old, ShareNode::None}) {
    EXPECT_EQ(failure(tree.make(gone, "x", {}), ErrorCode::NotFound), sentence);
    EXPECT_EQ(failure(tree.remove(gone), ErrorCode::NotFound), sentence);
    EXPECT_EQ(failure(tree.move(gone, root), ErrorCode::NotFound), sentence);
    EXPECT_EQ(failure(tree.move(fresh, gone), ErrorCode::NotFound), sentence);
    EXPECT_EQ(failure(tree.path(gone), ErrorCode::NotFound), sentence);
    EXPECT_EQ(failure(tree.setWeight(gone, 1), ErrorCode::NotFound), sentence);
    EXPECT_EQ(failure(tree.setPriority(gone, 1), ErrorCode::NotFound), sentence);
  }
}

TEST_F(ShareTreeShapeTest, NoHandleIsGivenTwice) {
  std::set<ShareNode> given;
  for (int i = 0; i < 10000; ++i) {
    const ShareNode node = queue(root, "film");
    EXPECT_TRUE(given.insert(node).second);
    ASSERT_TRUE(tree.remove(node).ok());
  }
}

TEST_F(ShareTreeShapeTest, RealTimeCallsWithANodeThatIsGoneAreAProgrammersError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ShareNode film = queue(root, "film");
  SharePacket packet('F', 1, {});
  EXPECT_DEATH_IF_SUPPORTED(tree.charge(film, 1), "m_uncharged");
  EXPECT_DEATH_IF_SUPPORTED(tree.enqueue(root, packet), "isQueue");
  ASSERT_TRUE(tree.remove(film).ok());
  EXPECT_DEATH_IF_SUPPORTED(tree.enqueue(film, packet), "nullptr");
}

TEST_F(ShareTreeShapeTest, RowsShowTheTreeDepthFirst) {
  const ShareNode stream = inner(root, "stream", ShareOrder::Fair, 3);
  const ShareNode film = queue(stream, "film", 1);
  const ShareNode bulk = inner(root, "bulk", ShareOrder::Strict);
  const ShareNode mail = queue(bulk, "mail", 1, 7);
  const ShareNode call = queue(stream, "call", 4);
  send(film, 'F', 2, 100);
  send(call, 'C', 3, 100);
  EXPECT_EQ(serve(1), "F");
  tree.suspend(call);
  const auto rows = tree.rows();
  ASSERT_EQ(rows.size(), 6u);
  const std::vector<ShareNode> order{root, stream, film, call, bulk, mail};
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].node, order[i]);
  EXPECT_EQ(rows[3].path, "/stream/call");
  EXPECT_EQ(rows[3].depth, 2);
  EXPECT_FALSE(rows[3].order);
  EXPECT_EQ(rows[3].weight, 4);
  EXPECT_EQ(rows[3].share, 0.8);
  EXPECT_EQ(rows[3].waiting, 3u);
  EXPECT_TRUE(rows[3].suspended);
  EXPECT_FALSE(rows[3].runnable);
  EXPECT_EQ(rows[1].waiting, 4u);
  EXPECT_EQ(rows[1].share, 0.75);
  EXPECT_TRUE(rows[1].runnable);
  EXPECT_EQ(rows[0].waiting, 4u);
  EXPECT_EQ(rows[0].served, 100);
  EXPECT_EQ(rows[5].priority, 7);
  EXPECT_EQ(rows[5].share, std::nullopt);
  EXPECT_EQ(
      linesOf(rows),
      "/             fair      weight 1         share 100.0 %  priority 0     waiting 4      served 100   "
      "        runnable\n"
      "/stream       fair      weight 3         share  75.0 %  priority 0     waiting 4      served 100   "
      "        runnable\n"
      "/stream/film  queue     weight 1         share  20.0 %  priority 0     waiting 1      served 100   "
      "        runnable\n"
      "/stream/call  queue     weight 4         share  80.0 %  priority 0     waiting 3      served 0     "
      "        suspended\n"
      "/bulk         strict    weight 1         share  25.0 %  priority 0     waiting 0      served 0     "
      "        idle\n"
      "/bulk/mail    queue     weight 1         share       -  priority 7     waiting 0      served 0     "
      "        idle\n");
}

}  // namespace
}  // namespace tactus::periodic
