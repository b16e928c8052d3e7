// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <gtest/gtest.h>

namespace tactus::app {
namespace {

using namespace std::chrono_literals;

TEST(Options, NoArgumentsOpenTheEmptyWindow) {
  const auto options = parseOptions({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().command, Command::Play);
  EXPECT_TRUE(options.value().items.empty());
  EXPECT_DOUBLE_EQ(options.value().volume, 1.0);
}

TEST(Options, HeadlessTakesDurationAndReportFile) {
  const auto options =
      parseOptions({"--headless", "--duration", "2.5", "--report=json:out.json", "film.mp4"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().command, Command::Headless);
  EXPECT_EQ(options.value().duration, periodic::Duration(2500ms));
  EXPECT_EQ(options.value().reportFormat, ReportFormat::Json);
  EXPECT_EQ(options.value().reportFile, "out.json");
  EXPECT_EQ(options.value().items, std::vector<std::string>{"film.mp4"});
}

TEST(Options, HeadlessWithoutItemIsRefusedWithASentence) {
  const auto options = parseOptions({"--headless"});
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().message, "--headless needs a file or URL to play.");
}

TEST(Options, GeometryMayHaveAPlace) {
  const auto plain = parseOptions({"--geometry=640x360", "a"}).value();
  EXPECT_EQ(plain.width, 640);
  EXPECT_FALSE(plain.x.has_value());
  const auto placed = parseOptions({"--geometry=400x225+20+30", "a"}).value();
  EXPECT_EQ(placed.height, 225);
  EXPECT_EQ(placed.x, 20);
  EXPECT_EQ(placed.y, 30);
  for (const char* wrong : {"640", "640x", "640x360+1", "640x360+a+1", "640x360+1+"})
    EXPECT_FALSE(parseOptions({std::string("--geometry=") + wrong, "a"}).ok()) << wrong;
}

TEST(Options, TilesHaveTerms) {
  const auto options = parseOptions(
      {"--headless", "--tile", "a.mp4@high", "--tile=b.mp4@background,f_min=0.25,weight=3", "--tile",
       "rtsp://me@camera/1", "--tile", "c.mp4@class=guaranteed,cpus=0+1,misses=5/2.5,name=Door"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  const auto& tiles = options.value().tiles;
  ASSERT_EQ(tiles.size(), 4u);
  EXPECT_EQ(tiles[0].item, "a.mp4");
  EXPECT_EQ(tiles[0].terms.priority, media::Priority::High);
  EXPECT_EQ(tiles[1].item, "b.mp4");
  EXPECT_EQ(tiles[1].terms.priority, media::Priority::Background);
  EXPECT_EQ(tiles[1].terms.leastFrequency, 0.25);
  EXPECT_EQ(tiles[1].terms.weight, 3);
  EXPECT_EQ(tiles[2].item, "rtsp://me@camera/1");
  EXPECT_EQ(tiles[2].terms.priority, media::Priority::Normal);
  EXPECT_EQ(tiles[3].item, "c.mp4");
  EXPECT_EQ(tiles[3].terms.service, periodic::ServiceClass::Guaranteed);
  EXPECT_EQ(tiles[3].terms.cpus, (std::vector<int>{0, 1}));
  EXPECT_EQ(tiles[3].terms.name, "Door");
  EXPECT_EQ(tiles[3].terms.tolerated, 5u);
  EXPECT_EQ(tiles[3].terms.window, std::chrono::milliseconds(2500));
  EXPECT_TRUE(tiles[0].given);
  EXPECT_FALSE(tiles[2].given);
}

TEST(Options, TermsThatAreNoneSayWhatThereIs) {
  const auto message = [](const char* tile) {
    return parseOptions({"--headless", "--tile", tile}).error().message;
  };
  EXPECT_EQ(message("a@f_min=2"), "f_min takes a number from 0 to 1, not '2'.");
  EXPECT_EQ(message("a@high,f_min=nan"), "f_min takes a number from 0 to 1, not 'nan'.");
  EXPECT_EQ(message("a@class=best"), "class takes guaranteed, statistical or besteffort, not 'best'.");
  EXPECT_EQ(message("a@misses=3/0.1"), "misses takes a number from 0.2 to 60, not '0.1'.");
  EXPECT_EQ(parseOptions({"--admission=maybe", "a"}).error().message,
            "--admission takes strict or lenient, not 'maybe'.");
  EXPECT_NE(message("a@high,loud").find("knows no 'loud'"), std::string::npos);
  EXPECT_EQ(message("@high"), "--tile needs a file or URL to play.");
  EXPECT_NE(parseOptions({"--tile", "a", "b"}).error().message.find("give each film as a --tile"),
            std::string::npos);
}

TEST(Options, AfterDoubleDashEverythingIsAnItem) {
  const auto options = parseOptions({"--", "--pause", "-"});
  ASSERT_TRUE(options.ok());
  EXPECT_FALSE(options.value().paused);
  EXPECT_EQ(options.value().items, (std::vector<std::string>{"--pause", "-"}));
}

TEST(Options, ValuesOutsideTheirRangeNameTheRange) {
  for (const auto* speed : {"0.1", "5", "nan", "fast", "", "1x"}) {
    const auto options = parseOptions({std::string("--speed=") + speed, "a"});
    ASSERT_FALSE(options.ok()) << speed;
    EXPECT_EQ(options.error().message,
              std::string("--speed takes a number from 0.25 to 4, not '") + speed + "'.");
  }
}

TEST(Options, UnknownOptionIsNamed) {
  const auto options = parseOptions({"--frobnicate"});
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().message, "There is no option --frobnicate; see tactus --help.");
}

TEST(Options, OptionAtTheEndMissesItsValue) {
  const auto options = parseOptions({"--trace"});
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().message, "--trace needs a value.");
}

TEST(Options, HelpWinsOverLaterMistakes) {
  const auto options = parseOptions({"--help", "--nonsense"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().command, Command::Help);
}

TEST(Options, RealtimeCapsTheKernelClass) {
  EXPECT_EQ(parseOptions({"--realtime=none"}).value().strongest, periodic::KernelClass::None);
  EXPECT_EQ(parseOptions({"--realtime=rtkit"}).value().strongest, periodic::KernelClass::RtkitRr);
  EXPECT_FALSE(parseOptions({"--realtime=root"}).ok());
}

TEST(Options, GeometryNeedsBothSides) {
  const auto options = parseOptions({"--geometry=640x360"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().width, 640);
  EXPECT_EQ(options.value().height, 360);
  EXPECT_FALSE(parseOptions({"--geometry=640"}).ok());
  EXPECT_FALSE(parseOptions({"--geometry=1x1"}).ok());
}

TEST(Options, NothingLeftToPlayIsRefused) {
  EXPECT_FALSE(parseOptions({"--no-audio", "--no-video", "a"}).ok());
}

TEST(Options, DoctorIsACommandOnlyInTheFirstPlace) {
  EXPECT_EQ(parseOptions({"doctor"}).value().command, Command::Doctor);
  EXPECT_EQ(parseOptions({"--mute", "doctor"}).value().items.size(), 1u);
}

TEST(Options, ADoctorThatIsAFileIsPlayed) {
  EXPECT_EQ(parseOptions({"./doctor"}).value().items, std::vector<std::string>{"./doctor"});
  EXPECT_EQ(parseOptions({"--", "doctor"}).value().items, std::vector<std::string>{"doctor"});
  EXPECT_EQ(parseOptions({"film.mp4", "doctor"}).value().items.size(), 2u);
  EXPECT_EQ(parseOptions({"doctor", "film.mp4"}).error().message,
            "tactus doctor takes no file; ./doctor plays a file of that name.");
  EXPECT_EQ(parseOptions({"doctor", "doctor"}).error().message,
            "tactus doctor takes no file; ./doctor plays a file of that name.");
}

TEST(Options, TheDoctorHasOptionsAndAHelpOfItsOwn) {
  EXPECT_EQ(parseOptions({"doctor", "--realtime=none"}).value().strongest, periodic::KernelClass::None);
  EXPECT_EQ(parseOptions({"doctor", "--loop"}).error().message,
            "There is no option --loop; see tactus doctor --help.");
  const auto help = parseOptions({"doctor", "--help", "--loop"}).value();
  EXPECT_EQ(help.command, Command::Help);
  EXPECT_EQ(help.topic, "doctor");
  EXPECT_TRUE(helpText("doctor").starts_with("Usage: tactus doctor [OPTION]...\n")) << helpText("doctor");
  EXPECT_EQ(helpText("doctor").find("--loop"), std::string::npos);
}

TEST(Options, TheHelpNamesEveryOptionAndFitsATerminal) {
  const std::string help = helpText();
  for (const char* name : {"--start S",
                           "--pause",
                           "--speed X",
                           "--volume N",
                           "--mute",
                           "--loop",
                           "--sub-file FILE",
                           "--no-audio",
                           "--no-video",
                           "--audio-target NODE",
                           "--tile FILE[@TERMS]",
                           "--shedding on|off",
                           "--admission strict|lenient",
                           "--qos-socket PATH",
                           "--fullscreen, --fs",
                           "--grid",
                           "--geometry WxH[+X+Y]",
                           "--stats",
                           "--video-output auto|software|rhi",
                           "--headless",
                           "--duration S",
                           "--realtime auto|fifo|deadline|rtkit|portal|none",
                           "--decoder-threads N",
                           "--report text|json[:FILE]",
                           "--trace FILE",
                           "-h, --help",
                           "--version",
                           "Commands:\n  doctor ",
                           "Exit codes:"})
    EXPECT_NE(help.find(name), std::string::npos) << name;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = help.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(end - begin, 120u) << help.substr(begin, end - begin);
}

TEST(Options, GivenTwiceTheLastOneCounts) {
  EXPECT_DOUBLE_EQ(parseOptions({"--volume=50", "--volume", "70", "a"}).value().volume, 0.7);
  EXPECT_TRUE(parseOptions({"--mute", "--mute", "a"}).value().muted);
  EXPECT_EQ(parseOptions({"--sub-file=a.srt", "--sub-file=b.srt", "a"}).value().subtitles,
            (std::vector<std::string>{"a.srt", "b.srt"}));
}

TEST(Options, AValueMayLookLikeAnythingElse) {
  EXPECT_EQ(parseOptions({"--trace", "--mute", "a"}).value().traceFile, "--mute");
  EXPECT_EQ(parseOptions({"--trace", "--", "a"}).value().traceFile, "--");
  EXPECT_EQ(parseOptions({"--trace", "doctor", "a"}).value().traceFile, "doctor");
  EXPECT_EQ(parseOptions({"--trace=a=b", "a"}).value().traceFile, "a=b");
  EXPECT_EQ(parseOptions({"--tile=[a].mkv@high"}).value().tiles.front().item, "[a].mkv");
  EXPECT_EQ(parseOptions({"--volume", "-5", "a"}).error().message,
            "--volume takes a number from 0 to 130, not '-5'.");
}

TEST(Options, FileNamesAreTakenAsTheyAre) {
  const std::vector<std::string> names{"[a,b]",   "a=b.mp4", "-",  "",          "++",
                                       "a b.mp4", "{}",      "/F", "doctor.mp4"};
  EXPECT_EQ(parseOptions(names).value().items, names);
  EXPECT_EQ(parseOptions({"--", "-film.mp4", "--", "--help"}).value().items,
            (std::vector<std::string>{"-film.mp4", "--", "--help"}));
  EXPECT_EQ(parseOptions({"-film.mp4"}).error().message, "There is no option -film.mp4; see tactus --help.");
  EXPECT_EQ(parseOptions({"-5"}).error().message, "There is no option -5; see tactus --help.");
}

TEST(Options, SwitchesTakeNoValue) {
  for (const char* word : {"--mute=true", "--mute=false", "--mute=", "--mute=1"})
    EXPECT_EQ(parseOptions({word, "a"}).error().message, "The option --mute takes no value.") << word;
  EXPECT_EQ(parseOptions({"--frobnicate=3"}).error().message,
            "There is no option --frobnicate; see tactus --help.");
  EXPECT_EQ(parseOptions({"--qos-socket=", "a"}).error().message, "--qos-socket needs a value.");
}

TEST(Options, HelpAndVersionWinOverEveryLaterMistake) {
  for (const char* mistake : {"--speed=9", "--trace", "--mute=1", "--headless"}) {
    EXPECT_EQ(parseOptions({"--help", mistake}).value().command, Command::Help) << mistake;
    EXPECT_EQ(parseOptions({"-h", mistake}).value().command, Command::Help) << mistake;
    EXPECT_EQ(parseOptions({"--version", mistake}).value().command, Command::Version) << mistake;
  }
}

}  // namespace
}  // namespace tactus::app
