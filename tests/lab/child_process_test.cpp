// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/child_process.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;

TEST(ChildProcess, ItsExitStatusComesBackAndStays) {
  auto child = ChildProcess::start({"sh", "-c", "exit 7"}, {});
  ASSERT_TRUE(child.ok()) << child.error().message;
  const auto end = child.value().wait(10s);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->status, 7);
  EXPECT_EQ(child.value().poll()->status, 7);
}

TEST(ChildProcess, AMissingProgramIsNamed) {
  const auto child = ChildProcess::start({"no-such-program"}, {});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().message, "There is no program 'no-such-program'.");
}

TEST(ChildProcess, OneThatDoesNotListenIsKilled) {
  const auto before = std::signal(SIGTERM, SIG_IGN);  // the child inherits it
  auto child = ChildProcess::fork([] {
    for (;;) periodic::KernelTime::sleepUntil(periodic::MonotonicClock::now() + 1s);
  });
  std::signal(SIGTERM, before);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child.value().stop(100ms).status, 128 + SIGKILL);
}

TEST(ChildProcess, TheOwnersEndIsItsEnd) {
  pid_t pid = 0;
  {
    const auto child = ChildProcess::start({"sleep", "1000"}, {});
    ASSERT_TRUE(child.ok());
    pid = child.value().pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcess, ItsEnvironmentIsOursAndWhatIsAdded) {
  auto child =
      ChildProcess::start({"sh", "-c", "test \"$LAB_WORD\" = yes && test -n \"$PATH\""},
                          {.environment = {{"LAB_WORD", "yes"}}, .outputFile = "", .keptDescriptor = -1});
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child.value().wait(10s)->status, 0);
}

}  // namespace
}  // namespace tactus::lab
