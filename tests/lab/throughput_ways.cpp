// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/throughput_ways.h"

#include <array>
#include <filesystem>
#include <system_error>

#include "core/net/stream/udp_receiving_end.h"
#include "tests/lab/bare_sockets.h"
#include "tests/lab/port_stream.h"

namespace tactus::lab {
namespace {

using net::TransportKind;
using Side = ThroughputWay::Side;
using Kind = ComparedWay::Kind;

/// Who forks has one page open, of which the child has a copy.
Result<TrialPage*> pageOf(const Side& side) {
  if (TrialPage* page = TrialPage::at(side.page)) return page;
  return Error{ErrorCode::System, "The page of a trial cannot be mapped."};
}

ComparedWay ours(const char* name, TransportKind transport) {
  const auto start = [transport](const Side& side) -> Result<ChildProcess> {
    return ChildProcess::fork([&] {
      const PortTrial trial{transport, side.size, side.path};
      const auto page = pageOf(side);
      if (page.ok()) (side.sends ? sendByPort : receiveByPort)(trial, *page.value());
    });
  };
  return {{name, start}, transport, Kind::Ours};
}

ComparedWay bare(const char* name, BareSocket socket, TransportKind transport, const char* ratio) {
  const auto start = [socket](const Side& side) -> Result<ChildProcess> {
    return ChildProcess::fork([&] {
      BareTrial trial{socket, side.size, side.path};
      // As much as a stream of ours asks for; the kernel takes twice what it is asked.
      trial.kernelBytes = net::UdpReceivingEnd::kernelBytesOf(
                              PortTrial{.transport = TransportKind::Udp, .size = side.size}.contract()) /
                          2;
      const auto page = pageOf(side);
      if (page.ok()) (side.sends ? sendBare : receiveBare)(trial, *page.value());
    });
  };
  return {{name, start}, transport, Kind::Socket, ratio};
}

/// A program that is called as `PROGRAM send|receive PAGE SIZE`.
ComparedWay program(const char* name, const std::string& file) {
  const auto start = [file](const Side& side) {
    ChildProcess::Options options;
    options.keptDescriptor = side.page;
    return ChildProcess::start(
        {file, side.sends ? "send" : "receive", std::to_string(side.page), std::to_string(side.size)},
        options);
  };
  return {{name, start}, TransportKind::Tcp, Kind::Rpc};
}

}  // namespace

std::vector<ComparedWay> comparedWays(std::vector<std::string>& absent) {
  std::vector<ComparedWay> ways{
      ours("Tactus over TCP", TransportKind::Tcp),
      bare("socket over TCP", BareSocket::Tcp, TransportKind::Tcp, "TCP"),
      ours("Tactus over UDP", TransportKind::Udp),
      bare("socket over UDP", BareSocket::Udp, TransportKind::Udp, "UDP"),
      bare("socket over UDP with GSO", BareSocket::UdpTrains, TransportKind::Udp, "UDP with GSO"),
      ours("Tactus locally", TransportKind::Local),
      bare("Unix socket", BareSocket::Unix, TransportKind::Local, "local"),
  };
  std::error_code failure;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failure).parent_path() / "rpc_peers";
  constexpr std::array<std::array<const char*, 2>, 2> kPrograms{
      {{"gRPC", "tactus-lab-grpc"}, {"Cap'n Proto", "tactus-lab-capnp"}}};
  for (const auto& [name, file] : kPrograms) {
    if (programExists((folder / file).string()))
      ways.push_back(program(name, (folder / file).string()));
    else
      absent.emplace_back(name);
  }
  return ways;
}

}  // namespace tactus::lab
