// SPDX-License-Identifier: Apache-2.0
// A microphone and a speaker, each in a process of its own on one host or two, and the stream between them:
// figure 6 of the RTSS paper, whose line numbers stand in the comments.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "core/net/port/port_host.h"
#include "examples/pipewire_sound.h"

using namespace tactus::net;
using namespace tactus::periodic;
using namespace tactus::examples;
using namespace std::literals;

namespace {

constexpr Duration kForever = 24h * 365;
const StreamContract kSound{
    .largestBuffer = kSoundBuffer, .rate = Rate::perSecond(50), .workahead = 2, .isochronous = true};
std::atomic<bool> interrupted{false};

/// The value, or the error's sentence as an exception.
auto need(auto result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  if constexpr (requires { result.value(); }) return std::move(result).value();
}

/// Plays one stream. Returns why it broke off; empty: it ended.
std::string play(Scheduler& scheduler, const std::string& where, const std::string& name) {
  const bool tcp = where.starts_with("tcp://");
  const auto address = need(StreamAddress::parse(tcp ? where + "/" + name : "unix:" + where + "#" + name));
  PortHost::Options options;
  if (tcp) options.network = std::get<StreamAddress::Tcp>(address.at);
  if (!tcp) options.local = std::get<StreamAddress::Unix>(address.at);
  const auto speaker = need(Speaker::open());  // 4
  const auto host = need(PortHost::start(scheduler, options));
  const auto port = need(host->create(name, PortType::Read, kSound));                                 // 2
  need(port->attach(ReadHandler([&](const StreamBuffer& buffer) { speaker->play(buffer.bytes); })));  // 6
  std::cout << need(address.format()) << ' ' << port->token() << std::endl;
  need(port->await(StreamState::Connected, kForever));
  need(port->start());  // 9
  need(port->await(StreamState::Attached, kForever));
  return port->query().error;
}

/// Records for so many seconds, and is paused in the second third of them; 0: until SIGINT. Returns as
/// play().
std::string record(Scheduler& scheduler, const std::string& address, const std::string& token, int seconds) {
  const auto microphone = need(Microphone::open());  // 3
  const auto host = need(PortHost::start(scheduler, {}));
  const auto port = need(host->create("microphone", PortType::Write, kSound));                        // 1
  need(port->attach(WriteHandler([&](std::span<std::byte> to) { return microphone->record(to); })));  // 5
  need(port->connect(need(StreamAddress::parse(address)), token));                                    // 7
  std::signal(SIGINT, [](int) { interrupted = true; });
  for (const auto step : {&Port::start, &Port::pause, &Port::resume}) {  // 8, 11, 12
    if (!(*port.*step)().ok()) break;                                    // the speaker has gone
    std::cout << nameOf(port->query().state) << std::endl;
    const Duration stay = seconds > 0 ? seconds * 1s / 3 : step == &Port::resume ? kForever : Duration(1s);
    for (const TimePoint end = MonotonicClock::now() + stay; !interrupted && MonotonicClock::now() < end;)
      if (port->await(StreamState::Attached, 50ms).ok()) break;
  }
  microphone->stop();  // 14: its handler ends the stream
  need(port->await(StreamState::Attached, 5s));
  return port->query().error;
}

}  // namespace

int main(int count, char** words) try {
  KernelTime time;
  const auto gate = KernelClassGate::probe(KernelClass::Fifo, {});
  TraceLog trace;
  Scheduler scheduler(time, *gate, trace);
  std::string why = "usage: speaker SOCKET|tcp://HOST:PORT NAME, or: microphone ADDRESS TOKEN [SECONDS]";
  const bool plays = count == 4 && words[1] == "speaker"s;
  const bool records = (count == 4 || (count == 5 && std::atoi(words[4]) > 0)) && words[1] == "microphone"s;
  if (plays) why = play(scheduler, words[2], words[3]);
  if (records) why = record(scheduler, words[2], words[3], count == 5 ? std::atoi(words[4]) : 0);
  if (!why.empty()) std::cerr << why << '\n';
  return interrupted ? 130 : why.empty() ? 0 : plays || records ? 6 : 2;  // as tactus itself
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 3;
}
