// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/port_stream.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "core/net/port/port_host.h"
#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/trace/trace.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using net::Port;
using net::PortHost;
using net::PortType;
using net::StreamAddress;
using net::StreamState;
using net::TransportKind;

constexpr const char* kToken = "throughput";
constexpr auto kPatience = 10s;

/// What ports need in a process.
struct Node {
  periodic::KernelTime time;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::Fifo, {});
  periodic::TraceLog trace;
  periodic::Scheduler scheduler{time, *gate, trace};
};

void say(const Error& error) {
  std::fprintf(stderr, "A port: %s\n", error.message.c_str());
}

void untilKilled() {
  for (;;) pause();
}

/// Where the receiver listens.
PortHost::Options placeOf(const PortTrial& trial) {
  PortHost::Options options;
  if (trial.transport == TransportKind::Local)
    options.local = StreamAddress::Unix{trial.path};
  else
    options.network = StreamAddress::Tcp{"127.0.0.1", 0};
  return options;
}

StreamAddress addressOf(const PortTrial& trial, std::uint32_t port) {
  if (trial.transport == TransportKind::Local) return {StreamAddress::Unix{trial.path}, "sink"};
  return {StreamAddress::Tcp{"127.0.0.1", static_cast<std::uint16_t>(port)}, "sink"};
}

std::uint32_t portOf(const PortHost& host) {
  const auto address = host.networkAddress("sink");
  return address ? std::get<StreamAddress::Tcp>(address->at).port : 1;
}

}  // namespace

net::StreamContract PortTrial::contract() const noexcept {
  return {.transport = transport, .largestBuffer = size, .reliable = transport != TransportKind::Udp};
}

void receiveByPort(const PortTrial& trial, TrialPage& page) {
  Node node;
  auto host = PortHost::start(node.scheduler, placeOf(trial));
  if (!host.ok()) return say(host.error());
  auto port = host.value()->create("sink", PortType::Read, trial.contract(), kToken);
  if (!port.ok()) return say(port.error());
  Port& sink = *port.value();
  auto done = sink.attach(
      net::ReadHandler([&page](const net::StreamBuffer& buffer) { page.arrived.add(buffer.bytes.size()); }));
  if (!done.ok()) return say(done.error());
  page.port.store(portOf(*host.value()), std::memory_order_release);
  done = sink.await(StreamState::Connected, kPatience);
  if (done.ok()) done = sink.start();
  if (!done.ok()) return say(done.error());
  untilKilled();
}

void sendByPort(const PortTrial& trial, TrialPage& page) {
  Node node;
  auto host = PortHost::start(node.scheduler, {});
  if (!host.ok()) return say(host.error());
  auto port = host.value()->create("source", PortType::Write, trial.contract());
  if (!port.ok()) return say(port.error());
  Port& source = *port.value();
  auto done = source.attach(net::WriteHandler([&page](std::span<std::byte> buffer) {
    page.sent.add(buffer.size());
    return std::optional(buffer.size());
  }));
  if (done.ok()) done = source.connect(addressOf(trial, page.port.load(std::memory_order_acquire)), kToken);
  if (done.ok()) done = source.start();
  if (!done.ok()) return say(done.error());
  untilKilled();
}

}  // namespace tactus::lab
