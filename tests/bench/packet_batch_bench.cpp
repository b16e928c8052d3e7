// SPDX-License-Identifier: Apache-2.0
// Processor time of the sender for one datagram: batches of 32 of 1200 bytes by PacketBatch, as a ratio to
// one send() a datagram, over the loopback device. Both take turns, so that what else the machine does meets
// both; the medians of the rounds count. What the kernel does for the receiver in the sender's time is in
// both.
#include <arpa/inet.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <vector>

#include "core/net/link/packet_batch.h"
#include "core/periodic/time/time.h"

namespace tactus::net {
namespace {

constexpr int kRounds = 400;
constexpr int kBatches = 4;  // of one round: what a receiver's buffer holds
constexpr std::size_t kBatch = 32;
constexpr std::size_t kBytes = 1200;

struct Receiver {
  explicit Receiver(bool coalesces)
      : in(socket(AF_INET, SOCK_DGRAM, 0)), out(socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof name;
    const int room = 1 << 24;
    const int on = 1;
    bool works = bind(in, reinterpret_cast<sockaddr*>(&name), length) == 0 &&
                 getsockname(in, reinterpret_cast<sockaddr*>(&name), &length) == 0 &&
                 connect(out, reinterpret_cast<sockaddr*>(&name), length) == 0;
    if (setsockopt(in, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
      works = works && setsockopt(in, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) == 0;
    if (coalesces) works = works && setsockopt(in, SOL_UDP, UDP_GRO, &on, sizeof on) == 0;
    if (!works) std::perror("a receiver");
    address.emplace(UdpAddress::from(reinterpret_cast<sockaddr*>(&name), length).value());
  }
  ~Receiver() {
    close(in);
    close(out);
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  std::size_t drain() const {
    std::array<char, 65'536> buffer{};
    std::size_t bytes = 0;
    for (ssize_t got = 0; (got = recv(in, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0;)
      bytes += static_cast<std::size_t>(got);
    return bytes;
  }
  int in, out;
  std::optional<UdpAddress> address;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Nanoseconds of this thread for each datagram.
double measured(std::deque<Receiver>& receivers, const std::function<void()>& batch) {
  periodic::KernelTime time;
  const periodic::Duration begin = time.threadCpu();
  for (int i = 0; i < kBatches; ++i) batch();
  const double spent = static_cast<double>((time.threadCpu() - begin).count());
  std::size_t bytes = 0;
  for (const Receiver& each : receivers) bytes += each.drain();
  if (bytes != kBatches * kBatch * kBytes) std::fprintf(stderr, "only %zu bytes arrived\n", bytes);
  return spent / (kBatches * static_cast<double>(kBatch));
}

/// `to(i)`: which receiver the i-th datagram of a batch is for.
void compare(const char* name, std::size_t count, bool coalesces, UdpOffload::Segmentation segmentation,
             const std::function<std::size_t(std::size_t)>& to) {
  std::deque<Receiver> receivers;
  for (std::size_t i = 0; i < count; ++i) receivers.emplace_back(coalesces);
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  UdpOffload offload = UdpOffload::probe(socket, segmentation).value();
  std::array<char, kBytes> bytes{};
  const std::array<iovec, 2> parts{iovec{bytes.data(), 12}, iovec{bytes.data() + 12, kBytes - 12}};
  PacketBatch batch(kBatch);
  const auto ours = [&] {
    batch.clear();
    for (std::size_t i = 0; i < kBatch; ++i)
      (void)batch.add({&offload, &*receivers[to(i)].address, parts, {}});
    if (batch.send() != kBatch) std::fprintf(stderr, "a batch did not go as a whole\n");
  };
  const auto peer = [&] {
    for (std::size_t i = 0; i < kBatch; ++i)
      if (send(receivers[to(i)].out, bytes.data(), kBytes, 0) != kBytes) std::perror("send");
  };
  std::vector<double> batchTimes, sendTimes, ratios;
  for (int i = 0; i < kRounds; ++i) {
    batchTimes.push_back(measured(receivers, ours));
    sendTimes.push_back(measured(receivers, peer));
    ratios.push_back(sendTimes.back() / batchTimes.back());
  }
  std::printf("%-52s send() %5.0f ns, batch %5.0f ns, ratio %.2f (%zu system calls a batch)\n", name,
              median(sendTimes), median(batchTimes), median(ratios), batch.systemCalls());
  close(socket);
}

}  // namespace
}  // namespace tactus::net

int main() {
  using namespace tactus::net;
  constexpr auto kOn = UdpOffload::Segmentation::IfGranted;
  constexpr auto kOff = UdpOffload::Segmentation::Off;
  const auto first = [](std::size_t) { return std::size_t{0}; };
  const auto fours = [](std::size_t i) { return i / 4; };
  const auto turns = [](std::size_t i) { return i % 8; };
  compare("one receiver", 1, false, kOn, first);
  compare("one receiver that coalesces (UDP_GRO)", 1, true, kOn, first);
  compare("one receiver, without segmentation", 1, false, kOff, first);
  compare("eight receivers, four datagrams each", 8, false, kOn, fours);
  compare("eight receivers that coalesce, four datagrams each", 8, true, kOn, fours);
  compare("eight receivers in turn", 8, false, kOn, turns);
  return 0;
}
