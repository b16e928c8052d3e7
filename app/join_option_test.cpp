// SPDX-License-Identifier: Apache-2.0
#include "app/join_option.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/options.h"

namespace tactus::app {
namespace {

using Kind = media::CaptureSource::Kind;

const std::string kBare = "https://h:1/r/" + std::string(32, 'A');
const std::string kLink = kBare + "#sha256=" + std::string(43, 'A');

std::string faultOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "join");
  const auto options = parseOptions(arguments);
  return options.ok() ? "" : options.error().message;
}

TEST(JoinOption, AStayIsDescribedByItsLinkAndOptions) {
  const auto options = parseOptions({"join", kLink, "--name", "Ann", "--camera=film.mkv", "--mic=none",
                                     "--headless", "--duration=5", "--report=json"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options.value().command, Command::Join);
  const JoinOption& join = options.value().join;
  EXPECT_EQ(join.link, kLink);
  EXPECT_EQ(join.name, "Ann");
  ASSERT_TRUE(join.camera);
  EXPECT_EQ(join.camera->kind, Kind::File);
  EXPECT_EQ(join.camera->name, "film.mkv");
  EXPECT_FALSE(join.microphone);
  EXPECT_FALSE(join.speaker);
  EXPECT_TRUE(options.value().items.empty());
}

TEST(JoinOption, ALinkIsJoinedWithoutTheCommand) {
  const auto window = parseOptions({kLink, "--fullscreen"});
  ASSERT_TRUE(window.ok()) << window.error().message;
  EXPECT_EQ(window.value().command, Command::Join);
  EXPECT_EQ(window.value().join.link, kLink);
  EXPECT_FALSE(window.value().headless);
  const auto headless = parseOptions({"--headless", kLink});
  ASSERT_TRUE(headless.ok()) << headless.error().message;
  EXPECT_EQ(headless.value().command, Command::Join);
  EXPECT_TRUE(headless.value().headless);
  EXPECT_EQ(parseOptions({"https://h:1/film.mkv"}).value().command, Command::Play);
  EXPECT_EQ(parseOptions({"film.mkv", kLink}).value().command, Command::Play) << "a list of films";
}

TEST(JoinOption, WithoutOptionsATestPictureAndAToneArePublished) {
  const auto options = parseOptions({"join", kLink});
  ASSERT_TRUE(options.ok()) << options.error().message;
  const JoinOption& join = options.value().join;
  EXPECT_EQ(join.name, "Tactus");
  ASSERT_TRUE(join.camera && join.microphone);
  EXPECT_EQ(join.camera->kind, Kind::Test);
  EXPECT_EQ(join.microphone->kind, Kind::Test);
}

TEST(JoinOption, ACameraIsADevice) {
  const auto options = parseOptions({"join", kLink, "--camera=/dev/video0"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options.value().join.camera->kind, Kind::Device);
  EXPECT_EQ(options.value().join.camera->name, "/dev/video0");
}

TEST(JoinOption, ASpeakerIsNobodyTheDefaultOrANode) {
  const auto speakerOf = [](const std::string& value) {
    const auto options = parseOptions({"join", kLink, "--speaker", value});
    return options.ok() ? options.value().join.speaker.value_or("nobody") : options.error().message;
  };
  EXPECT_EQ(speakerOf("none"), "nobody");
  EXPECT_EQ(speakerOf("default"), "");
  EXPECT_EQ(speakerOf("alsa_output.headset"), "alsa_output.headset");
}

TEST(JoinOption, AVoiceIsProcessedOrOriginal) {
  const auto originalOf = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"join", kLink});
    const auto options = parseOptions(arguments);
    return options.ok() ? options.value().join.originalSound : std::nullopt;
  };
  EXPECT_EQ(originalOf({}), std::nullopt);
  EXPECT_EQ(originalOf({"--voice=processed"}), false);
  EXPECT_EQ(originalOf({"--voice", "original"}), true);
}

TEST(JoinOption, MistakesAreToldInASentence) {
  EXPECT_EQ(faultOf({}), "tactus join takes the link of one room; `tactus host` prints it.");
  EXPECT_EQ(faultOf({kLink, kLink}), "tactus join takes the link of one room; `tactus host` prints it.");
  EXPECT_EQ(faultOf({kBare}),
            "The link has no fingerprint of the room's certificate: copy it whole, with what follows the "
            "'#'.");
  EXPECT_EQ(faultOf({kLink, "--camera="}), "--camera takes test, none, or a file.");
  EXPECT_EQ(faultOf({kLink, "--speaker="}), "--speaker takes none, default, or a node of PipeWire.");
  EXPECT_EQ(faultOf({kLink, "--voice=loud"}), "--voice takes processed or original, not 'loud'.");
  EXPECT_EQ(faultOf({kLink, "--name="}), "--name takes a name of 1 to 128 bytes in UTF-8, not ''.");
  EXPECT_NE(faultOf({"film.mkv"}), "");
}

}  // namespace
}  // namespace tactus::app
