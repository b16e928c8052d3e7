// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/net/port/port_handlers.h"
#include "core/net/stream/stream_address.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_life.h"
#include "core/net/stream/stream_meter.h"
#include "core/periodic/result.h"

namespace tactus::net {

class PortHost;

/// What is known of a port (RTSS, A.5).
struct PortQuery {
  StreamState state = StreamState::Ready;
  // Of the present stream, or of the last one, until another begins:
  std::uint64_t buffers = 0, bytes = 0;  ///< sent, or given to the handler, so far
  StreamContract contract = {};          ///< as it is kept at present
  StreamFigures figures = {};            ///< of the receiver: its own, or as it reported
  StreamFault fault = StreamFault::None;
  std::optional<periodic::Rate> rate = {};  ///< in force: the contract's, or less (RTSS 4.2); absent: none
  bool isViolated = false;                  ///< the contract is, at present
  std::string qosSentence = {};             ///< of the last QoS event; empty: there was none
  std::uint64_t stream = 0;  ///< number in QoS events, by which handlers are attached; 0: none is told
  std::string error = {};    ///< why the stream broke off last; empty: it did not
};

/// One end of a stream: reads or writes buffers of a contract under a name (RTSS, section 4.1 and appendix).
/// Its task and its memory are reserved from the beginning; the network is when it is connected. Made by
/// PortHost::create().
///
/// Thread-safe: yes, but for the destructor. Real-time-safe: no.
class Port {
 public:
  /// Deletes the port, in any state: the peer is told, and the handler is waited for.
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// The handler of this type; InvalidArgument: the port is of the other, or has one.
  [[nodiscard]] Result<void> attach(ReadHandler handler);
  [[nodiscard]] Result<void> attach(WriteHandler handler);

  /// Connects with a port of the other type and the same contract, in this or another process or host. Waits
  /// for its answer, five seconds at most. `token` is that port's. NotFound, PermissionDenied, Refused
  /// (admission, on either side; the sentence says which resource), InvalidArgument, Unavailable (nobody
  /// there), Timeout.
  [[nodiscard]] Result<void> connect(const StreamAddress& other, const std::string& token);
  /// Lets the peer go: attached again.
  [[nodiscard]] Result<void> disconnect();

  /// The handler is called from now on. Each of these waits until it holds; Timeout: the handler does not
  /// return.
  [[nodiscard]] Result<void> start();
  [[nodiscard]] Result<void> stop();
  [[nodiscard]] Result<void> pause();
  [[nodiscard]] Result<void> resume();

  /// Waits until the port is in this state, which its peer and its handler change as well: it is connected by
  /// the other port, and attached again once the stream has ended. Timeout: not within `atMost`.
  [[nodiscard]] Result<void> await(StreamState state, periodic::Duration atMost);

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] PortType type() const noexcept;
  /// Who has it may connect.
  [[nodiscard]] const std::string& token() const noexcept;
  [[nodiscard]] PortQuery query() const;

  class Implementation;

 private:
  friend class PortHost;
  Port(PortHost& host, std::shared_ptr<Implementation> implementation) noexcept;
  PortHost& m_host;
  std::shared_ptr<Implementation> m_implementation;  // shared with the host's thread
};

}  // namespace tactus::net
