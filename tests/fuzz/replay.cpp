// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: on each file of a folder, and on changes of these, the same each
// time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

constexpr int kChanges = 2000;  // of each file
constexpr std::size_t kLongest = 128 * 1024;

std::vector<std::string> filesOf(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& each : std::filesystem::directory_iterator(folder)) paths.push_back(each.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return files;
}

/// One change: of a byte or a bit, bytes left out, put in, doubled, taken from `other`, or the end cut off.
void change(std::string& input, const std::string& other, std::mt19937& random) {
  const auto below = [&random](std::size_t limit) { return random() % std::max<std::size_t>(1, limit); };
  const std::size_t at = below(input.size() + 1);
  const std::size_t length = std::min(below(32), input.size() - at);
  switch (below(7)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(random());
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
      break;
    case 2:
      input.erase(at, length);
      break;
    case 3:
      input.insert(at, std::string(1 + below(64), static_cast<char>(random())));
      break;
    case 4:
      input.insert(at, input.substr(at, length));
      break;
    case 5:
      input.insert(at, other.substr(below(other.size()), below(64)));
      break;
    default:
      input.resize(at);
  }
}

void run(const std::string& input) {
  (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) (void)LLVMFuzzerInitialize(&argc, &argv);
  const auto files = argc == 2 ? filesOf(argv[1]) : std::vector<std::string>();
  if (files.empty()) {
    std::fprintf(stderr, "There is no file to begin with.\n");
    return 1;
  }
  std::mt19937 random(20260101);
  run("");
  for (const std::string& file : files) {
    run(file);
    for (int i = 0; i < kChanges; ++i) {
      std::string input = file;
      for (auto changes = 1 + random() % 6; changes > 0; --changes)
        change(input, files[random() % files.size()], random);
      if (input.size() <= kLongest) run(input);
    }
  }
  return 0;
}
