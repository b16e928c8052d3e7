// SPDX-License-Identifier: Apache-2.0
// main() of the test programs: after each case, no thread may be left that was not there before it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;  // a thread that was joined may be seen for a moment longer

/// Threads that a library starts once and keeps for the whole program.
bool keptByALibrary(const std::string& name) {
  for (const char* kept : {"gmain", "gdbus", "pool-spawner", "dconf worker"})
    if (name == kept) return true;
  return false;
}

/// By number; those that end meanwhile are left out.
std::map<std::string, std::string> namesOfThreads() {
  std::map<std::string, std::string> names;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    std::string name;
    if (std::getline(std::ifstream(entry.path() / "comm"), name) && !keptByALibrary(name))
      names.emplace(entry.path().filename(), name);
  }
  return names;
}

class ThreadWatch : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override { m_before = namesOfThreads(); }

  void OnTestEnd(const testing::TestInfo&) override {
    std::string left = leftBehind();
    for (const auto end = std::chrono::steady_clock::now() + kPatience;
         !left.empty() && std::chrono::steady_clock::now() < end; left = leftBehind()) {
      endIdleThreadsOfGlib();
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(left, "") << "threads are left behind";
  }

 private:
  [[nodiscard]] std::string leftBehind() const {
    std::string left;
    for (const auto& [number, name] : namesOfThreads())
      if (m_before.count(number) == 0) left += (left.empty() ? "" : ", ") + name;
    return left;
  }

  /// Those of GLib's pool keep the name of the pipeline whose they were, for 15 seconds, in case somebody
  /// needs them.
  static void endIdleThreadsOfGlib() {
    using End = void (*)();
    if (const auto end = reinterpret_cast<End>(dlsym(RTLD_DEFAULT, "g_thread_pool_stop_unused_threads")))
      end();
  }

  std::map<std::string, std::string> m_before;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::thread([] {}).join();  // ThreadSanitizer starts one of its own with a program's first
  testing::UnitTest::GetInstance()->listeners().Append(new ThreadWatch);
  return RUN_ALL_TESTS();
}
