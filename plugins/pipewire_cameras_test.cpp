// SPDX-License-Identifier: Apache-2.0
// A daemon of the test's own, with a node of the class of cameras.
#include "plugins/pipewire_cameras.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "plugins/pipewire_fixture.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class PipeWireCamerasTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"pipewire", "wireplumber", "dbus-run-session", "pw-cli"})
      if (!installed(program)) GTEST_SKIP() << program << " is not installed";
  }
  /// `facts`: what else the node says of itself.
  static bool plugIn(const std::string& facts = "") {
    return std::system(("pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=camera "
                        "media.class=Video/Source object.linger=true " +
                        facts + "}' >/dev/null 2>&1")
                           .c_str()) == 0;
  }
  static bool unplug() { return std::system("pw-cli destroy camera >/dev/null 2>&1") == 0; }
};

TEST_F(PipeWireCamerasTest, ComeAndGo) {
  const PrivateSession session;
  ASSERT_TRUE(session.ready);
  std::atomic<int> changes{0};
  const PipeWireCameras cameras([&] { ++changes; });
  EXPECT_TRUE(cameras.list().empty()) << "a sink is none";
  ASSERT_TRUE(plugIn("node.description=\"Front camera\""));
  ASSERT_TRUE(within(kPatience, [&] { return cameras.list().size() == 1 && changes > 0; }));
  EXPECT_EQ(cameras.list().front().label, "Front camera");
  EXPECT_EQ(cameras.list().front().serial, output("pw-cli info camera | sed -n 's/.*object.serial = //p' | "
                                                  "tr -d '\"'"));
  const PipeWireCameras later({});
  EXPECT_EQ(later.list(), cameras.list()) << "what was there before is known at once";
  const int before = changes;
  ASSERT_TRUE(unplug());
  EXPECT_TRUE(within(kPatience, [&] { return cameras.list().empty() && changes > before; }));
}

TEST_F(PipeWireCamerasTest, WhoSaysNoMoreThanItsNameIsCalledByIt) {
  const PrivateSession session;
  ASSERT_TRUE(session.ready);
  const PipeWireCameras cameras({});
  ASSERT_TRUE(plugIn());
  ASSERT_TRUE(within(kPatience, [&] { return cameras.list().size() == 1; }));
  EXPECT_EQ(cameras.list().front().label, "camera");
}

TEST_F(PipeWireCamerasTest, ADaemonThatComesBackIsAskedAgain) {
  PrivateSession session;
  ASSERT_TRUE(session.ready && plugIn());
  std::atomic<int> changes{0};
  const PipeWireCameras cameras([&] { ++changes; });
  ASSERT_EQ(cameras.list().size(), 1);
  session.killDaemon();
  EXPECT_TRUE(within(kPatience, [&] { return cameras.list().empty() && changes > 0; }));
  session.start();
  ASSERT_TRUE(session.ready && plugIn());
  EXPECT_TRUE(within(kPatience, [&] { return cameras.list().size() == 1; }));
}

TEST_F(PipeWireCamerasTest, WithoutADaemonThereAreNone) {
  const EmptyRuntime nothing;
  const auto begin = Clock::now();
  const PipeWireCameras cameras({});
  EXPECT_LT(Clock::now() - begin, kPatience) << "nobody is waited for";
  EXPECT_TRUE(cameras.list().empty());
}

}  // namespace
}  // namespace tactus::plugins
