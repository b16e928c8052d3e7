// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/udp_receiving_end.h"

#include <numeric>
#include <utility>

#include "core/net/stream/socket_fault.h"

namespace tactus::net {
namespace {

/// What the kernel's memory for a datagram is beyond its bytes, at most; it takes twice as much as is asked.
constexpr std::size_t kKernelBytes = 1024;

/// A window of buffers, each datagram with the kernel's own memory.
std::size_t windowOf(const AssemblyOptions& options) noexcept {
  const std::size_t datagrams = options.window * pieceCountOf(options.largestBuffer, options.pieceSize);
  return options.window * options.largestBuffer + datagrams * kKernelBytes;
}

}  // namespace

Result<std::unique_ptr<UdpReceivingEnd>> UdpReceivingEnd::create(Descriptor socket, std::uint64_t session,
                                                                 const StreamContract& contract,
                                                                 UdpInbox::Trains trains) {
  if (auto valid = validate(contract); !valid.ok()) return valid.error();
  if (contract.transport != TransportKind::Udp)
    return Error{ErrorCode::InvalidArgument, "The contract is for another transport than UDP."};
  const AssemblyOptions options = assemblyOf(contract);
  auto assembly = BufferAssembly::create(options);
  if (!assembly.ok()) return assembly.error();
  auto inbox = UdpInbox::create(std::move(socket), windowOf(options), trains);
  if (!inbox.ok()) return inbox.error();
  return std::unique_ptr<UdpReceivingEnd>(
      new UdpReceivingEnd(std::move(inbox).value(), std::move(assembly).value(),
                          {session, options.largestBuffer, options.pieceSize}));
}

std::size_t UdpReceivingEnd::bytesOf(const StreamContract& contract) noexcept {
  return BufferAssembly::bytesOf(assemblyOf(contract)) + UdpInbox::bytesOf();
}

std::size_t UdpReceivingEnd::kernelBytesOf(const StreamContract& contract) noexcept {
  return UdpInbox::kernelBytesOf(windowOf(assemblyOf(contract)));
}

void UdpReceivingEnd::receive(periodic::TimePoint now) TACTUS_REALTIME {
  std::size_t datagrams = 0;
  m_isFull = false;
  for (bool more = true;;) {
    for (; const auto datagram = m_inbox.current(); m_inbox.advance()) {
      if (!put(*datagram)) return;
      ++datagrams;
    }
    if (!more || !m_inbox.take()) return;
    m_came = now;
    more = m_inbox.wasFull() && datagrams < kMostDatagrams;
  }
}

/// False: there is no room for it.
bool UdpReceivingEnd::put(std::span<const std::byte> datagram) TACTUS_REALTIME {
  const auto piece = decode(datagram, m_expected);
  if (!piece.ok()) {
    ++m_refused[static_cast<std::size_t>(piece.error())];
    return true;
  }
  m_isFull = m_assembly.add(piece.value(), m_came) == Added::Full;
  if (m_isFull) return false;
  ++m_datagrams;
  return true;
}

void UdpReceivingEnd::release() TACTUS_REALTIME {
  m_assembly.release();
  m_isFull = false;
}

EndWait UdpReceivingEnd::wait() const TACTUS_REALTIME {
  const periodic::TimePoint wakeAt = m_assembly.wakeAt();
  if (!m_inbox.current()) return {.descriptor = m_inbox.socket(), .events = POLLIN, .until = wakeAt};
  // What is here goes on once the next buffer is released, or at once if one was.
  return m_isFull ? EndWait{.until = wakeAt} : EndWait::atOnce();
}

std::optional<EndBroken> UdpReceivingEnd::broken() const {
  const int error = m_inbox.fatalError();
  return error == 0 ? std::nullopt : std::optional(EndBroken{fatalSentence(error)});
}

std::uint64_t UdpReceivingEnd::refused() const noexcept {
  return std::accumulate(m_refused.begin(), m_refused.end(), std::uint64_t{0});
}

}  // namespace tactus::net
