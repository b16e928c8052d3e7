// SPDX-License-Identifier: Apache-2.0
// What a room's host costs, how late its pictures are, and whether its memory grows: beside Janus, and beside
// two pages of Chromium that need no host. tests/lab/room_peers/measure.py makes the rows; the rule is here.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/lab/child_process.h"
#include "tests/lab/experiment.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"

namespace tactus::lab {
namespace {

constexpr double kCostRatio = 0.8;        // of Janus's, a subscriber
constexpr double kFirstPictureMs = 1000;  // from join
constexpr double kDelayRatio = 1.0;       // of Chromium's
constexpr double kMemoryRatio = 1.02;     // at the end of the call, of what it was at its first look
constexpr std::array kSubscribers = {2, 4, 7};
constexpr int kBlocks = 10;

/// Values of measure.py by "part,who,n,figure", in their order.
using Rows = std::map<std::string, std::vector<double>>;

std::string keyOf(const std::string& part, const std::string& who, const std::string& n,
                  const std::string& figure) {
  return part + "," + who + "," + n + "," + figure;
}

Rows readRows(const std::filesystem::path& file) {
  Rows rows;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);  // the heads
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string part, who, block, n, figure, value;
    for (std::string* field : {&part, &who, &block, &n, &figure, &value}) std::getline(fields, *field, ',');
    rows[keyOf(part, who, n, figure)].push_back(std::atof(value.c_str()));
  }
  return rows;
}

/// Not a number where there is nothing.
double medianOf(const Rows& rows, const std::string& key) {
  const auto found = rows.find(key);
  return found == rows.end() ? std::nan("") : median(found->second);
}

double costOf(const Rows& rows, const std::string& who, int subscribers) {
  return medianOf(rows, keyOf("forwarding", who, std::to_string(subscribers), "percent_a_subscriber"));
}

double delayOf(const Rows& rows, const std::string& who) {
  return medianOf(rows, keyOf("delay", who, "1", "age_ms"));
}

double joinOf(const Rows& rows, const std::string& who) {
  return medianOf(rows, keyOf("join", who, "1", "first_picture_ms"));
}

struct Memory {
  std::vector<std::string> minutes = {};
  std::vector<double> resident = {};
};

Memory memoryOf(const Rows& rows, bool quick) {
  Memory memory;
  memory.minutes =
      quick ? std::vector<std::string>{"0.1", "0.2"} : std::vector<std::string>{"5", "10", "20", "30"};
  for (const auto& minute : memory.minutes)
    memory.resident.push_back(medianOf(rows, keyOf("memory", "tactus", minute, "resident_mib")));
  return memory;
}

Verdict judge(const Rows& rows, bool quick) {
  std::string figure = "a subscriber costs";
  bool holds = true;
  for (const int n : kSubscribers) {
    const double ours = costOf(rows, "tactus", n), theirs = costOf(rows, "janus", n);
    holds = holds && theirs > 0 && ours / theirs <= kCostRatio;
    figure += (n == kSubscribers.front() ? " " : ", ") + fixed(ours / theirs, 2);
  }
  figure += " of what it costs Janus, of 2, 4, 7 (" + fixed(costOf(rows, "tactus", 4), 2) + " and " +
            fixed(costOf(rows, "janus", 4), 2) + " % of a processor, of 4); first picture after ";
  for (const char* who : {"tactus", "chromium"}) {
    holds = holds && joinOf(rows, who) < kFirstPictureMs;
    figure += fixed(joinOf(rows, who), 0) + (std::string(who) == "tactus" ? " ms (Chromium " : ")");
  }
  const double ratio = delayOf(rows, "tactus") / delayOf(rows, "chromium");
  const auto memory = memoryOf(rows, quick);
  const double growth = memory.resident.back() / memory.resident.front();
  holds = holds && ratio <= kDelayRatio && growth <= kMemoryRatio;
  figure += "; a picture is " + fixed(delayOf(rows, "tactus"), 0) +
            " ms old (between two pages of Chromium " + fixed(delayOf(rows, "chromium"), 0) + ", ratio " +
            fixed(ratio, 2) + "); memory " + fixed(memory.resident.front(), 1) + " MiB after " +
            memory.minutes.front() + " min, " + fixed(memory.resident.back(), 1) + " after " +
            memory.minutes.back();
  return {holds, figure, ""};
}

/// A value of each that is compared, in every panel in the same order; not a number: it is not in this one.
constexpr std::array kCompared = {"tactus", "janus", "chromium", "chromium by our room"};
using Values = std::array<double, kCompared.size()>;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void add(Panel& panel, const std::string& category, const Values& values) {
  panel.categories.push_back(category);
  panel.series.resize(kCompared.size());
  for (std::size_t i = 0; i < kCompared.size(); ++i) {
    panel.series[i].name = kCompared[i];
    panel.series[i].values.push_back(values[i]);
  }
}

Panel bars(const std::string& title, const std::string& unit, const Values& values) {
  Panel panel;
  panel.title = title;
  panel.yLabel = unit;
  panel.kind = Panel::Kind::Bars;
  add(panel, "", values);
  return panel;
}

Figure figureOf(const Rows& rows, const Plan& plan, int blocks) {
  Figure figure{"A room of Tactus", machine() + "; medians of " + std::to_string(blocks) + " block(s)", {}};
  Panel cost;
  cost.title = "Forwarding, 960x540 at 1.5 Mbit/s and sound";
  cost.xLabel = "subscribers";
  cost.yLabel = "of a processor a subscriber, %";
  for (const int n : kSubscribers)
    add(cost, std::to_string(n), {costOf(rows, "tactus", n), costOf(rows, "janus", n), kNone, kNone});
  figure.panels.push_back(cost);
  figure.panels.push_back(bars("First picture", "from join, ms",
                               {joinOf(rows, "tactus"), kNone, joinOf(rows, "chromium"), kNone}));
  figure.panels.back().limit = Panel::Limit{kFirstPictureMs, "promised"};
  figure.panels.push_back(
      bars("A picture that is shown", "age, ms",
           {delayOf(rows, "tactus"), kNone, delayOf(rows, "chromium"), delayOf(rows, "chromium-by-room")}));
  const auto memory = memoryOf(rows, plan.quick);
  Panel panel;
  panel.title = "The host in a call of four";
  panel.xLabel = "minutes";
  panel.yLabel = "resident, MiB";
  for (std::size_t i = 0; i < memory.minutes.size(); ++i)
    add(panel, memory.minutes[i], {memory.resident[i], kNone, kNone, kNone});
  figure.panels.push_back(panel);
  return figure;
}

}  // namespace

Result<Verdict> runRoom(const Plan& plan) {
  for (const char* program : {"janus", "chromium", "chromedriver", "ffmpeg", "python3"})
    if (!programExists(program))
      return Verdict{false, "", std::string("the program ") + program + " is missing"};
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "room_peers";
  const auto script = std::filesystem::path(TACTUS_LAB_ROOM_PEERS) / "measure.py";
  const int blocks = plan.blocks > 0 ? plan.blocks : plan.quick ? 1 : kBlocks;
  const auto table = plan.out / "room.csv";
  std::vector<std::string> words = {"python3",      script.string(),
                                    "--tactus",     plan.tactus.string(),
                                    "--subscriber", (beside / "tactus-lab-subscriber").string(),
                                    "--out",        table.string(),
                                    "--scratch",    plan.scratch.string(),
                                    "--blocks",     std::to_string(blocks)};
  if (plan.quick) words.push_back("--quick");
  const auto said = (plan.out / "room.log").string();
  auto process = ChildProcess::start(words, {.environment = {}, .outputFile = said});
  if (!process.ok()) return process.error();
  const auto end = process.value().wait(std::chrono::hours(3));
  if (!end) return Error{ErrorCode::Timeout, "the room was not measured within 3 hours"};
  if (end->status != 0)
    return Error{ErrorCode::System, "measure.py ended with " + std::to_string(end->status) + ", see " + said};
  const Rows rows = readRows(table);
  if (auto drawn = writeFile(plan.out / "room.svg", toSvg(figureOf(rows, plan, blocks))); !drawn.ok())
    return drawn.error();
  return judge(rows, plan.quick);
}

}  // namespace tactus::lab
