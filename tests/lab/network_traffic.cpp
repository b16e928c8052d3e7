// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/network_traffic.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>
#include <utility>

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::KernelTime;
using periodic::MonotonicClock;
using periodic::TimePoint;

/// What each packet begins with.
struct Stamp {
  std::int64_t sent = 0;  // CLOCK_REALTIME, ns: the clock of the receiver's stamps
  std::uint32_t number = 0;
};

std::int64_t realtime() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// Calls `send` for each packet of a stream until `stop`.
template <typename Send>
void paced(const StreamShape& shape, const std::atomic<bool>& stop, const Send& send) {
  const Duration period = periodic::fromSeconds(1 / shape.perSecond);
  for (TimePoint next = MonotonicClock::now(); !stop.load(std::memory_order_relaxed); next += period) {
    KernelTime::sleepUntil(next);
    for (int i = 0; i < shape.packets; ++i) send();
  }
}

class PlainSender final : public Sender {
 public:
  PlainSender(Descriptor socket, std::size_t payload) : m_socket(std::move(socket)), m_payload(payload) {}
  ~PlainSender() override { PlainSender::stop(); }
  void stop() override {
    m_stop.store(true, std::memory_order_relaxed);
    if (m_thread.joinable()) m_thread.join();
  }
  void flood() {
    m_thread = std::thread([this] {
      while (!m_stop.load(std::memory_order_relaxed)) send();
    });
  }
  void stream(const StreamShape& shape) {
    m_thread = std::thread([this, shape] { paced(shape, m_stop, [this] { send(); }); });
  }
  [[nodiscard]] std::uint32_t wanted() const noexcept override {
    return m_number.load(std::memory_order_relaxed);
  }

 private:
  void send() {
    const Stamp stamp{realtime(), m_number.fetch_add(1, std::memory_order_relaxed)};
    std::memcpy(m_payload.data(), &stamp, sizeof stamp);
    // What a full queue of the kernel drops is lost; that is what is measured.
    (void)!::send(m_socket.get(), m_payload.data(), m_payload.size(), 0);
  }
  Descriptor m_socket;
  std::vector<std::byte> m_payload;
  std::atomic<bool> m_stop{false};
  std::atomic<std::uint32_t> m_number{0};
  std::thread m_thread;
};

/// Requests over a link. A flood has a fixed number of them on the way, each offered again when it is done.
class LinkSender final : public Sender {
 public:
  LinkSender(net::UdpOffload offload, Descriptor socket, net::LinkFlow flow, std::size_t payload)
      : m_socket(std::move(socket)),
        m_offload(std::move(offload)),
        m_flow(std::move(flow)),
        m_payload(payload) {}
  ~LinkSender() override {
    LinkSender::stop();
    m_flow.close();
  }
  void stop() override {
    m_stop.store(true, std::memory_order_relaxed);
    if (m_thread.joinable()) m_thread.join();
  }
  void flood(int onTheWay) {
    for (int i = 0; i < onTheWay; ++i)
      offer(add([](net::LinkRequest& self, net::LinkOutcome outcome) noexcept {
        auto& packet = static_cast<Packet&>(self);
        if (outcome.what != net::LinkOutcome::What::TakenBack &&
            !packet.sender->m_stop.load(std::memory_order_relaxed))
          packet.sender->offer(packet);
      }));
  }
  void stream(const StreamShape& shape) {
    m_thread = std::thread([this, shape] {
      paced(shape, m_stop, [this] {
        Packet* packet = nullptr;
        {
          const std::lock_guard lock(m_mutex);
          if (!m_free.empty()) {
            packet = m_free.back();
            m_free.pop_back();
          }
        }
        if (packet == nullptr) packet = &add(giveBack);
        if (!offer(*packet)) giveBack(*packet, {});
      });
    });
  }
  [[nodiscard]] std::uint32_t wanted() const noexcept override {
    return m_number.load(std::memory_order_relaxed);
  }

 private:
  struct Packet : net::LinkRequest {
    LinkSender* sender = nullptr;
    std::vector<std::byte> payload = {};
    iovec part{};
  };
  using Done = void (*)(net::LinkRequest&, net::LinkOutcome) noexcept;

  static void giveBack(net::LinkRequest& self, net::LinkOutcome) noexcept {
    auto& packet = static_cast<Packet&>(self);
    const std::lock_guard lock(packet.sender->m_mutex);
    packet.sender->m_free.push_back(&packet);
  }
  Packet& add(Done done) {
    Packet& packet = m_packets.emplace_back();
    packet.sender = this;
    packet.payload.resize(m_payload);
    packet.part = {packet.payload.data(), packet.payload.size()};
    packet.bytes = m_payload + kHeaders;
    packet.datagram = net::OutgoingPacket{.socket = &m_offload, .parts = {&packet.part, 1}};
    packet.done = done;
    const std::lock_guard lock(m_mutex);
    m_free.reserve(m_packets.size());
    return packet;
  }
  bool offer(Packet& packet) noexcept {
    const Stamp stamp{realtime(), m_number.fetch_add(1, std::memory_order_relaxed)};
    std::memcpy(packet.payload.data(), &stamp, sizeof stamp);
    return m_flow.offer(packet) == net::Offered::Waits;
  }

  Descriptor m_socket;
  net::UdpOffload m_offload;
  net::LinkFlow m_flow;
  std::size_t m_payload;
  std::deque<Packet> m_packets = {};
  periodic::PriorityInheritanceMutex m_mutex;
  std::vector<Packet*> m_free = {};
  std::atomic<bool> m_stop{false};
  std::atomic<std::uint32_t> m_number{0};
  std::thread m_thread;
};

Result<std::unique_ptr<LinkSender>> overLink(net::LinkTask& link, const net::FlowSpec& spec,
                                             Descriptor socket, std::size_t payload) {
  const auto offload = net::UdpOffload::probe(socket.get());
  if (!offload.ok()) return offload.error();
  auto flow = link.open(spec);
  if (!flow.ok()) return Error{ErrorCode::Refused, flow.error().sentence};
  return std::make_unique<LinkSender>(offload.value(), std::move(socket), std::move(flow).value(), payload);
}

/// Enough that a flood's queue is never empty, and so few that none of them is late.
constexpr int kOnTheWay = 24;

}  // namespace

TrafficReceiver::TrafficReceiver(std::vector<Descriptor> sockets)
    : m_sockets(std::move(sockets)), m_arrivals(m_sockets.size()), m_thread([this] { run(); }) {}

TrafficReceiver::~TrafficReceiver() {
  (void)stop();
}

std::vector<std::vector<Arrival>> TrafficReceiver::stop() {
  m_stop.store(true, std::memory_order_relaxed);
  if (m_thread.joinable()) m_thread.join();
  return std::move(m_arrivals);
}

void TrafficReceiver::run() {
  const std::int64_t begin = realtime();
  std::vector<pollfd> polled;
  for (const Descriptor& each : m_sockets) polled.push_back({each.get(), POLLIN, 0});
  std::array<std::byte, 2048> bytes{};
  std::array<std::byte, 256> control{};
  while (!m_stop.load(std::memory_order_relaxed)) {
    if (poll(polled.data(), polled.size(), 100) <= 0) continue;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      for (;;) {
        iovec part{bytes.data(), bytes.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t length = recvmsg(polled[i].fd, &message, MSG_DONTWAIT);
        if (length < static_cast<ssize_t>(sizeof(Stamp))) break;
        timespec at{};
        for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each))
          if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_TIMESTAMPNS)
            std::memcpy(&at, CMSG_DATA(each), sizeof at);
        Stamp stamp;
        std::memcpy(&stamp, bytes.data(), sizeof stamp);
        const std::int64_t now = at.tv_sec * 1'000'000'000LL + at.tv_nsec;
        m_arrivals[i].push_back({static_cast<double>(now - begin) * 1e-9,
                                 static_cast<double>(now - stamp.sent) * 1e-9, stamp.number,
                                 static_cast<std::size_t>(length) + kHeaders});
      }
    }
  }
}

std::unique_ptr<Sender> plainFlood(Descriptor socket, std::size_t payload) {
  auto sender = std::make_unique<PlainSender>(std::move(socket), payload);
  sender->flood();
  return sender;
}

std::unique_ptr<Sender> plainStream(Descriptor socket, const StreamShape& shape) {
  auto sender = std::make_unique<PlainSender>(std::move(socket), shape.payload);
  sender->stream(shape);
  return sender;
}

Result<std::unique_ptr<Sender>> linkFlood(net::LinkTask& link, const net::FlowSpec& spec, Descriptor socket,
                                          std::size_t payload) {
  auto sender = overLink(link, spec, std::move(socket), payload);
  if (!sender.ok()) return sender.error();
  sender.value()->flood(kOnTheWay);
  return std::unique_ptr<Sender>(std::move(sender).value());
}

Result<std::unique_ptr<Sender>> linkStream(net::LinkTask& link, const net::FlowSpec& spec, Descriptor socket,
                                           const StreamShape& shape) {
  auto sender = overLink(link, spec, std::move(socket), shape.payload);
  if (!sender.ok()) return sender.error();
  sender.value()->stream(shape);
  return std::unique_ptr<Sender>(std::move(sender).value());
}

double bytesWithin(const std::vector<Arrival>& arrivals, double from, double to) {
  double sum = 0;
  for (const Arrival& each : arrivals)
    if (each.second >= from && each.second < to) sum += static_cast<double>(each.bytes);
  return sum;
}

}  // namespace tactus::lab
