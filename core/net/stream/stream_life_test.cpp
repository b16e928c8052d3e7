// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_life.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace tactus::net {
namespace {

Result<void> apply(StreamLife& life, StreamOperation operation) {
  switch (operation) {
    case StreamOperation::Attach:
      return life.attach();
    case StreamOperation::Connect:
      return life.connect();
    case StreamOperation::Start:
      return life.start();
    case StreamOperation::Pause:
      return life.pause();
    case StreamOperation::Resume:
      return life.resume();
    case StreamOperation::Stop:
      return life.stop();
    case StreamOperation::Disconnect:
      break;
  }
  return life.disconnect("The other end was closed.");
}

StreamLife liveStream() {
  StreamLife life("mic");
  EXPECT_TRUE(life.attach().ok());
  EXPECT_TRUE(life.connect().ok());
  EXPECT_TRUE(life.start().ok());
  return life;
}

TEST(StreamLife, GoesThroughFigureFive) {
  StreamLife life("mic");
  EXPECT_EQ(life.state(), StreamState::Ready);
  ASSERT_TRUE(life.attach().ok());
  EXPECT_EQ(life.state(), StreamState::Attached);
  ASSERT_TRUE(life.connect().ok());
  EXPECT_EQ(life.state(), StreamState::Connected);
  ASSERT_TRUE(life.start().ok());
  EXPECT_EQ(life.state(), StreamState::Live);
  ASSERT_TRUE(life.pause().ok());
  EXPECT_EQ(life.state(), StreamState::Paused);
  ASSERT_TRUE(life.resume().ok());
  EXPECT_EQ(life.state(), StreamState::Live);
  ASSERT_TRUE(life.stop().ok());
  EXPECT_EQ(life.state(), StreamState::Connected);
}

TEST(StreamLife, APausedPortCanBeStopped) {
  StreamLife life = liveStream();
  ASSERT_TRUE(life.pause().ok());
  ASSERT_TRUE(life.stop().ok());
  EXPECT_EQ(life.state(), StreamState::Connected);
}

TEST(StreamLife, ARefusalNamesTheStateAndWhatIsPossible) {
  StreamLife life("mic");
  ASSERT_TRUE(life.attach().ok());
  const auto paused = life.pause();
  ASSERT_FALSE(paused.ok());
  EXPECT_EQ(paused.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(paused.error().message, "The port mic cannot be paused: it is attached, not live.");
  EXPECT_EQ(life.stop().error().message,
            "The port mic cannot be stopped: it is attached, not live or paused.");
  EXPECT_EQ(life.attach().error().message,
            "The port mic cannot be given a handler: it is attached, not ready.");
  EXPECT_EQ(life.state(), StreamState::Attached);
}

TEST(StreamLife, APeerThatGoesLeavesThePortAttachedWithAReason) {
  StreamLife life = liveStream();
  ASSERT_TRUE(life.disconnect("The host studio does not answer.").ok());
  EXPECT_EQ(life.state(), StreamState::Attached);
  EXPECT_EQ(life.lastError(), "The host studio does not answer.");
  EXPECT_FALSE(life.disconnect("Again.").ok());
  EXPECT_EQ(life.lastError(), "The host studio does not answer.");
  ASSERT_TRUE(life.connect().ok());
  EXPECT_EQ(life.lastError(), "");
}

TEST(StreamLife, NamesDiffer) {
  std::set<std::string_view> names;
  for (const auto state : {StreamState::Ready, StreamState::Attached, StreamState::Connected,
                           StreamState::Live, StreamState::Paused})
    names.insert(nameOf(state));
  EXPECT_EQ(names, (std::set<std::string_view>{"ready", "attached", "connected", "live", "paused"}));
}

/// The same by what a port has instead of by a table.
struct NaivePort {
  bool handler = false, peer = false, thread = false, silent = false;

  bool apply(StreamOperation operation) {
    switch (operation) {
      case StreamOperation::Attach:
        return !handler && (handler = true);
      case StreamOperation::Connect:
        return handler && !peer && (peer = true);
      case StreamOperation::Start:
        return peer && !thread && (thread = true);
      case StreamOperation::Pause:
        return thread && !silent && (silent = true);
      case StreamOperation::Resume:
        return silent && !(silent = false);
      case StreamOperation::Stop:
        return thread && !(thread = silent = false);
      case StreamOperation::Disconnect:
        break;
    }
    return peer && !(peer = thread = silent = false);
  }

  [[nodiscard]] StreamState state() const {
    if (silent) return StreamState::Paused;
    if (thread) return StreamState::Live;
    if (peer) return StreamState::Connected;
    return handler ? StreamState::Attached : StreamState::Ready;
  }
};

RC_GTEST_PROP(StreamLifeProperty, RandomOperationsAgreeWithWhatAPortHas, ()) {
  StreamLife life("port");
  NaivePort naive;
  const int count = *rc::gen::element(5, 20, 60);
  for (int i = 0; i < count; ++i) {
    // Those that lead on come more often, so that all states are seen.
    const auto operation = *rc::gen::element(
        StreamOperation::Attach, StreamOperation::Attach, StreamOperation::Connect, StreamOperation::Connect,
        StreamOperation::Start, StreamOperation::Start, StreamOperation::Pause, StreamOperation::Resume,
        StreamOperation::Stop, StreamOperation::Disconnect);
    const bool can = life.can(operation);
    const StreamState before = life.state();
    const bool done = apply(life, operation).ok();
    RC_ASSERT(done == can);
    RC_ASSERT(naive.apply(operation) == done);
    RC_ASSERT(life.state() == naive.state());
    RC_ASSERT(done != (life.state() == before));
  }
}

}  // namespace
}  // namespace tactus::net
