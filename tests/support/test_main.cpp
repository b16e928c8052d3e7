// SPDX-License-Identifier: Apache-2.0
// main() of the test programs: none of their threads may outlive the last case.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;  // a thread that was joined may be seen for a moment longer

/// Threads that a library starts once and keeps for the whole program.
constexpr std::array<std::string_view, 5> kKeptByLibraries{"gmain", "gdbus", "pool-spawner", "dconf worker",
                                                           "GstSystemClock"};
/// By devices' drivers, whose names end in numbers.
constexpr std::string_view kKeptByDrivers = "cuda";

/// By number; those that end meanwhile are left out.
std::map<std::string, std::string> namesOfThreads() {
  std::map<std::string, std::string> names;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    std::string name;
    std::ifstream file(entry.path() / "comm");
    if (!std::getline(file, name)) continue;
    if (name.starts_with(kKeptByDrivers)) continue;
    if (std::find(kKeptByLibraries.begin(), kKeptByLibraries.end(), name) == kKeptByLibraries.end())
      names.emplace(entry.path().filename(), name);
  }
  return names;
}

class ThreadWatch : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& test) override {
    for (const auto& [number, name] : namesOfThreads())
      m_seenAfter.try_emplace(number, std::string(test.test_suite_name()) + "." + test.name());
  }

  /// Empty, or what is left and since when.
  [[nodiscard]] std::string leftBehind() const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::string left = leftNow();
    for (; !left.empty() && std::chrono::steady_clock::now() < end; left = leftNow()) {
      endIdleThreadsOfGlib();
      std::this_thread::sleep_for(10ms);
    }
    return left;
  }

 private:
  [[nodiscard]] std::string leftNow() const {
    std::string left;
    for (const auto& [number, name] : namesOfThreads()) {
      if (m_before.count(number) != 0) continue;
      const auto seen = m_seenAfter.find(number);
      left += (left.empty() ? "" : ", ") + name;
      if (seen != m_seenAfter.end()) left += " (seen first after " + seen->second + ")";
    }
    return left;
  }

  /// Those of GLib's pools wait for half a second, and then for fifteen, whether somebody needs them.
  static void endIdleThreadsOfGlib() {
    using End = void (*)();
    if (const auto end = reinterpret_cast<End>(dlsym(RTLD_DEFAULT, "g_thread_pool_stop_unused_threads")))
      end();
  }

  const std::map<std::string, std::string> m_before = namesOfThreads();
  std::map<std::string, std::string> m_seenAfter;  // the case after which the thread was first seen
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::thread([] {}).join();  // ThreadSanitizer starts one of its own with a program's first
  ThreadWatch watch;
  testing::UnitTest::GetInstance()->listeners().Append(&watch);
  const int result = RUN_ALL_TESTS();
  testing::UnitTest::GetInstance()->listeners().Release(&watch);
  const std::string left = watch.leftBehind();
  if (left.empty()) return result;
  std::fprintf(stderr, "threads are left behind: %s\n", left.c_str());
  return EXIT_FAILURE;
}
