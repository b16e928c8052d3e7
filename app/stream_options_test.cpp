// SPDX-License-Identifier: Apache-2.0
// `tactus send` and `tactus recv` on the command line.
#include <gtest/gtest.h>

#include "app/options.h"

namespace tactus::app {
namespace {

using media::Priority;

std::string faultOf(const std::vector<std::string>& arguments) {
  const auto options = parseOptions(arguments);
  return options.ok() ? "" : options.error().message;
}

TEST(StreamOptions, SendTakesSourcesAndAddressesInTurn) {
  const auto options = parseOptions({"send", "--rate=20mbit", "film.mp4@high,name=Film",
                                     "udp://host:7000/film?token=a", "mic", "local:mic", "--load"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  const Options& send = options.value();
  EXPECT_EQ(send.command, Command::Send);
  EXPECT_EQ(send.linkRate, net::BitRate::perSecond(20'000'000));
  EXPECT_TRUE(send.loadWindow);
  ASSERT_EQ(send.sent.size(), 2u);
  EXPECT_EQ(send.sent[0].source.item, "film.mp4");
  EXPECT_EQ(send.sent[0].source.terms.priority, Priority::High);
  EXPECT_EQ(send.sent[0].source.name(), "Film");
  EXPECT_EQ(send.sent[0].place.text(), "udp://host:7000/film?token=a");
  EXPECT_EQ(send.sent[1].source.item, "mic");
  EXPECT_EQ(send.sent[1].source.terms.priority, Priority::Normal);
  EXPECT_TRUE(send.items.empty());
}

TEST(StreamOptions, SendHasAPriorityForThoseWithoutTerms) {
  const auto options =
      parseOptions({"send", "a@high", "tcp://host:1/a", "b", "tcp://host:1/b", "--priority", "background"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options.value().sent[0].source.terms.priority, Priority::High);
  EXPECT_EQ(options.value().sent[1].source.terms.priority, Priority::Background);
}

TEST(StreamOptions, SendSaysWhatItLacks) {
  EXPECT_EQ(faultOf({"send"}), "tactus send needs what to send, and where to.");
  EXPECT_EQ(faultOf({"send", "a", "tcp://host:1/a", "b"}),
            "tactus send takes a source and an address in turn: 'b' has none.");
  EXPECT_NE(faultOf({"send", "a", "b"}).find("'b' is none of these."), std::string::npos);
  EXPECT_EQ(
      faultOf({"send", "a@f_min=0.5", "tcp://host:1/a"}),
      "A stream that is sent has high, normal, background, weight= and name=; 'a@f_min=0.5' says more.");
  EXPECT_EQ(faultOf({"send", "--rate=0", "a", "tcp://host:1/a"}), "--rate is above 0: nothing would leave.");
  EXPECT_NE(faultOf({"send", "--rate=fast", "a", "tcp://host:1/a"}), "");
  EXPECT_EQ(faultOf({"send", "--headless", "a", "tcp://host:1/a"}),
            "There is no option --headless; see tactus send --help.");
}

TEST(StreamOptions, RecvPlaysWhatComes) {
  const auto options = parseOptions({"recv", "--headless", "udp://0.0.0.0:7000/film@high", "local:mic"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options.value().command, Command::Headless);
  ASSERT_EQ(options.value().received.size(), 2u);
  EXPECT_EQ(options.value().received[0].place.text(), "udp://0.0.0.0:7000/film");
  EXPECT_EQ(options.value().received[0].source.terms.priority, Priority::High);
  EXPECT_EQ(options.value().received[1].place.address.name, "mic");
  EXPECT_TRUE(options.value().items.empty());
  EXPECT_EQ(parseOptions({"recv", "local:mic"}).value().command, Command::Play);
}

TEST(StreamOptions, RecvSaysWhatItLacks) {
  EXPECT_EQ(faultOf({"recv"}), "tactus recv needs the address at which a stream arrives.");
  EXPECT_NE(faultOf({"recv", "film.mp4"}).find("'film.mp4' is none of these."), std::string::npos);
  EXPECT_EQ(faultOf({"recv", "--tile", "a", "local:mic"}),
            "There is no option --tile; see tactus recv --help.");
}

TEST(StreamOptions, AreCommandsOnlyInTheFirstPlace) {
  EXPECT_EQ(parseOptions({"--pause", "send"}).value().items, std::vector<std::string>{"send"});
  EXPECT_EQ(parseOptions({"./recv"}).value().items, std::vector<std::string>{"./recv"});
}

TEST(StreamOptions, HaveAHelpOfTheirOwn) {
  EXPECT_NE(helpText("send").find("Usage: tactus send [OPTION]... SOURCE[@TERMS] ADDRESS"),
            std::string::npos);
  EXPECT_NE(helpText("send").find("--rate RATE"), std::string::npos);
  EXPECT_NE(helpText("recv").find("Usage: tactus recv [OPTION]... ADDRESS[@TERMS]..."), std::string::npos);
  EXPECT_EQ(helpText("recv").find("--tile FILE"), std::string::npos);
  EXPECT_EQ(parseOptions({"send", "--help"}).value().topic, "send");
}

}  // namespace
}  // namespace tactus::app
