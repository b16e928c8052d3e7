// SPDX-License-Identifier: Apache-2.0
#include "app/room_option.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/options.h"

namespace tactus::app {
namespace {

std::string faultOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "host");
  const auto options = parseOptions(arguments);
  return options.ok() ? "" : options.error().message;
}

TEST(RoomOption, ARoomIsDescribedByOptions) {
  const auto options = parseOptions({"host", "--name", "Tuesday", "--port=4711", "--address=FD00::1",
                                     "--lobby", "--max=3", "--headless", "--duration=5", "--report=json"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options.value().command, Command::Host);
  EXPECT_EQ(options.value().room.name, "Tuesday");
  EXPECT_EQ(options.value().room.port, 4711);
  EXPECT_EQ(options.value().room.address, "fd00::1");
  EXPECT_TRUE(options.value().room.lobby);
  EXPECT_EQ(options.value().room.most, 3u);
  EXPECT_TRUE(options.value().report);
}

TEST(RoomOption, WithoutOptionsThereAreDefaults) {
  const auto options = parseOptions({"host"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().room.name, "Room");
  EXPECT_EQ(options.value().room.port, 0);
  EXPECT_EQ(options.value().room.most, 8u);
  EXPECT_FALSE(options.value().room.lobby);
}

TEST(RoomOption, MistakesAreToldInASentence) {
  EXPECT_EQ(faultOf({"--port=65536"}), "--port takes a number from 0 to 65535, not '65536'.");
  EXPECT_EQ(faultOf({"--port=1.5"}), "--port takes a whole number, not '1.5'.");
  EXPECT_EQ(faultOf({"--max=0"}), "--max takes a number from 1 to 32, not '0'.");
  EXPECT_EQ(faultOf({"--name="}), "--name takes a name of 1 to 128 bytes in UTF-8, not ''.");
  for (const char* address : {"", "a b", "a/b", "fe80::1%eth0", "a:1", "[::1]", "@", "#"})
    EXPECT_EQ(faultOf({"--address", address}),
              "--address takes a host name or a numeric address, not '" + std::string(address) + "'.");
  EXPECT_EQ(faultOf({"film.mkv"}), "tactus host takes no file; ./host plays a file of that name.");
}

}  // namespace
}  // namespace tactus::app
