// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::lab {

/// How one run is to be made.
struct Plan {
  bool quick = false;
  int blocks = 0;                   ///< alternating blocks; 0 = as the experiment has it
  std::filesystem::path out = ".";  ///< where the files go
  std::filesystem::path scratch;    ///< films and logs; gone afterwards
  std::filesystem::path tactus;     ///< the player under test
};

/// What one run found. Where `missing` says something, the machine lacks it and there is no verdict.
struct Verdict {
  bool holds = false;
  std::string figure;   ///< the numbers that decide, in one line
  std::string missing;  ///< capability that is not there
};

/// One question, its workload and the rule by which the answer is judged, fixed before the run.
struct Experiment {
  std::string name;
  std::string question;
  /// Writes NAME.csv and NAME.svg in plan.out. Errors: the run itself broke (not: the answer is no).
  Result<Verdict> (*run)(const Plan& plan);
};

/// Every experiment, in the order of `tactus-lab all`. A new one is a file with its function and a line here.
[[nodiscard]] std::span<const Experiment> experiments();

/// A table, written as CSV line by line, so that a run that breaks off leaves what it has.
class CsvFile {
 public:
  CsvFile(std::filesystem::path file, const std::vector<std::string>& columns);
  void add(const std::vector<std::string>& fields);

 private:
  std::filesystem::path m_file;
};

/// The number with `digits` digits behind the point.
[[nodiscard]] std::string fixed(double value, int digits);

/// Errors: System, with the file's name.
[[nodiscard]] Result<void> writeFile(const std::filesystem::path& file, const std::string& text);

/// Kernel and processors, for a figure's note.
[[nodiscard]] std::string machine();

Result<Verdict> runHeitsPlayback(const Plan& plan);
Result<Verdict> runStartAndCost(const Plan& plan);
Result<Verdict> runHeitsSynthetic1(const Plan& plan);
Result<Verdict> runHeitsSynthetic2(const Plan& plan);
Result<Verdict> runHeitsSynthetic3(const Plan& plan);
Result<Verdict> runHeitsServerSlow(const Plan& plan);
Result<Verdict> runHeitsServerFast(const Plan& plan);
Result<Verdict> runHeitsOverhead(const Plan& plan);
Result<Verdict> runBudget(const Plan& plan);
Result<Verdict> runAdmissionTests(const Plan& plan);
Result<Verdict> runRtssAdmission(const Plan& plan);
Result<Verdict> runRtssFrequency(const Plan& plan);
Result<Verdict> runRtssThroughput(const Plan& plan);
Result<Verdict> runRoom(const Plan& plan);
Result<Verdict> runWindows(const Plan& plan);
Result<Verdict> runQlinuxNetShares(const Plan& plan);
Result<Verdict> runQlinuxNetIsolation(const Plan& plan);
Result<Verdict> runQlinuxOverhead(const Plan& plan);

}  // namespace tactus::lab
