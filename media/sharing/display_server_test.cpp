// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/display_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

/// A socket at which this process listens, as a display server does.
class ListeningSocket {
 public:
  ListeningSocket() : m_socket(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    std::filesystem::remove(path);
    EXPECT_LT(path.size(), sizeof address.sun_path) << "the temporary folder's path is too long";
    listens = bind(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
              listen(m_socket, 1) == 0;
  }
  ~ListeningSocket() {
    close(m_socket);
    std::filesystem::remove(path);
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("display-" + std::to_string(getpid()))).string();
  bool listens = false;

 private:
  const int m_socket;
};

class DisplayServerTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
  }
};

TEST_F(DisplayServerTest, WithoutADisplayThereIsNone) {
  EXPECT_FALSE(displayServerProcess());
  setenv("DISPLAY", "elsewhere:0", 1);
  EXPECT_FALSE(displayServerProcess());
  setenv("DISPLAY", ":no", 1);
  EXPECT_FALSE(displayServerProcess());
  setenv("WAYLAND_DISPLAY", "/nowhere/at/all", 1);
  EXPECT_FALSE(displayServerProcess());
}

TEST_F(DisplayServerTest, ItIsWhoListensAtTheDisplaysSocket) {
  const ListeningSocket server;
  ASSERT_TRUE(server.listens);
  setenv("WAYLAND_DISPLAY", server.path.c_str(), 1);
  EXPECT_EQ(displayServerProcess(), getpid());
}

TEST_F(DisplayServerTest, ItsThreadsTimesAreThoseOfTheProcess) {
  const auto before = serverTimesOf(getpid());
  if (!before) GTEST_SKIP() << "the kernel keeps no schedstat";
  periodic::KernelTime time;
  const periodic::Duration end = time.threadCpu() + 100ms;
  while (time.threadCpu() < end) {
  }
  const auto after = serverTimesOf(getpid());
  ASSERT_TRUE(after);
  EXPECT_GE(after->used - before->used, 80ms);  // the kernel's figures lag by a tick
  EXPECT_LT(after->used - before->used, 10s);
  EXPECT_GE(after->waited, before->waited);
  EXPECT_GE(after->turns, before->turns);
  EXPECT_GT(after->turns, 0u);
}

TEST_F(DisplayServerTest, AProcessThatHasEndedHasNoTimes) {
  EXPECT_FALSE(serverTimesOf(1 << 22));  // above the largest process number
}

}  // namespace
}  // namespace tactus::media
