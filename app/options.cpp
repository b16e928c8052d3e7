// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/command_line.h"
#include "app/option_setters.h"
#include "app/option_value.h"
#include "conference/door/room_link.h"

namespace tactus::app {
namespace {

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
    } else if (command == "doctor" || command == "host") {
      return usageError("tactus " + command + " takes no file; ./" + command + " plays a file of that name.");
    } else {
      options.items.push_back(word);
    }
  }
  return {};
}

/// The link of a call, which is joined without the command's name, too.
bool isLink(const std::vector<std::string>& items) {
  return items.size() == 1 && conference::RoomLink::parse(items.front()).ok();
}

/// The words of a command that has streams.
Result<void> takeStreams(Options& options, const std::string& command) {
  if (command != "send" && command != "recv") return {};
  const auto streams = std::exchange(options.items, {});
  return command == "send" ? addSent(options, streams) : addReceived(options, streams);
}

Result<void> checkCombination(const Options& options) {
  if (options.command == Command::Headless && options.items.empty() && options.tiles.empty() &&
      options.received.empty()) {
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
  const std::string name = command == nullptr ? "" : command->get_name();
  if (name == "doctor") options.command = Command::Doctor;
  if (name == "send") options.command = Command::Send;
  if (name == "host") options.command = Command::Host;
  if (name == "join") options.command = Command::Join;
  const auto taken = takeItems(options, app->remaining(true), name);
  if (!taken) return taken.error();
  if (const auto streams = takeStreams(options, name); !streams) return streams.error();
  if (name.empty() && isLink(options.items)) {
    options.headless = options.command == Command::Headless;
    options.command = Command::Join;
  }
  if (options.command == Command::Join)
    if (const auto link = takeLink(options); !link) return link.error();
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
