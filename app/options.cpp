// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "media/playback/media_path.h"

namespace tactus::app {
namespace {

Error usage(std::string sentence) {
  return Error{ErrorCode::InvalidArgument, std::move(sentence)};
}

Result<double> number(std::string_view name, std::string_view text, double lowest, double highest) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !(value >= lowest && value <= highest)) {
    const auto plain = [](double bound) {
      std::string digits = std::to_string(bound);
      digits.erase(digits.find_last_not_of('0') + 1);
      if (digits.back() == '.') digits.pop_back();
      return digits;
    };
    return usage(std::string(name) + " takes a number from " + plain(lowest) + " to " + plain(highest) +
                 ", not '" + std::string(text) + "'.");
  }
  return value;
}

/// Sets one option from its value; an error says why it cannot.
using Setter = std::function<Result<void>(Options&, std::string_view name, std::string_view value)>;

Setter numeric(double Options::*field, double lowest, double highest) {
  return [=](Options& options, std::string_view name, std::string_view text) -> Result<void> {
    const auto parsed = number(name, text, lowest, highest);
    if (!parsed) return parsed.error();
    options.*field = parsed.value();
    return {};
  };
}

Setter text(std::string Options::*field) {
  return [=](Options& options, std::string_view name, std::string_view value) -> Result<void> {
    if (value.empty()) return usage(std::string(name) + " needs a value.");
    options.*field = std::string(value);
    return {};
  };
}

Result<void> setReport(Options& options, std::string_view name, std::string_view value) {
  options.report = true;
  if (value == "text") return {};
  if (value != "json" && !value.starts_with("json:")) {
    return usage(std::string(name) + " takes 'text', 'json' or 'json:FILE', not '" + std::string(value) +
                 "'.");
  }
  options.reportFormat = ReportFormat::Json;
  if (value.size() > 5) options.reportFile = std::string(value.substr(5));
  return {};
}

Result<void> setRealtime(Options& options, std::string_view name, std::string_view value) {
  using periodic::KernelClass;
  static const std::map<std::string_view, KernelClass> classes{
      {"auto", KernelClass::Fifo},     {"fifo", KernelClass::Fifo},       {"deadline", KernelClass::Deadline},
      {"rtkit", KernelClass::RtkitRr}, {"portal", KernelClass::PortalRr}, {"none", KernelClass::None}};
  const auto found = classes.find(value);
  if (found == classes.end()) {
    return usage(std::string(name) + " takes auto, fifo, deadline, rtkit, portal or none, not '" +
                 std::string(value) + "'.");
  }
  options.strongest = found->second;
  return {};
}

Result<void> setVideoOutput(Options& options, std::string_view name, std::string_view value) {
  static const std::map<std::string_view, VideoOutputWish> outputs{{"auto", VideoOutputWish::Auto},
                                                                   {"software", VideoOutputWish::Software},
                                                                   {"rhi", VideoOutputWish::Rhi}};
  const auto found = outputs.find(value);
  if (found == outputs.end()) {
    return usage(std::string(name) + " takes auto, software or rhi, not '" + std::string(value) + "'.");
  }
  options.videoOutput = found->second;
  return {};
}

Result<void> setShedding(Options& options, std::string_view name, std::string_view value) {
  if (value != "on" && value != "off")
    return usage(std::string(name) + " takes on or off, not '" + std::string(value) + "'.");
  options.shedding = value == "on";
  return {};
}

Result<void> setAdmission(Options& options, std::string_view name, std::string_view value) {
  if (value != "strict" && value != "lenient")
    return usage(std::string(name) + " takes strict or lenient, not '" + std::string(value) + "'.");
  options.strict = value == "strict";
  return {};
}

Result<void> setGeometry(Options& options, std::string_view name, std::string_view value) {
  const auto cross = value.find('x');
  if (cross == std::string_view::npos)
    return usage(std::string(name) + " takes WIDTHxHEIGHT, for example 640x360.");
  const auto firstPlus = value.find('+', cross);
  const auto width = number(name, value.substr(0, cross), 64, 16384);
  const auto height = number(name, value.substr(cross + 1, firstPlus - cross - 1), 64, 16384);
  if (!width) return width.error();
  if (!height) return height.error();
  if (firstPlus != std::string_view::npos) {
    const auto secondPlus = value.find('+', firstPlus + 1);
    if (secondPlus == std::string_view::npos)
      return usage(std::string(name) + " takes WIDTHxHEIGHT+X+Y, for example 640x360+0+0.");
    const auto x = number(name, value.substr(firstPlus + 1, secondPlus - firstPlus - 1), 0, 32767);
    const auto y = number(name, value.substr(secondPlus + 1), 0, 32767);
    if (!x) return x.error();
    if (!y) return y.error();
    options.x = static_cast<int>(x.value());
    options.y = static_cast<int>(y.value());
  }
  options.width = static_cast<int>(width.value());
  options.height = static_cast<int>(height.value());
  return {};
}

Result<void> setDuration(Options& options, std::string_view name, std::string_view value) {
  const auto seconds = number(name, value, 0.001, 1e6);
  if (!seconds) return seconds.error();
  options.duration =
      std::chrono::duration_cast<periodic::Duration>(std::chrono::duration<double>(seconds.value()));
  return {};
}

Result<void> setDecoderThreads(Options& options, std::string_view name, std::string_view value) {
  const auto threads = number(name, value, 0, 64);
  if (!threads) return threads.error();
  options.decoderThreads = static_cast<int>(threads.value());
  return {};
}

Result<void> addSubtitles(Options& options, std::string_view name, std::string_view value) {
  if (value.empty()) return usage(std::string(name) + " needs a file.");
  options.subtitles.emplace_back(value);
  return {};
}

/// One of "high", "f_min=0.25", "weight=3", "class=guaranteed", "cpus=0+1", "name=Lecture"; false if it is
/// none of them.
Result<bool> setTerm(media::WindowTerms& terms, std::string_view term) {
  using periodic::ServiceClass;
  if (const auto priority = media::priorityOf(term)) {
    terms.priority = *priority;
    return true;
  }
  const auto equals = term.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = term.substr(0, equals);
  const std::string_view value = term.substr(equals + 1);
  if (key == "f_min" || key == "weight") {
    const auto parsed = number(key, value, key == "f_min" ? 0 : 0.001, key == "f_min" ? 1 : 1000);
    if (!parsed) return parsed.error();
    (key == "f_min" ? terms.leastFrequency : terms.weight) = parsed.value();
    return true;
  }
  if (key == "class") {
    static const std::map<std::string_view, ServiceClass> classes{{"guaranteed", ServiceClass::Guaranteed},
                                                                  {"statistical", ServiceClass::Statistical},
                                                                  {"besteffort", ServiceClass::BestEffort}};
    const auto found = classes.find(value);
    if (found == classes.end()) {
      return usage("class takes guaranteed, statistical or besteffort, not '" + std::string(value) + "'.");
    }
    terms.service = found->second;
    return true;
  }
  if (key == "cpus") {
    for (std::string_view rest = value; !rest.empty();) {
      const auto plus = rest.find('+');
      const auto cpu = number(key, rest.substr(0, plus), 0, 4095);
      if (!cpu) return cpu.error();
      terms.cpus.push_back(static_cast<int>(cpu.value()));
      rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
    }
    return true;
  }
  if (key == "misses") {  // so many, or so many in so many seconds
    const auto slash = value.find('/');
    const auto count = number(key, value.substr(0, slash), 0, 1e6);
    if (!count) return count.error();
    terms.tolerated = static_cast<std::uint64_t>(count.value());
    if (slash == std::string_view::npos) return true;
    const auto within = number(key, value.substr(slash + 1), 0.2, 60);
    if (!within) return within.error();
    terms.window =
        std::chrono::duration_cast<periodic::Duration>(std::chrono::duration<double>(within.value()));
    return true;
  }
  if (key == "name") {
    terms.name = std::string(value);
    return true;
  }
  return false;
}

/// URL[@TERM[,TERM]...]. An '@' inside the URL is the URL's: what follows the last one counts as terms only
/// if it begins with one.
Result<void> addTile(Options& options, std::string_view name, std::string_view value) {
  TileOption tile;
  tile.item = std::string(value);
  if (const auto at = value.rfind('@'); at != std::string_view::npos) {
    bool first = true;
    for (std::string_view rest = value.substr(at + 1); !rest.empty();) {
      const auto comma = rest.find(',');
      const std::string_view term = rest.substr(0, comma);
      const auto known = setTerm(tile.terms, term);
      if (!known) return known.error();
      if (!known.value() && first) break;
      if (!known.value()) {
        return usage(
            std::string(name) + " knows no '" + std::string(term) +
            "'; there are high, normal, background, f_min=, weight=, class=, cpus=, misses= and name=.");
      }
      if (std::exchange(first, false)) tile.item = std::string(value.substr(0, at));
      tile.given = true;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
  if (tile.item.empty()) return usage(std::string(name) + " needs a file or URL to play.");
  options.tiles.push_back(std::move(tile));
  return {};
}

const std::map<std::string_view, Setter>& valued() {
  static const std::map<std::string_view, Setter> table{
      {"--duration", setDuration},
      {"--report", setReport},
      {"--realtime", setRealtime},
      {"--video-output", setVideoOutput},
      {"--geometry", setGeometry},
      {"--decoder-threads", setDecoderThreads},
      {"--sub-file", addSubtitles},
      {"--tile", addTile},
      {"--shedding", setShedding},
      {"--admission", setAdmission},
      {"--qos-socket", text(&Options::qosSocket)},
      {"--volume", numeric(&Options::volume, 0, 130)},
      {"--speed", numeric(&Options::speed, 0.25, 4)},
      {"--start", numeric(&Options::start, 0, 1e6)},
      {"--audio-target", text(&Options::audioTarget)},
      {"--trace", text(&Options::traceFile)},
  };
  return table;
}

const std::map<std::string_view, std::function<void(Options&)>>& switches() {
  static const std::map<std::string_view, std::function<void(Options&)>> table{
      {"--headless", [](Options& o) { o.command = Command::Headless; }},
      {"--help", [](Options& o) { o.command = Command::Help; }},
      {"-h", [](Options& o) { o.command = Command::Help; }},
      {"--version", [](Options& o) { o.command = Command::Version; }},
      {"--mute", [](Options& o) { o.muted = true; }},
      {"--pause", [](Options& o) { o.paused = true; }},
      {"--fullscreen", [](Options& o) { o.fullScreen = true; }},
      {"--fs", [](Options& o) { o.fullScreen = true; }},
      {"--grid", [](Options& o) { o.grid = true; }},
      {"--loop", [](Options& o) { o.loop = true; }},
      {"--no-audio", [](Options& o) { o.audio = false; }},
      {"--no-video", [](Options& o) { o.video = false; }},
      {"--stats", [](Options& o) { o.stats = true; }},
  };
  return table;
}

Result<void> checkCombination(const Options& options) {
  if (options.command == Command::Headless && options.items.empty() && options.tiles.empty()) {
    return usage("--headless needs a file or URL to play.");
  }
  if (!options.items.empty() && !options.tiles.empty()) {
    return usage("'" + options.items.front() +
                 "' would play after, and --tile at the same time: give each film as a --tile.");
  }
  if (!options.audio && !options.video)
    return usage("--no-audio and --no-video together leave nothing to play.");
  return {};
}

}  // namespace

std::string TileOption::name() const {
  if (!terms.name.empty()) return terms.name;
  const auto uri = media::uriOf(item);
  return media::titleOf(uri.ok() ? uri.value() : item);
}

Result<Options> parseOptions(const std::vector<std::string>& arguments) {
  Options options;
  options.volume = 100;
  bool onlyItems = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (onlyItems || argument == "-" || !argument.starts_with("-")) {
      if (i == 0 && argument == "doctor") {
        options.command = Command::Doctor;
      } else {
        options.items.push_back(argument);
      }
      continue;
    }
    if (argument == "--") {
      onlyItems = true;
      continue;
    }
    const auto equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (const auto found = switches().find(name); found != switches().end()) {
      if (equals != std::string::npos) return usage("The option " + name + " takes no value.");
      found->second(options);
      // Help and version win over whatever follows, as everywhere.
      if (options.command == Command::Help || options.command == Command::Version) return options;
      continue;
    }
    const auto found = valued().find(name);
    if (found == valued().end()) return usage("There is no option " + name + "; see tactus --help.");
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    } else {
      return usage(name + " needs a value.");
    }
    if (const auto set = found->second(options, name, value); !set) return set.error();
  }
  options.volume /= 100;
  if (const auto fits = checkCombination(options); !fits) return fits.error();
  return options;
}

std::string helpText() {
  return R"(Usage: tactus [options] [--] [FILE|URL|-]...
       tactus --headless [--duration S] [--report=json[:FILE]] FILE|URL...
       tactus [--headless] --tile FILE|URL[@high|normal|background[,f_min=X]...]...
       tactus doctor

Plays films and streams as periodic real-time tasks. Without FILE the window opens empty.

Playing
  --start S              begin at S seconds
  --pause                open on the first picture, paused
  --speed X              0.25 to 4, pitch kept
  --volume N             0 to 130 percent
  --mute                 start without sound
  --loop                 begin again at the end
  --sub-file FILE        SRT or ASS subtitles (may be given again)
  --no-audio, --no-video
  --audio-target NODE    PipeWire node to play to

Several at once
  --tile FILE[@TERMS]    one more film beside the others; when not all can have everything, the terms say who
                         gives way: high, normal or background, and f_min=0..1 (the share of its pictures that
                         it keeps), weight=W, class=guaranteed|statistical|besteffort, cpus=0+1, name=TEXT, and
                         misses=N/S (more than N missed deadlines in S seconds are a violation)
  --shedding=on|off      off: nobody gives way in time, and everybody is late
  --admission=strict|lenient   strict: a tile that does not fit beside what those before it were promised is
                         not played; lenient (the default): it is, and all give way
  --qos-socket PATH      tells whoever connects what gave way and why, a line of JSON for each event

Window
  --fullscreen           start in full screen
  --grid                 the tiles side by side in one window
  --geometry WxH[+X+Y]   size of the window, and its place; several stand side by side from there
  --stats                show the statistics overlay
  --video-output=auto|software|rhi

Without a window
  --headless             play against a virtual display and end with a report
  --duration S           end after S seconds

Scheduling
  --realtime=auto|fifo|deadline|rtkit|portal|none   strongest kernel class to ask for
  --decoder-threads N    0 chooses by the size of the picture
  --report=text|json[:FILE]   what every stage did, at the end
  --trace FILE           record every stage; open the file in ui.perfetto.dev

  tactus doctor          what this machine grants, and what to do about the rest
  --help, --version

Exit codes
  0 played   1 internal error   2 usage   3 cannot open, or not admitted   4 played with violations (missed
  deadlines or dropped pictures)   5 no display, or it went away   6 playing broke off   130 interrupted
)";
}

}  // namespace tactus::app
