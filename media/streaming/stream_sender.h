// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/net/port/port_host.h"
#include "core/net/stream/stream_address.h"
#include "core/periodic/result.h"
#include "media/sharing/window_terms.h"
#include "media/streaming/outgoing_stream.h"

namespace tactus::media {

/// A source that leaves as a stream, until it ends: its write port, connected with the reader that waits for
/// it. Thread-safe: yes, but for the destructor. Real-time-safe: no.
class StreamSender {
 public:
  struct Target {
    net::StreamAddress address;  ///< of the reader's port
    std::string token;           ///< that lets in
  };
  /// A port of this name at `host`, which outlives it, sends `source`: admitted, connected and started. The
  /// terms' weight is its weight on the link; in the background it has no contract. Errors: those of
  /// PortHost::create() and Port::connect().
  [[nodiscard]] static Result<std::unique_ptr<StreamSender>> start(net::PortHost& host,
                                                                   const std::string& name,
                                                                   std::unique_ptr<OutgoingStream> source,
                                                                   const WindowTerms& terms,
                                                                   const Target& target);
  StreamSender(const StreamSender&) = delete;
  StreamSender& operator=(const StreamSender&) = delete;
  ~StreamSender();

  /// All has left and was received, or the stream broke off.
  [[nodiscard]] bool isOver() const;
  /// Why it broke off; empty: it did not.
  [[nodiscard]] std::string error() const;
  [[nodiscard]] net::PortQuery query() const { return m_port->query(); }

 private:
  StreamSender(std::unique_ptr<OutgoingStream> source, std::unique_ptr<net::Port> port) noexcept
      : m_source(std::move(source)), m_port(std::move(port)) {}

  const std::unique_ptr<OutgoingStream> m_source;
  const std::unique_ptr<net::Port> m_port;  // calls the source: goes first
};

/// The contract under which a source leaves: what it asks for, in the class of its kind and with the weight
/// of its terms. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] net::StreamContract sentContract(net::StreamContract asked, const WindowTerms& terms);

}  // namespace tactus::media
