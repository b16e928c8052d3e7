// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/net/port/port_host.h"
#include "core/net/stream/stream_contract.h"
#include "core/periodic/result.h"
#include "plugins/av/stream_bytes.h"

namespace tactus::media {

/// A film that arrives as a stream: a read port that takes over the contract of the writer that asks, and the
/// address from which a player reads what came. One stream: when it ends, the film does. Thread-safe: yes,
/// but for the destructor. Real-time-safe: no.
class StreamReceiver {
 public:
  /// The largest buffer that is taken, in bytes: a picture that stands alone in 4K.
  static constexpr std::size_t kLargestBuffer = std::size_t{4} << 20;
  /// What waits for the player at most, in bytes: some seconds of a film in 4K. A reliable sender waits when
  /// this is full; of others the newest buffers are lost.
  static constexpr std::size_t kCapacity = std::size_t{16} << 20;

  /// A port of this name at `host`, which outlives it. `token`: who has it may send; absent: a new one.
  /// Errors: those of PortHost::createReader() and StreamBytes::create(); System: there can be no thread.
  [[nodiscard]] static Result<std::unique_ptr<StreamReceiver>> start(net::PortHost& host,
                                                                     const std::string& name,
                                                                     net::TransportKind transport,
                                                                     std::optional<std::string> token);
  ~StreamReceiver();
  StreamReceiver(const StreamReceiver&) = delete;
  StreamReceiver& operator=(const StreamReceiver&) = delete;

  /// For a player, once.
  [[nodiscard]] const std::string& url() const noexcept { return m_bytes->url(); }
  /// Who has it may send.
  [[nodiscard]] const std::string& token() const noexcept { return m_port->token(); }
  [[nodiscard]] net::PortQuery query() const { return m_port->query(); }

 private:
  StreamReceiver(std::unique_ptr<plugins::av::StreamBytes> bytes, std::unique_ptr<net::Port> port,
                 bool waits) noexcept
      : m_bytes(std::move(bytes)), m_port(std::move(port)), m_waits(waits) {}
  void take(const net::StreamBuffer& buffer);
  void run();

  const std::unique_ptr<plugins::av::StreamBytes> m_bytes;
  const std::unique_ptr<net::Port> m_port;
  const bool m_waits;  // the sender waits for the player; over UDP nobody can be made to
  std::atomic<bool> m_quit{false};
  std::thread m_thread;
};

}  // namespace tactus::media
