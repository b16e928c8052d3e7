// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

#include <functional>
#include <string>
#include <utility>

#include "app/join_option.h"
#include "app/option_setters.h"
#include "app/room_option.h"

namespace tactus::app {
namespace {

using periodic::KernelClass;
using plugins::av::kHardwareWishes;

using Switch = std::function<void(Options&)>;

Switch on(bool Options::*field, bool value = true) {
  return [=](Options& options) { options.*field = value; };
}

/// The help: how to call it, what it does, the subcommands, the options by group.
class HelpLayout final : public CLI::Formatter {
 public:
  HelpLayout() { column_width(31); }
  std::string make_help(const CLI::App* level, std::string, CLI::AppFormatMode mode) const override {
    const auto* parent = level->get_parent();
    std::string usage =
        "Usage: tactus [OPTION]... [--] [FILE|URL|-]...\n"
        "       tactus [OPTION]... --tile FILE|URL[@TERMS] [--tile ...]...\n"
        "       tactus COMMAND [OPTION]...\n";
    if (parent != nullptr)
      usage = "Usage: tactus " + level->get_name() + " [OPTION]..." + wordsOf(level) + "\n";
    return usage + "\n" + level->get_description() + "\n" + make_subcommands(level, mode) + groupsOf(level) +
           (level->get_footer().empty() ? "" : "\n" + level->get_footer() + "\n");
  }
  std::string make_option_name(const CLI::Option* option, bool) const override {
    std::string names = option->get_name(false, true);
    if (const auto comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
    return names;
  }
  /// What a command takes beside options.
  static std::string wordsOf(const CLI::App* level) {
    if (level->get_name() == "send") return " SOURCE[@TERMS] ADDRESS [SOURCE[@TERMS] ADDRESS]...";
    if (level->get_name() == "join") return " LINK";
    return level->get_name() == "recv" ? " ADDRESS[@TERMS]..." : "";
  }
  std::string groupsOf(const CLI::App* level) const {
    std::string all;
    for (const auto& group : level->get_groups()) {
      const auto options =
          level->get_options([&](const CLI::Option* option) { return option->get_group() == group; });
      if (!options.empty()) all += make_group(group, false, options);
    }
    return all;
  }
};

/// The program, or one of its subcommands, while its options are declared.
class Level {
 public:
  Level(CLI::App& app, Options& options) : m_app(app), m_options(options) {
    m_app.set_help_flag();  // CLI11's comes into force after all else, ours at once
    m_app.allow_extras();   // told apart in parseOptions(), in our words
  }
  Level& group(const char* title) {
    m_group = title;
    return *this;
  }
  /// `value` is the placeholder in the help.
  Level& valued(const std::string& name, const char* value, Setter set, const char* description) {
    m_app
        .add_option(
            name,
            [name, set = std::move(set), &options = m_options](const CLI::results_t& values) {
              if (const auto done = set(options, name, values.front()); !done) throw Refused{done.error()};
              return true;
            },
            description)
        ->option_text(value)
        ->group(m_group)
        ->trigger_on_parse();  // given twice, the last one counts
    return *this;
  }
  Level& flag(const std::string& names, Switch set, const char* description) {
    m_app
        .add_flag_callback(
            names, [set = std::move(set), &options = m_options] { set(options); }, description)
        ->group(m_group)
        ->trigger_on_parse();
    return *this;
  }
  Level& help() {
    return flag(
        "-h,--help",
        [topic = m_app.get_parent() == nullptr ? std::string() : m_app.get_name()](Options& options) {
          options.command = Command::Help;
          options.topic = topic;
          throw CLI::CallForHelp();
        },
        "show this help");
  }

 private:
  CLI::App& m_app;
  Options& m_options;
  std::string m_group;
};

Setter realtime() {
  return choice(&Options::strongest, {{"auto", KernelClass::Fifo},
                                      {"fifo", KernelClass::Fifo},
                                      {"deadline", KernelClass::Deadline},
                                      {"rtkit", KernelClass::RtkitRr},
                                      {"portal", KernelClass::PortalRr},
                                      {"none", KernelClass::None}});
}
Setter videoOutput() {
  return choice(&Options::videoOutput, {{"auto", VideoOutputWish::Auto},
                                        {"software", VideoOutputWish::Software},
                                        {"rhi", VideoOutputWish::Rhi}});
}
constexpr const char* kVideoOutputHelp = "who draws: the processors or the GPU; auto asks the GL renderer";
constexpr const char* kRealtimeChoices = "auto|fifo|deadline|rtkit|portal|none";
constexpr const char* kQosSocketHelp =
    "Unix socket that tells every reader what gave way and why, a line of JSON for\neach event";
constexpr const char* kRealtimeHelp = "strongest kernel class to ask for (auto)";

void declarePlaying(Level& level) {
  level.group("Playing")
      .valued("--start", "S", numeric(&Options::start, 0, 1e6), "begin at S seconds")
      .flag("--pause", on(&Options::paused), "open on the first picture, paused")
      .valued("--speed", "X", numeric(&Options::speed, 0.25, 4), "0.25 to 4; the pitch is kept")
      .valued("--volume", "N", setVolume, "0 to 130 percent")
      .flag("--mute", on(&Options::muted), "start without sound")
      .flag("--loop", on(&Options::loop), "begin again at the end")
      .valued("--sub-file", "FILE", addSubtitles,
              "subtitles: SRT, ASS, WebVTT, PGS, ... (may be given again)")
      .flag("--no-audio", on(&Options::audio, false), "play the pictures alone")
      .flag("--no-video", on(&Options::video, false), "play the sound alone")
      .valued("--hwdec", "auto|no|vaapi|cuda",
              choice(&Options::hardware, {kHardwareWishes.begin(), kHardwareWishes.end()}),
              "devices that may decode pictures (auto); what none of them decodes is decoded in\nsoftware")
      .valued("--audio-target", "NODE", text(&Options::audioTarget), "PipeWire node to play to");
}

void declareTiles(Level& level) {
  level.group("Several at once")
      .valued("--tile", "FILE[@TERMS]", addTile,
              "one more film beside the others. Its terms say who gives way when not all can\n"
              "have everything: high, normal or background, and, separated by commas,\n"
              "  f_min=0..1        share of its pictures that it keeps\n"
              "  weight=W          the heavier, the less it gives way\n"
              "  class=guaranteed|statistical|besteffort\n"
              "  cpus=0+1          processors it may use\n"
              "  misses=N/S        more than N missed deadlines in S seconds are a violation\n"
              "  name=TEXT         what the reports call it");
}

void declareQuality(Level& level) {
  level.group("Several at once")
      .valued("--shedding", "on|off", choice(&Options::shedding, {{"on", true}, {"off", false}}),
              "off: no film gives way, and under overload all of them are late")
      .valued("--admission", "strict|lenient",
              choice(&Options::strict, {{"strict", true}, {"lenient", false}}),
              "strict: a tile is not played if it does not fit beside what the tiles before it\n"
              "were promised; lenient (the default): it is played, and all give way")
      .valued("--qos-socket", "PATH", text(&Options::qosSocket), kQosSocketHelp);
}

void declareWindow(Level& level) {
  level.group("Window")
      .flag("--fullscreen,--fs", on(&Options::fullScreen), "start in full screen")
      .flag("--grid", on(&Options::grid), "show the tiles side by side in one window")
      .valued("--geometry", "WxH[+X+Y]", setGeometry,
              "size of the window, and its place; several windows stand side by side from there")
      .flag("--stats", on(&Options::stats), "show the statistics overlay")
      .valued("--video-output", "auto|software|rhi", videoOutput(), kVideoOutputHelp);
  level.group("Without a window")
      .flag(
          "--headless", [](Options& options) { options.command = Command::Headless; },
          "play against a virtual display and end with a report")
      .valued("--duration", "S", setDuration, "end after S seconds");
}

void declareScheduling(Level& level) {
  level.group("Scheduling")
      .valued("--realtime", kRealtimeChoices, realtime(), kRealtimeHelp)
      .valued("--report", "text|json[:FILE]", setReport, "tell at the end what every stage did")
      .valued("--trace", "FILE", text(&Options::traceFile),
              "record every stage; open the file in ui.perfetto.dev");
}

void declareDecoding(Level& level) {
  level.group("Scheduling")
      .valued("--decoder-threads", "N", setDecoderThreads, "0 (the default): by the size of the picture");
}

void declareVersion(Level& level) {
  level.group("Other").help().flag(
      "--version",
      [](Options& options) {
        options.command = Command::Version;
        throw CLI::CallForVersion({}, 0);
      },
      "show the version");
}

constexpr const char* kAddresses =
    "ADDRESS is udp://HOST:PORT/NAME, tcp://HOST:PORT/NAME or local:NAME (a program of the same user), and\n"
    "?token=TOKEN. The receiver waits there, and prints the whole address.\n";

void addSend(CLI::App& app, Options& options) {
  auto* send = app.add_subcommand("send", "Sends films, a camera or a microphone as streams with contracts.");
  send->group("Commands");
  send->footer(std::string("SOURCE is a film, camera or mic (also camera:/dev/video1, mic:NAME). TERMS say "
                           "who goes first: high, normal, or "
                           "background (no contract:\n"
                           "what the others leave), and, separated by commas, weight=W and name=TEXT.\n") +
               kAddresses +
               "\n"
               "Exit codes:\n"
               "  0    all has left and was received\n"
               "  1    internal error\n"
               "  2    usage\n"
               "  3    a source cannot be opened, nobody receives it, or it was not admitted\n"
               "  4    buffers were late or lost\n"
               "  6    a stream broke off\n"
               "  130  interrupted");
  Level level(*send, options);
  level.group("Sending")
      .valued("--rate", "RATE", setLinkRate,
              "of the link: 20mbit, 600kbit; without it nothing is held against it")
      .valued("--priority", "high|normal|background",
              choice(&Options::priority, {{"high", media::Priority::High},
                                          {"normal", media::Priority::Normal},
                                          {"background", media::Priority::Background}}),
              "of every source without terms (normal)")
      .flag("--load", on(&Options::loadWindow), "show the load window meanwhile")
      .valued("--duration", "S", setDuration, "end after S seconds")
      .valued("--qos-socket", "PATH", text(&Options::qosSocket), kQosSocketHelp);
  declareScheduling(level);
  level.group("Other").help();
}

void addHost(CLI::App& app, Options& options) {
  auto* host =
      app.add_subcommand("host", "Hosts a room that others join by a link, from Tactus or a browser.");
  host->group("Commands");
  host->footer(
      "The first line of the output is the link for guests, the second one that for hosts, who may admit,\n"
      "mute and remove. Both are secrets, and end with the room. Browsers ask once whether they shall trust\n"
      "the room's certificate, which signs itself.\n"
      "OBS and other programs stream into the room by WHIP, to a link without what follows the \"#\" and\n"
      "with /whip; their bearer token is the name that others see, or nothing.\n"
      "\n"
      "Exit codes:\n"
      "  0    the room was closed: by SIGINT, SIGTERM or --duration\n"
      "  1    internal error\n"
      "  2    usage\n"
      "  3    the port is taken, or the room's certificate cannot be used");
  Level level(*host, options);
  level.group("Room")
      .valued("--name", "TEXT", setRoomName, "of the room (Room)")
      .valued("--port", "N", setRoomPort, "TCP port that guests come to; 0 (the default): any free one")
      .valued("--address", "HOST", setRoomAddress,
              "name or address of this machine in the links; by default that by which the\n"
              "machines beside it reach it")
      .flag(
          "--lobby", [](Options& chosen) { chosen.room.lobby = true; },
          "guests wait until a host admits them")
      .valued("--rate", "RATE", setLinkRate,
              "of the link by which the room is sent: 20mbit, 600kbit; sound goes before pictures\n"
              "there. Without it packets leave as they come")
      .valued("--max", "N", setMostParticipants, "participants, 1 to 32 (8)")
      .flag(
          "--headless", [](Options&) {}, "without a window")
      .valued("--duration", "S", setDuration, "close the room after S seconds")
      .valued("--report", "text|json[:FILE]", setReport,
              "tell at the end how many came, and how long it was open");
  level.group("Other").help();
}

void addJoin(CLI::App& app, Options& options) {
  auto* join = app.add_subcommand("join", "Takes part in a room.");
  join->group("Commands");
  join->footer(
      "LINK is that which the host gave. Whatever the others publish is received and decoded.\n"
      "\n"
      "Exit codes:\n"
      "  0    the stay ended by its window, SIGINT, SIGTERM or --duration\n"
      "  1    internal error\n"
      "  2    usage\n"
      "  3    the link leads to no room, the room lets nobody in, or a source cannot be opened\n"
      "  5    there is no display\n"
      "  6    the room, or its host, ended the stay");
  Level level(*join, options);
  level.group("Room")
      .valued("--name", "TEXT", setJoinName, "as which the others see it (Tactus)")
      .valued("--camera", "test|none|FILE|DEVICE", setJoinCamera,
              "pictures that are published: a test picture, those of a film again and again,\n"
              "a camera (/dev/video0), or none; by default the camera of this machine, and a\n"
              "test picture without a window")
      .valued("--mic", "test|none|FILE", setJoinMicrophone,
              "sound that is published: a tone of 440 Hz, that of a film again and again, or\n"
              "none; by default the microphone of this machine, and a tone without a window")
      .valued("--speaker", "none|default|NODE", setJoinSpeaker,
              "device that plays what the others say: that of the session (the default), a node\n"
              "of PipeWire, or none; by default none without a window")
      .valued("--voice", "processed|original", setJoinVoice,
              "processed: without the echo of what the speakers play, without noise, and as loud as\n"
              "speech is; original: as a microphone hears it, for music; by default as chosen last")
      .flag("--mute", on(&Options::muted), "with the microphone off")
      .flag("--headless", on(&Options::headless), "without a window, and end with a report")
      .valued("--duration", "S", setDuration, "leave after S seconds")
      .valued("--shedding", "on|off", choice(&Options::shedding, {{"on", true}, {"off", false}}),
              "off: nothing that is received gives way, and under overload all of it is late")
      .valued("--qos-socket", "PATH", text(&Options::qosSocket), kQosSocketHelp);
  level.group("Window")
      .flag("--fullscreen,--fs", on(&Options::fullScreen), "start in full screen")
      .valued("--geometry", "WxH[+X+Y]", setGeometry, "size of the window, and its place")
      .valued("--video-output", "auto|software|rhi", videoOutput(), kVideoOutputHelp);
  declareScheduling(level);
  level.group("Other").help();
}

void addReceive(CLI::App& app, Options& options) {
  auto* receive = app.add_subcommand("recv", "Waits for streams and plays what comes as films.");
  receive->group("Commands");
  receive->footer("TERMS are those of a film beside others; see --tile in tactus --help.\n" +
                  std::string(kAddresses) + "\nExit codes: as of tactus without a command.");
  Level level(*receive, options);
  declarePlaying(level);
  declareQuality(level);
  declareWindow(level);
  declareScheduling(level);
  declareDecoding(level);
  level.group("Other").help();
}

}  // namespace

std::unique_ptr<CLI::App> commandLine(Options& options) {
  auto app = std::make_unique<CLI::App>(
      "Plays films and streams as periodic real-time tasks. Without FILE the window opens empty; '-' is\n"
      "standard input. After '--' every argument is a file; ./doctor plays a file of that name.");
  app->formatter(std::make_shared<HelpLayout>());
  app->require_subcommand(0, 1);
  app->footer(
      "Exit codes:\n"
      "  0    played\n"
      "  1    internal error\n"
      "  2    usage\n"
      "  3    a film cannot be opened, or was not admitted\n"
      "  4    played with violations: missed deadlines or dropped pictures\n"
      "  5    there is no display, or it went away\n"
      "  6    playing broke off\n"
      "  130  interrupted");
  Level all(*app, options);
  declarePlaying(all);
  declareTiles(all);
  declareQuality(all);
  declareWindow(all);
  declareScheduling(all);
  declareDecoding(all);
  declareVersion(all);

  auto* doctor =
      app->add_subcommand("doctor", "Tells what this machine grants, and what to do about the rest.");
  doctor->group("Commands");
  doctor->footer(
      "Each line begins with ok, weak (films play, but worse under load) or MISS (something cannot be\n"
      "played); '->' says what helps.\n"
      "\n"
      "Exit codes:\n"
      "  0    every common format can be played\n"
      "  3    some cannot");
  Level(*doctor, options)
      .group("Options")
      .valued("--realtime", kRealtimeChoices, realtime(), kRealtimeHelp)
      .help();
  addSend(*app, options);
  addReceive(*app, options);
  addHost(*app, options);
  addJoin(*app, options);
  return app;
}

}  // namespace tactus::app
