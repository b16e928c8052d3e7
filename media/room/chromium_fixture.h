// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace tactus::media {

/// Chromium without a window, with a profile of its own, at one page. It is killed with all its processes.
class Chromium {
 public:
  /// `more`: flags beside those that each needs.
  explicit Chromium(const std::string& address, const std::vector<std::string>& more = {}) {
    std::string profile = (std::filesystem::temp_directory_path() / "chromium.XXXXXX").string();
    if (mkdtemp(profile.data()) == nullptr) return;
    m_profile = profile;
    std::vector<std::string> words{"chromium",
                                   "--headless",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--disable-quic",
                                   "--no-first-run",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--disable-sync",
                                   "--disable-dev-shm-usage",
                                   "--allow-loopback-in-peer-connection",
                                   "--disable-features=WebRtcHideLocalIpsWithMdns",
                                   "--user-data-dir=" + profile};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(address);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    m_process = fork();
    if (m_process != 0) return;
    setpgid(0, 0);
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(1);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~Chromium() {
    end();
    std::error_code ignored;
    std::filesystem::remove_all(m_profile, ignored);
  }
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  /// Kills it, without a word to its peers.
  void end() {
    if (m_process <= 0) return;
    setpgid(m_process, m_process);  // if it has not got so far itself
    kill(-m_process, SIGKILL);
    waitpid(m_process, nullptr, 0);
    m_process = 0;
  }

 private:
  std::string m_profile;
  pid_t m_process = 0;
};

}  // namespace tactus::media
