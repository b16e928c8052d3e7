// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/network_cable.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

#include "tests/lab/child_process.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSendingAddress = "10.77.0.1";
constexpr const char* kReceivingAddress = "10.77.0.2";

Error failed(const std::string& what) {
  return {ErrorCode::System, what + ": " + std::strerror(errno)};
}

/// A new network namespace, or the errno because of which there is none.
Result<Descriptor> newNamespace() {
  Result<Descriptor> made = Error{};
  std::thread([&made] {
    if (unshare(CLONE_NEWNET) != 0) {
      made = failed("A network namespace could not be made");
      return;
    }
    const int descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    made = descriptor >= 0 ? Result<Descriptor>(Descriptor(descriptor)) : failed("/proc/thread-self/ns/net");
  }).join();
  return made;
}

/// A socket made in a namespace works from any thread.
Result<Descriptor> socketIn(const Descriptor& space, const std::function<Result<void>(int)>& prepare) {
  Result<Descriptor> made = Error{};
  std::thread([&] {
    if (setns(space.get(), CLONE_NEWNET) != 0) {
      made = failed("setns");
      return;
    }
    Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) {
      made = failed("socket");
    } else if (auto prepared = prepare(socket.get()); !prepared.ok()) {
      made = prepared.error();
    } else {
      made = std::move(socket);
    }
  }).join();
  return made;
}

std::string pathOf(const Descriptor& space) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(space.get());
}

Result<void> inside(const Descriptor& space, const std::string& command) {
  auto child = ChildProcess::start({"nsenter", "--net=" + pathOf(space), "sh", "-c", command}, {});
  if (!child.ok()) return child.error();
  const auto end = child.value().wait(10s);
  if (!end || end->status != 0) return Error{ErrorCode::System, "`" + command + "` failed."};
  return {};
}

std::string disciplineOf(net::BitRate rate, NetworkCable::Queue queue, const std::vector<double>& weights) {
  const std::string bits = std::to_string(rate.bits()) + "bit";
  // Late timers of a virtual machine take nothing of a line's rate: it makes up for so much.
  const std::string burst = std::to_string(rate.bytesIn(5ms));
  if (queue == NetworkCable::Queue::Fifo)
    return "tc qdisc add dev cable root tbf rate " + bits + " burst " + burst + " latency 200ms";
  std::string commands =
      "tc qdisc add dev cable root handle 1: htb default 10 && "
      "tc class add dev cable parent 1: classid 1:1 htb rate " +
      bits + " burst " + burst + " cburst " + burst;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string own = std::to_string(std::max<std::int64_t>(
        8000, static_cast<std::int64_t>(static_cast<double>(rate.bits()) * weights[i] / sum)));
    const std::string id = std::to_string(10 + i);  // hexadecimal to tc, and below for SO_PRIORITY
    commands += " && tc class add dev cable parent 1:1 classid 1:" + id + " htb rate " + own + "bit ceil " +
                bits + " burst 3000 cburst 3000 && tc qdisc add dev cable parent 1:" + id + " pfifo limit 40";
  }
  return commands;
}

sockaddr_in addressOf(const char* host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

}  // namespace

Descriptor::~Descriptor() {
  if (m_descriptor >= 0) close(m_descriptor);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

std::string NetworkCable::missing() {
  for (const char* program : {"ip", "tc", "nsenter"})
    if (!programExists(program)) return std::string("the program ") + program;
  const auto space = newNamespace();
  return space.ok() ? "" : "network namespaces (" + space.error().message + ")";
}

Result<NetworkCable> NetworkCable::create(net::BitRate rate, Queue queue,
                                          const std::vector<double>& weights) {
  auto sending = newNamespace();
  if (!sending.ok()) return sending.error();
  auto receiving = newNamespace();
  if (!receiving.ok()) return receiving.error();
  NetworkCable cable(std::move(sending).value(), std::move(receiving).value());
  const auto up = [](const char* address) {
    return "ip link set lo up && ip addr add " + std::string(address) +
           "/24 dev cable && ip link set cable up";
  };
  for (const auto& [space, command] :
       {std::pair<const Descriptor&, std::string>{
            cable.m_sending,
            "ip link add cable type veth peer name cable netns " + pathOf(cable.m_receiving)},
        {cable.m_sending, up(kSendingAddress)},
        {cable.m_receiving, up(kReceivingAddress)},
        {cable.m_sending, disciplineOf(rate, queue, weights)}}) {
    if (auto done = inside(space, command); !done.ok()) return done.error();
  }
  return cable;
}

Result<Descriptor> NetworkCable::sender(int port, int htbClass) const {
  return socketIn(m_sending, [&](int socket) -> Result<void> {
    const int priority = htbClass >= 0 ? 0x10000 | (0x10 + htbClass) : 0;
    if (setsockopt(socket, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority) != 0)
      return failed("SO_PRIORITY");
    const sockaddr_in to = addressOf(kReceivingAddress, port);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return failed("connect");
    return {};
  });
}

Result<Descriptor> NetworkCable::receiver(int port) const {
  return socketIn(m_receiving, [&](int socket) -> Result<void> {
    const int on = 1;
    const int room = 8 << 20;
    (void)setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    if (setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) return failed("SO_TIMESTAMPNS");
    const sockaddr_in own = addressOf(kReceivingAddress, port);
    if (bind(socket, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return failed("bind");
    return {};
  });
}

}  // namespace tactus::lab
