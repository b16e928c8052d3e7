// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests of sound: a PipeWire of their own, and what a device plays.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace tactus::plugins::testing {

using Clock = std::chrono::steady_clock;

/// For what comes at once on an idle machine.
inline constexpr auto kPatience = std::chrono::seconds(30);

inline bool within(Clock::duration longest, const std::function<bool()>& holds) {
  const auto end = Clock::now() + longest;
  while (!holds()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

inline bool installed(const std::string& programs) {
  return std::system(("command -v " + programs + " >/dev/null 2>&1").c_str()) == 0;
}

/// A child process, ended with the scope together with what it started (dbus-run-session leaves its daemon
/// otherwise).
class Child {
 public:
  explicit Child(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    m_process = fork();
    if (m_process != 0) return;
    setpgid(0, 0);
    std::freopen("/dev/null", "w", stdout);
    std::freopen("/dev/null", "w", stderr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~Child() { end(SIGTERM); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void signal(int number) const {
    if (m_process > 0) kill(m_process, number);
  }
  void end(int number) {
    if (m_process <= 0) return;
    if (kill(-m_process, number) != 0) kill(m_process, number);  // before it has a group of its own
    waitpid(m_process, nullptr, 0);
    m_process = -1;
  }

 private:
  pid_t m_process = -1;
};

/// Sets an environment variable until the scope ends.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : m_name(name) {
    if (const char* before = getenv(name)) m_before = before;
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { m_before ? setenv(m_name, m_before->c_str(), 1) : unsetenv(m_name); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* m_name;
  std::optional<std::string> m_before;
};

/// An empty XDG_RUNTIME_DIR: no daemon is to be found.
class EmptyRuntime {
 public:
  EmptyRuntime()
      : m_folder(newFolder()),
        m_xdg("XDG_RUNTIME_DIR", m_folder),
        m_pipewire("PIPEWIRE_RUNTIME_DIR", m_folder),
        m_state("XDG_STATE_HOME", m_folder + "/state") {}
  /// A session manager that has been told to end may still write its state there.
  ~EmptyRuntime() {
    (void)within(kPatience, [this] {
      std::error_code wrong;
      std::filesystem::remove_all(m_folder, wrong);
      return !wrong;
    });
  }
  EmptyRuntime(const EmptyRuntime&) = delete;
  EmptyRuntime& operator=(const EmptyRuntime&) = delete;
  [[nodiscard]] const std::string& folder() const { return m_folder; }

 private:
  static std::string newFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tactus-audio-XXXXXX").string();
    return mkdtemp(name.data()) != nullptr ? name : std::string();
  }
  std::string m_folder;
  Setting m_xdg, m_pipewire, m_state;
};

/// pipewire and wireplumber with one sink that nobody hears.
class PrivateSession {
 public:
  PrivateSession() { start(); }
  void start() {
    m_daemon.emplace(std::vector<std::string>{"pipewire"});
    ready = within(kPatience, [&] { return std::filesystem::exists(m_runtime.folder() + "/pipewire-0"); });
    m_manager.emplace(std::vector<std::string>{"dbus-run-session", "--", "wireplumber"});
    ready = ready && within(kPatience, [] { return addSink(); });
  }
  static bool addSink() {
    return std::system(
               "pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=tactus_test "
               "media.class=Audio/Sink object.linger=true audio.position=[FL FR] }' >/dev/null 2>&1") == 0;
  }
  static bool removeSink() { return std::system("pw-cli destroy tactus_test >/dev/null 2>&1") == 0; }
  void killDaemon() {
    m_daemon->end(SIGKILL);
    m_manager->end(SIGTERM);
    std::filesystem::remove(m_runtime.folder() + "/pipewire-0");
  }
  [[nodiscard]] const Child& daemon() const { return *m_daemon; }
  bool ready = false;

 private:
  EmptyRuntime m_runtime;  // before the children, which end in it
  std::optional<Child> m_daemon, m_manager;
};

/// What a command prints, without the ends of its last lines.
inline std::string output(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  pclose(pipe);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Amplitude of one frequency (Goertzel).
inline double amplitude(std::span<const float> samples, double frequency) {
  double real = 0;
  double imaginary = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double phase = 2 * std::numbers::pi * frequency * static_cast<double>(i) / 48000;
    real += static_cast<double>(samples[i]) * std::cos(phase);
    imaginary += static_cast<double>(samples[i]) * std::sin(phase);
  }
  return 2 * std::hypot(real, imaginary) / static_cast<double>(samples.size());
}

/// The left channel of what a sink plays, as 48 kHz; from its monitor, by PulseAudio's protocol.
class SinkRecorder {
 public:
  explicit SinkRecorder(const std::string& sink) {
    int ends[2];
    if (pipe(ends) != 0) return;
    m_process = fork();
    if (m_process == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      const std::string monitor = sink + ".monitor";
      execlp("parec", "parec", "-d", monitor.c_str(), "--latency-msec=20", "--format=float32le",
             "--rate=48000", "--channels=2", "--raw", nullptr);
      _exit(127);
    }
    close(ends[1]);
    m_end = ends[0];
    m_thread = std::thread([this] { record(); });
  }
  ~SinkRecorder() {
    if (m_process > 0) kill(m_process, SIGKILL);
    if (m_thread.joinable()) m_thread.join();
    if (m_process > 0) waitpid(m_process, nullptr, 0);
    if (m_end >= 0) close(m_end);
  }
  SinkRecorder(const SinkRecorder&) = delete;
  SinkRecorder& operator=(const SinkRecorder&) = delete;

  /// The last `length` of it; shorter while there is no more.
  [[nodiscard]] std::vector<float> last(std::chrono::milliseconds length) const {
    const std::lock_guard lock(m_mutex);
    const auto count = std::min(m_samples.size(), static_cast<std::size_t>(length.count()) * 48);
    return {m_samples.end() - static_cast<std::ptrdiff_t>(count), m_samples.end()};
  }

 private:
  void record() {
    std::vector<float> both(2 * 480);
    std::size_t there = 0;  // bytes
    auto* bytes = reinterpret_cast<char*>(both.data());
    for (ssize_t got = 0; (got = read(m_end, bytes + there, both.size() * sizeof(float) - there)) > 0;) {
      there += static_cast<std::size_t>(got);
      if (there < both.size() * sizeof(float)) continue;
      there = 0;
      const std::lock_guard lock(m_mutex);
      for (std::size_t i = 0; i < both.size(); i += 2) m_samples.push_back(both[i]);
    }
  }

  pid_t m_process = -1;
  int m_end = -1;
  mutable std::mutex m_mutex;  // guards m_samples
  std::vector<float> m_samples;
  std::thread m_thread;
};

/// How much of a tone comes unbroken on any machine, however busy.
inline constexpr auto kUnbroken = std::chrono::milliseconds(300);

/// Of samples that are one tone, whose speed may change a little.
struct Tone {
  double frequency = 0, amplitude = 0;
  bool unbroken = false;  ///< there is no gap of 5 ms
};
inline Tone toneOf(std::span<const float> samples) {
  Tone tone;
  const auto amplitudeOf = [](std::span<const float> part) {
    double power = 0;
    for (const float each : part) power += static_cast<double>(each) * static_cast<double>(each);
    return std::sqrt(2 * power / static_cast<double>(part.size()));
  };
  if (samples.empty()) return tone;
  tone.amplitude = amplitudeOf(samples);
  for (std::size_t i = 1; i < samples.size(); ++i) tone.frequency += samples[i - 1] < 0 && samples[i] >= 0;
  tone.frequency *= 48'000 / static_cast<double>(samples.size());
  tone.unbroken =
      tone.amplitude > 0.001 && samples.size() >= static_cast<std::size_t>(kUnbroken.count()) * 48;
  constexpr std::size_t kPart = 240;
  for (std::size_t i = 0; i + kPart <= samples.size(); i += kPart)
    tone.unbroken &= std::abs(amplitudeOf(samples.subspan(i, kPart)) / tone.amplitude - 1) < 0.25;
  return tone;
}

inline bool isSilent(std::span<const float> samples) {
  return !samples.empty() &&
         std::all_of(samples.begin(), samples.end(), [](float each) { return std::abs(each) < 1e-4F; });
}

}  // namespace tactus::plugins::testing
