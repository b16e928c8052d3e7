// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tests/lab/child_process.h"
#include "tests/lab/experiment.h"

namespace {

using namespace tactus;
using namespace tactus::lab;

enum Exit : int { Holds = 0, FallsShort = 1, UsageError = 2, Broke = 3, CapabilityMissing = 77 };

constexpr const char* kHelp =
    R"(Usage: tactus-lab NAME|all|list [--quick] [--blocks N] [--out DIR] [--no-verdict]

Runs an experiment; writes NAME.csv and NAME.svg, and says `NAME: holds|falls short: figure`.
  --quick       a few seconds instead of the full run
  --blocks N    alternating blocks of the run
  --out DIR     where the files go (default: here); `all` writes RESULTS.md there too
  --no-verdict  end with 0 whether it holds or falls short

Ends with 0 holds, 1 falls short, 2 usage, 3 the run broke off, 77 this machine lacks something (it says what).
The player is build/.../app/tactus beside this program, or what TACTUS names.
)";

struct Arguments {
  std::string name;
  Plan plan;
  bool verdict = true;
};

Result<Arguments> parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool hasValue = i + 1 < words.size();
    if (words[i] == "--quick") {
      arguments.plan.quick = true;
    } else if (words[i] == "--no-verdict") {
      arguments.verdict = false;
    } else if (words[i] == "--out" && hasValue) {
      arguments.plan.out = words[++i];
    } else if (words[i] == "--blocks" && hasValue) {
      arguments.plan.blocks = std::atoi(words[++i].c_str());
      if (arguments.plan.blocks < 1)
        return Error{ErrorCode::InvalidArgument, "--blocks takes a number from 1."};
    } else if (words[i].starts_with("-") || !arguments.name.empty()) {
      return Error{ErrorCode::InvalidArgument, "What is '" + words[i] + "'? See tactus-lab --help."};
    } else {
      arguments.name = words[i];
    }
  }
  if (arguments.name.empty())
    return Error{ErrorCode::InvalidArgument, "Which experiment? See tactus-lab list."};
  return arguments;
}

std::filesystem::path player() {
  if (const char* given = std::getenv("TACTUS"); given != nullptr) return given;
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  return self.parent_path() / "../../app/tactus";
}

/// A folder that goes with the run.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tactus-lab.XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) m_path = pattern;
  }
  ~Scratch() {
    std::error_code ignored;  // nothing depends on it being gone
    if (!m_path.empty()) std::filesystem::remove_all(m_path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return m_path; }

 private:
  std::filesystem::path m_path;
};

Exit run(const Experiment& experiment, const Plan& plan, std::string& results) {
  const auto verdict = experiment.run(plan);
  std::string line;
  Exit exit = Broke;
  if (!verdict.ok()) {
    line = experiment.name + ": broke off: " + verdict.error().message;
  } else if (!verdict.value().missing.empty()) {
    line = experiment.name + ": not run: " + verdict.value().missing;
    exit = CapabilityMissing;
  } else {
    exit = verdict.value().holds ? Holds : FallsShort;
    line = experiment.name + (exit == Holds ? ": holds: " : ": falls short: ") + verdict.value().figure;
  }
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  results += "## " + experiment.name + "\n\n" + experiment.question + "\n\n**" + line + "**\n";
  if (exit == Holds || exit == FallsShort) {
    results += "\n![" + experiment.name + "](" + experiment.name + ".svg)\n\nFigures: [" + experiment.name +
               ".csv](" + experiment.name + ".csv)\n";
  }
  results += "\n";
  return exit;
}

int runAll(const Arguments& arguments) {
  std::string results = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Results of the lab\n\n" + machine() +
                        ", " + (arguments.plan.quick ? "quick" : "full") + " run.\n\n";
  int worst = Holds;
  for (const auto& experiment : experiments()) {
    const Exit exit = run(experiment, arguments.plan, results);
    if (exit == Broke || (exit == FallsShort && worst == Holds)) worst = exit;
  }
  if (const auto written = writeFile(arguments.plan.out / "RESULTS.md", results); !written.ok()) {
    std::fprintf(stderr, "tactus-lab: %s\n", written.error().message.c_str());
    return Broke;
  }
  return worst;
}

int runNamed(const Arguments& arguments) {
  for (const auto& experiment : experiments()) {
    std::string results;
    if (experiment.name == arguments.name) return run(experiment, arguments.plan, results);
  }
  std::fprintf(stderr, "tactus-lab: There is no experiment '%s'; see tactus-lab list.\n",
               arguments.name.c_str());
  return UsageError;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  auto arguments = parse(words);
  if (!arguments.ok()) {
    std::fprintf(stderr, "tactus-lab: %s\n", arguments.error().message.c_str());
    return UsageError;
  }
  if (arguments.value().name == "list") {
    for (const auto& experiment : experiments()) {
      std::printf("%-16s %s\n", experiment.name.c_str(), experiment.question.c_str());
    }
    return 0;
  }
  const Scratch scratch;
  Plan& plan = arguments.value().plan;
  plan.scratch = scratch.path();
  plan.tactus = player();
  std::error_code failure;
  std::filesystem::create_directories(plan.out, failure);
  if (scratch.path().empty() || failure) {
    std::fprintf(stderr, "tactus-lab: The folder for the results cannot be made: %s.\n",
                 failure.message().c_str());
    return Broke;
  }
  const int exit = arguments.value().name == "all" ? runAll(arguments.value()) : runNamed(arguments.value());
  return exit == FallsShort && !arguments.value().verdict ? static_cast<int>(Holds) : exit;
}
