// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests: one source file of the program defines sendmmsg() to call the FakeUdpKernel in force.

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tactus::net {

/// What sendmmsg(2) does, by udp(7) and the kernel's net/ipv4/udp.c, with faults where a test wants them.
class FakeUdpKernel {
 public:
  struct Datagram {
    int socket;
    int port;  ///< of the receiver
    std::string bytes;
    std::optional<int> trafficClass;
  };

  std::vector<Datagram> delivered;
  std::vector<std::size_t> trains;  ///< datagrams of each message that went
  int calls = 0;
  std::size_t mtu = 65'507;   ///< longest datagram of a train
  int trainError = EMSGSIZE;  ///< for a train of longer ones
  bool mayFragment = true;    ///< false: single datagrams beyond the mtu are refused as well
  bool takesTrafficClass = true;
  std::map<int, int> refusedPorts;  ///< receiver: errno
  std::set<int> reportsPorts;  ///< ICMP comes back from these: the socket's next call fails with ECONNREFUSED
  std::map<int, std::size_t> room;  ///< socket: datagrams until its buffer is full; absent: any number
  std::deque<int> interruptions;    ///< an errno for each coming call, 0 = none

  int send(int socket, mmsghdr* messages, unsigned count) {
    ++calls;
    if (!interruptions.empty()) {
      const int error = interruptions.front();
      interruptions.pop_front();
      if (error != 0) return fail(error);
    }
    for (unsigned i = 0; i < count; ++i) {
      const int error = sendOne(socket, messages[i].msg_hdr);
      if (error == 0) continue;
      return i > 0 ? static_cast<int>(i) : fail(error);
    }
    return static_cast<int>(count);
  }

 private:
  static int fail(int error) {
    errno = error;
    return -1;
  }
  int sendOne(int socket, const msghdr& message) {
    if (m_pending.erase(socket) != 0) return ECONNREFUSED;
    Datagram made{socket, -1, {}, {}};
    if (message.msg_name != nullptr)
      made.port = ntohs(static_cast<const sockaddr_in*>(message.msg_name)->sin_port);
    std::size_t segment = 0;
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
         each = CMSG_NXTHDR(const_cast<msghdr*>(&message), each)) {
      if (each->cmsg_level == SOL_UDP) {
        std::uint16_t value = 0;
        std::memcpy(&value, CMSG_DATA(each), sizeof value);
        segment = value;
      } else if (each->cmsg_type == IP_TOS) {
        if (!takesTrafficClass) return EINVAL;
        made.trafficClass.emplace();
        std::memcpy(&*made.trafficClass, CMSG_DATA(each), sizeof(int));
      }
    }
    std::string all;
    for (std::size_t i = 0; i < message.msg_iovlen; ++i)
      all.append(static_cast<const char*>(message.msg_iov[i].iov_base), message.msg_iov[i].iov_len);
    if (all.size() > 65'507) return EMSGSIZE;
    if (segment != 0 && (segment > mtu || all.size() > 64 * segment)) return trainError;
    if (segment == 0 && all.size() > mtu && !mayFragment) return EMSGSIZE;
    if (const auto refused = refusedPorts.find(made.port); refused != refusedPorts.end())
      return refused->second;
    return deliver(made, all, segment == 0 ? all.size() : segment);
  }
  int deliver(Datagram made, const std::string& all, std::size_t segment) {
    const std::size_t count = all.empty() ? 1 : (all.size() + segment - 1) / segment;
    if (const auto left = room.find(made.socket); left != room.end()) {
      if (left->second == 0) return EAGAIN;
      left->second -= std::min(left->second, count);  // a message that begins below the limit is taken whole
    }
    for (std::size_t i = 0; i < count; ++i) {
      made.bytes = all.substr(i * segment, segment);
      delivered.push_back(made);
    }
    trains.push_back(count);
    if (reportsPorts.count(made.port) != 0) m_pending.insert(made.socket);
    return 0;
  }

  std::set<int> m_pending;  // sockets whose next call fails with the error of an earlier datagram
};

/// The one that sendmmsg() calls; nullptr: every call fails with ENOSYS.
inline FakeUdpKernel* g_fakeUdpKernel = nullptr;

}  // namespace tactus::net
