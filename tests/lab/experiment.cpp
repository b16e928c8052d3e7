// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/experiment.h"

#include <sys/utsname.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

namespace tactus::lab {
namespace {

std::string row(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) line += (line.empty() ? "" : ",") + field;
  return line + "\n";
}

}  // namespace

std::span<const Experiment> experiments() {
  static const std::array table{
      Experiment{"heits-playback",
                 "Does a film play on without a gap beside processor hogs, and does it in other players?",
                 runHeitsPlayback},
      Experiment{"start-and-cost", "How soon is the first picture there, and what does playing cost?",
                 runStartAndCost},
      Experiment{"heits-synthetic-1", "What laxity does one computing task keep beside processor hogs?",
                 runHeitsSynthetic1},
      Experiment{"heits-synthetic-2", "And two of them?", runHeitsSynthetic2},
      Experiment{"heits-synthetic-3", "And three, which take 94.5 % of the processor?", runHeitsSynthetic3},
      Experiment{"heits-server-slow", "How many streams of 5 % does one processor serve in time?",
                 runHeitsServerSlow},
      Experiment{"heits-server-fast", "How many streams of 2.7 %?", runHeitsServerFast},
      Experiment{"heits-overhead", "What does the scheduler cost, and how precisely does a packet begin?",
                 runHeitsOverhead},
      Experiment{"budget", "How soon does an overrun end, and does it harm others?", runBudget},
      Experiment{"admission-tests", "What does each admission test accept, and is that safe?",
                 runAdmissionTests},
      Experiment{"rtss-admission", "Is the one stream too many refused, and do the others keep their rate?",
                 runRtssAdmission},
      Experiment{"rtss-frequency",
                 "Does the window that matters keep its rate while the processor is overloaded?",
                 runRtssFrequency},
      Experiment{"rtss-throughput", "How much of a bare socket's throughput does a stream of ports reach?",
                 runRtssThroughput},
      Experiment{"room", "What does forwarding in a room cost, and how late are its pictures?", runRoom},
      Experiment{"windows", "Many films on one screen: does the one that matters stay whole?", runWindows},
      Experiment{"qlinux-net-shares", "Do two floods share a line as 1:4, whatever their packets' sizes?",
                 runQlinuxNetShares},
      Experiment{"qlinux-net-isolation", "Do a stream and sound keep their rate and delay beside floods?",
                 runQlinuxNetIsolation},
      Experiment{"qlinux-overhead", "What does a level of the share tree cost a packet?", runQlinuxOverhead},
  };
  return table;
}

CsvFile::CsvFile(std::filesystem::path file, const std::vector<std::string>& columns)
    : m_file(std::move(file)) {
  std::ofstream(m_file) << row(columns);
}

void CsvFile::add(const std::vector<std::string>& fields) {
  std::ofstream(m_file, std::ios::app) << row(fields);
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

Result<void> writeFile(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  if (out) return {};
  return Error{ErrorCode::System, file.string() + ": " + std::strerror(errno)};
}

std::string machine() {
  utsname names{};
  uname(&names);
  return std::string("Linux ") + names.release + ", " + std::to_string(std::thread::hardware_concurrency()) +
         " processors";
}

}  // namespace tactus::lab
