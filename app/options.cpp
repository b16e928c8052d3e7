// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <CLI/CLI.hpp>  // slow to compile: here and nowhere else
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "app/option_setters.h"
#include "app/option_value.h"

namespace tactus::app {
namespace {

using periodic::KernelClass;
using plugins::av::kHardwareWishes;

using Switch = std::function<void(Options&)>;

/// Takes the way out of CLI11 that CLI11 itself has: an exception, which ends in parseOptions().
struct Refused {
  Error error;
};

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
    if (parent != nullptr) usage = "Usage: tactus " + level->get_name() + " [OPTION]...\n";
    return usage + "\n" + level->get_description() + "\n" + make_subcommands(level, mode) + groupsOf(level) +
           (level->get_footer().empty() ? "" : "\n" + level->get_footer() + "\n");
  }
  std::string make_option_name(const CLI::Option* option, bool) const override {
    std::string names = option->get_name(false, true);
    if (const auto comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
    return names;
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
constexpr const char* kRealtimeChoices = "auto|fifo|deadline|rtkit|portal|none";
constexpr const char* kRealtimeHelp = "strongest kernel class to ask for (auto)";

void declareFilms(Level& level) {
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
  level.group("Several at once")
      .valued("--tile", "FILE[@TERMS]", addTile,
              "one more film beside the others. Its terms say who gives way when not all can\n"
              "have everything: high, normal or background, and, separated by commas,\n"
              "  f_min=0..1        share of its pictures that it keeps\n"
              "  weight=W          the heavier, the less it gives way\n"
              "  class=guaranteed|statistical|besteffort\n"
              "  cpus=0+1          processors it may use\n"
              "  misses=N/S        more than N missed deadlines in S seconds are a violation\n"
              "  name=TEXT         what the reports call it")
      .valued("--shedding", "on|off", choice(&Options::shedding, {{"on", true}, {"off", false}}),
              "off: no film gives way, and under overload all of them are late")
      .valued("--admission", "strict|lenient",
              choice(&Options::strict, {{"strict", true}, {"lenient", false}}),
              "strict: a tile is not played if it does not fit beside what the tiles before it\n"
              "were promised; lenient (the default): it is played, and all give way")
      .valued("--qos-socket", "PATH", text(&Options::qosSocket),
              "Unix socket that tells every reader what gave way and why, a line of JSON for\n"
              "each event");
}

void declareWindow(Level& level) {
  level.group("Window")
      .flag("--fullscreen,--fs", on(&Options::fullScreen), "start in full screen")
      .flag("--grid", on(&Options::grid), "show the tiles side by side in one window")
      .valued("--geometry", "WxH[+X+Y]", setGeometry,
              "size of the window, and its place; several windows stand side by side from there")
      .flag("--stats", on(&Options::stats), "show the statistics overlay")
      .valued("--video-output", "auto|software|rhi",
              choice(&Options::videoOutput, {{"auto", VideoOutputWish::Auto},
                                             {"software", VideoOutputWish::Software},
                                             {"rhi", VideoOutputWish::Rhi}}),
              "who draws: the processors or the GPU; auto asks the GL renderer");
  level.group("Without a window")
      .flag(
          "--headless", [](Options& options) { options.command = Command::Headless; },
          "play against a virtual display and end with a report")
      .valued("--duration", "S", setDuration, "end after S seconds");
}

void declareScheduling(Level& level) {
  level.group("Scheduling")
      .valued("--realtime", kRealtimeChoices, realtime(), kRealtimeHelp)
      .valued("--decoder-threads", "N", setDecoderThreads, "0 (the default): by the size of the picture")
      .valued("--report", "text|json[:FILE]", setReport, "tell at the end what every stage did")
      .valued("--trace", "FILE", text(&Options::traceFile),
              "record every stage; open the file in ui.perfetto.dev");
  level.group("Other").help().flag(
      "--version",
      [](Options& options) {
        options.command = Command::Version;
        throw CLI::CallForVersion({}, 0);
      },
      "show the version");
}

/// The whole command line. `options` takes what is parsed.
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
  declareFilms(all);
  declareWindow(all);
  declareScheduling(all);

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
  return app;
}

/// The arguments up to the first that lacks its value or has one to spare.
struct Words {
  std::vector<std::string> words;
  std::optional<Error> fault;
};

/// Each "--name=value" of a known option becomes two words: CLI11 takes the next word where the value is
/// empty, and takes "--mute=true".
Words separated(const CLI::App& level, const std::vector<std::string>& arguments) {
  Words out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") {
      out.words.insert(out.words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      return out;
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto* option = name.starts_with("-") ? level.get_option_no_throw(name) : nullptr;
    const bool takesValue = option != nullptr && option->get_expected_max() > 0;
    if (option == nullptr || (!takesValue && equals == std::string::npos)) {
      out.words.push_back(word);
    } else if (!takesValue) {
      out.fault = usageError("The option " + name + " takes no value.");
      return out;
    } else if (equals == std::string::npos && i + 1 == arguments.size()) {
      out.fault = usageError(name + " needs a value.");
      return out;
    } else {
      out.words.push_back(name);
      out.words.push_back(equals == std::string::npos ? arguments[++i] : word.substr(equals + 1));
    }
  }
  return out;
}

/// Sorts what CLI11 did not know into the films to play and the first option that there is not.
Result<void> takeItems(Options& options, const std::vector<std::string>& words, const std::string& command) {
  bool onlyItems = false;
  for (const auto& word : words) {
    if (!onlyItems && word == "--") {
      onlyItems = true;
    } else if (!onlyItems && word.size() > 1 && word.starts_with("-")) {
      return usageError("There is no option " + word.substr(0, word.find('=')) + "; see tactus " +
                        (command.empty() ? "" : command + " ") + "--help.");
    } else if (!command.empty()) {
      return usageError("tactus " + command + " takes no file; ./" + command + " plays a file of that name.");
    } else {
      options.items.push_back(word);
    }
  }
  return {};
}

Result<void> checkCombination(const Options& options) {
  if (options.command == Command::Headless && options.items.empty() && options.tiles.empty()) {
    return usageError("--headless needs a file or URL to play.");
  }
  if (!options.items.empty() && !options.tiles.empty()) {
    return usageError("'" + options.items.front() +
                      "' would play after, and --tile at the same time: give each film as a --tile.");
  }
  if (!options.audio && !options.video)
    return usageError("--no-audio and --no-video together leave nothing to play.");
  return {};
}

/// Every subcommand but `wanted` becomes an ordinary word, as it is anywhere but in the first place. Null if
/// there is none of that name.
CLI::App* chooseCommand(CLI::App& app, const std::string& wanted) {
  CLI::App* chosen = nullptr;
  for (auto* each : app.get_subcommands([](CLI::App*) { return true; })) {
    if (each->get_name() == wanted) chosen = each;
    each->disabled(each != chosen);
  }
  return chosen;
}

Result<Options> parse(const std::vector<std::string>& arguments) {
  Options options;
  const auto app = commandLine(options);
  const auto* command = chooseCommand(*app, arguments.empty() ? std::string() : arguments.front());
  auto [words, fault] = separated(command != nullptr ? *command : *app, arguments);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app->parse(std::move(words));
  } catch (const CLI::Success&) {  // help or version, whatever follows
    return options;
  }
  if (fault) return *fault;
  if (command != nullptr) options.command = Command::Doctor;
  const auto taken = takeItems(options, app->remaining(true), command == nullptr ? "" : command->get_name());
  if (!taken) return taken.error();
  if (const auto fits = checkCombination(options); !fits) return fits.error();
  return options;
}

}  // namespace

Result<Options> parseOptions(const std::vector<std::string>& arguments) {
  try {
    return parse(arguments);
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const CLI::Error& failure) {
    return usageError(failure.what());
  }
}

std::string helpText(const std::string& topic) {
  Options unused;
  const auto app = commandLine(unused);
  return topic.empty() ? app->help() : app->get_subcommand(topic)->help();
}

}  // namespace tactus::app
