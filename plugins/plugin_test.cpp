// SPDX-License-Identifier: Apache-2.0
// libgsttactus.so as users meet it: through the command-line tools, which are other processes.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace {

struct Outcome {
  int status = -1;
  std::string text;
};

Outcome run(const std::string& command) {
  const auto registry = std::filesystem::temp_directory_path() / "tactus-plugin-test-registry.bin";
  // The plugin lies beside this test.
  const auto plugins = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string line = "GST_PLUGIN_PATH='" + plugins.string() + "' GST_REGISTRY='" + registry.string() +
                           "' timeout 90 " + command + " 2>&1";
  Outcome outcome;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) outcome.text.append(buffer, got);
  outcome.status = pclose(pipe);
  return outcome;
}

class Plugin : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v gst-launch-1.0 gst-inspect-1.0 >/dev/null") != 0) {
      GTEST_SKIP() << "gst-launch-1.0 and gst-inspect-1.0 are not installed";
    }
  }
};

TEST_F(Plugin, IsDescribedByGstInspect) {
  const auto outcome = run("gst-inspect-1.0 tactuslbap");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("Apache"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("workahead"), std::string::npos) << outcome.text;
  EXPECT_EQ(run("gst-inspect-1.0 tactusvideosink").status, 0);
  EXPECT_EQ(run("gst-inspect-1.0 tactusaudiosink").status, 0);
}

TEST_F(Plugin, RegulatesInGstLaunch) {
  // Of thirty pictures of 256 bytes at once, at a rate of one an hour, two may pass.
  const auto passed = std::filesystem::temp_directory_path() / "tactus-plugin-test-passed";
  const auto outcome =
      run("gst-launch-1.0 -q videotestsrc num-buffers=30 ! video/x-raw,format=GRAY8,width=16,height=16 "
          "! tactuslbap rate=1/3600 workahead=2 drop=true ! filesink location='" +
          passed.string() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(std::filesystem::file_size(passed), 2u * 256u);
  std::filesystem::remove(passed);
}

TEST_F(Plugin, PlaysToNobodyInGstLaunch) {
  const auto outcome = run("gst-launch-1.0 -q videotestsrc num-buffers=10 ! tactusvideosink");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
}

}  // namespace
