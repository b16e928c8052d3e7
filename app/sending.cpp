// SPDX-License-Identifier: Apache-2.0
#include "app/sending.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/events.h"
#include "app/gui.h"
#include "app/network_report.h"
#include "core/periodic/trace/format.h"
#include "media/streaming/outgoing_source.h"
#include "media/streaming/stream_network.h"
#include "media/streaming/stream_sender.h"

namespace tactus::app {
namespace {

using namespace std::chrono_literals;
using media::StreamSender;
using periodic::format;
using periodic::MonotonicClock;
using periodic::TimePoint;

/// Of a port's name, which has 64 characters with what tells two of a name apart.
constexpr std::size_t kLongestName = 56;
/// How often it is looked whether streams have ended.
constexpr auto kLook = 100ms;
/// How long their ends are waited for, and how often they are looked for then.
constexpr auto kLongestEnd = 2s;
constexpr auto kEndLook = 20ms;

/// "25 buffers/s of at most 48.2 kB, 9.9 Mbit/s of the link"
std::string inWords(const net::StreamContract& contract) {
  if (!contract.rate) return "what the others leave";
  std::string words = format("%.4g buffers/s of at most %.1f kB", contract.rate->perSecond(),
                             static_cast<double>(contract.largestBuffer) * 1e-3);
  if (const auto bytes = net::byteContractOf(contract))
    words += format(", %.1f Mbit/s with headers", static_cast<double>(bytes->rate.bits()) * 1e-6);
  return words;
}

/// The streams of a run that leave.
class Sending {
 public:
  Sending(const Options& options, Runtime& runtime, std::unique_ptr<media::StreamNetwork> network)
      : m_options(options), m_runtime(runtime), m_network(std::move(network)) {}

  /// The next of the command line. False: there is none left.
  [[nodiscard]] bool beginNext() {
    if (m_begun == m_options.sent.size()) return false;
    const StreamOption& option = m_options.sent[m_begun++];
    if (auto begun = begin(option); !begun.ok()) {
      m_runtime.note("'" + option.source.name() + "' is not sent: " + begun.error().message);
      m_outcome = worse(m_outcome, ExitCode::CannotOpen);
    }
    return true;
  }
  /// Notes the ends of streams. False: all are over.
  [[nodiscard]] bool look() {
    bool any = m_begun < m_options.sent.size();
    for (Leaving& each : m_leaving) {
      if (each.isOver) continue;
      each.isOver = each.sender->isOver();
      any = any || !each.isOver;
      if (!each.isOver) continue;
      const std::string error = each.sender->error();
      if (error.empty()) continue;
      m_runtime.note("'" + each.name + "' broke off: " + error);
      m_outcome = worse(m_outcome, ExitCode::BrokeOff);
    }
    return any;
  }
  /// Streams that go on are ended, so that their receivers have all of them; one that takes nothing is left.
  void end() {
    m_begun = m_options.sent.size();
    for (Leaving& each : m_leaving) each.sender->end();
    const TimePoint until = MonotonicClock::now() + kLongestEnd;
    while (look() && MonotonicClock::now() < until) std::this_thread::sleep_for(kEndLook);
  }
  [[nodiscard]] media::NetworkLoad load() const {
    media::NetworkLoad load;
    load.link = m_network->link();
    for (const Leaving& each : m_leaving)
      load.streams.push_back({each.name, each.place, net::PortType::Write, each.sender->query()});
    return load;
  }
  [[nodiscard]] ExitCode report() {
    const media::NetworkLoad now = load();
    if (violationsOf(now) > 0) m_outcome = worse(m_outcome, ExitCode::PlayedWithViolations);
    if (!m_options.report) return m_outcome;
    RunReport told;
    told.display = "none";
    told.network = now;
    return m_runtime.print(std::move(told), m_options, m_outcome);
  }

 private:
  struct Leaving {
    std::string name, place;
    std::unique_ptr<StreamSender> sender;
    bool isOver = false;
  };

  [[nodiscard]] Result<void> begin(const StreamOption& option) {
    auto source = media::openSource(option.source.item, option.place.transport);
    if (!source.ok()) return source.error();
    auto host = m_network->asking();
    if (!host.ok()) return host.error();
    const std::string port = portNameOf(option.source.name());
    auto sender = StreamSender::start(*host.value(), port, std::move(source).value(), option.source.terms,
                                      {option.place.address, option.place.token});
    if (!sender.ok()) return sender.error();
    const std::string name = option.source.name();
    m_runtime.note("'" + name + "' goes to " + option.place.shown() + ": " +
                   inWords(sender.value()->query().contract) + ".");
    m_leaving.push_back({name, option.place.shown(), std::move(sender).value()});
    return {};
  }

  /// "film.mp4", and "film.mp4-2" where there is one of the name already: shown in refusals.
  [[nodiscard]] std::string portNameOf(const std::string& name) const {
    std::string port = name.substr(0, kLongestName);
    for (char& each : port)
      if (!net::isStreamName({&each, 1})) each = '_';
    const auto same = std::count_if(m_leaving.begin(), m_leaving.end(),
                                    [&](const Leaving& each) { return each.name == name; });
    return same == 0 ? port : port + "-" + std::to_string(same + 1);
  }

  const Options& m_options;
  Runtime& m_runtime;
  const std::unique_ptr<media::StreamNetwork> m_network;  // outlives its ports
  std::vector<Leaving> m_leaving;
  std::size_t m_begun = 0;  // of the options
  ExitCode m_outcome = ExitCode::Played;
};

}  // namespace

ExitCode runSend(const Options& options, Runtime& runtime, int signals, int& argc, char** argv) {
  auto network = media::StreamNetwork::start(runtime.scheduler(), runtime.qos(), options.linkRate);
  if (!network.ok()) {
    runtime.note(network.error().message);
    return ExitCode::InternalError;
  }
  Sending sending(options, runtime, std::move(network).value());
  runtime.setNetwork([&sending] { return sending.load(); });
  std::optional<TimePoint> until;
  if (options.duration) until = MonotonicClock::now() + *options.duration;
  bool interrupted = false;
  // False: it is over.
  const auto step = [&] {
    pollfd wait{signals, POLLIN, 0};
    interrupted = interrupted || poll(&wait, 1, 0) > 0;
    if (interrupted || (until && MonotonicClock::now() >= *until)) return false;
    return sending.beginNext() || sending.look();
  };
  if (options.loadWindow) {
    if (const std::string refusal = displayRefusal(); !refusal.empty()) {
      runtime.note(refusal);
      return ExitCode::NoDisplay;
    }
    if (!runLoadWindow(runtime, step, kLook, argc, argv)) return ExitCode::InternalError;
  } else {
    while (step()) {
      pollfd wait{signals, POLLIN, 0};
      (void)poll(&wait, 1, kLook.count());
    }
  }
  sending.end();
  const ExitCode outcome = sending.report();
  runtime.setNetwork({});
  return interrupted && outcome != ExitCode::InternalError ? ExitCode::Interrupted : outcome;
}

}  // namespace tactus::app
