// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/throughput_trial.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

#include "core/net/descriptor.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::KernelTime;
using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr Duration kPatience = 10s;
constexpr Duration kLook = 500us;

/// Processor time of a process and its threads, in seconds. (getrusage() of another process is not there.)
double cpuOf(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What is known at an instant.
struct Sample {
  TimePoint at;
  std::uint64_t sent = 0, arrived = 0, arrivedBytes = 0;
  double senderCpu = 0, receiverCpu = 0;
};

class Trial {
 public:
  Trial(const ThroughputWay& way, std::size_t size, std::string path)
      : m_way(way), m_size(size), m_path(std::move(path)) {}
  ~Trial() {
    unlink(m_path.c_str());
    if (m_page != nullptr) munmap(m_page, sizeof *m_page);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Result<TrialFigures> run(TrialSpan span) {
    if (auto prepared = prepare(); !prepared.ok()) return prepared.error();
    if (auto begun = begin(); !begun.ok()) return begun.error();
    KernelTime::sleepUntil(MonotonicClock::now() + span.begin);
    const Sample first = sample();
    KernelTime::sleepUntil(first.at + span.length);
    const Sample last = sample();
    if (m_sender.poll() || m_receiver.poll()) return failed("a process ended");
    if (last.arrived == first.arrived) return failed("nothing arrived");
    return TrialFigures{periodic::inSeconds(last.at - first.at),
                        last.sent - first.sent,
                        last.arrived - first.arrived,
                        last.arrivedBytes - first.arrivedBytes,
                        last.senderCpu - first.senderCpu,
                        last.receiverCpu - first.receiverCpu};
  }

 private:
  [[nodiscard]] Error failed(const char* what) const {
    return {ErrorCode::System, m_way.name + ", " + std::to_string(m_size) + " B: " + what + "."};
  }
  Result<void> prepare() {
    m_memory = net::Descriptor(memfd_create("trial", MFD_CLOEXEC));
    if (m_memory.get() < 0 || ftruncate(m_memory.get(), sizeof(TrialPage)) != 0)
      return failed(std::strerror(errno));
    m_page = TrialPage::at(m_memory.get());
    if (m_page == nullptr) return failed(std::strerror(errno));
    new (m_page) TrialPage;
    return {};
  }
  Result<ChildProcess> start(bool sends) {
    return m_way.start({.sends = sends, .size = m_size, .page = m_memory.get(), .path = m_path});
  }
  /// Until the first buffer has arrived.
  Result<void> begin() {
    auto receiver = start(false);
    if (!receiver.ok()) return receiver.error();
    m_receiver = std::move(receiver).value();
    if (!await([&] { return m_page->port.load(std::memory_order_acquire) != 0; }))
      return failed("the receiver does not listen");
    auto sender = start(true);
    if (!sender.ok()) return sender.error();
    m_sender = std::move(sender).value();
    if (!await([&] { return m_page->arrived.buffers.load(std::memory_order_relaxed) != 0; }))
      return failed("nothing arrived");
    return {};
  }
  template <typename Condition>
  bool await(const Condition& condition) {
    for (const TimePoint until = MonotonicClock::now() + kPatience; !condition();) {
      if (m_receiver.poll() || m_sender.poll() || MonotonicClock::now() > until) return false;
      KernelTime::sleepUntil(MonotonicClock::now() + kLook);
    }
    return true;
  }
  [[nodiscard]] Sample sample() const {
    Sample sample;
    sample.at = MonotonicClock::now();
    sample.sent = m_page->sent.buffers.load(std::memory_order_relaxed);
    sample.arrived = m_page->arrived.buffers.load(std::memory_order_relaxed);
    sample.arrivedBytes = m_page->arrived.bytes.load(std::memory_order_relaxed);
    sample.senderCpu = cpuOf(m_sender.pid());
    sample.receiverCpu = cpuOf(m_receiver.pid());
    return sample;
  }

  const ThroughputWay& m_way;
  const std::size_t m_size;
  const std::string m_path;
  net::Descriptor m_memory;
  TrialPage* m_page = nullptr;
  ChildProcess m_receiver, m_sender;
};

}  // namespace

double TrialFigures::lost() const noexcept {
  if (sent <= arrived) return 0;
  return 1 - static_cast<double>(arrived) / static_cast<double>(sent);
}

double TrialFigures::senderNs() const noexcept {
  return 1e9 * senderCpu / static_cast<double>(std::max<std::uint64_t>(sent, 1));
}

double TrialFigures::receiverNs() const noexcept {
  return 1e9 * receiverCpu / static_cast<double>(std::max<std::uint64_t>(arrived, 1));
}

Result<TrialFigures> runTrial(const ThroughputWay& way, std::size_t size, TrialSpan span,
                              const std::filesystem::path& scratch) {
  Trial trial(way, size, (scratch / "stream").string());
  return trial.run(span);
}

}  // namespace tactus::lab
