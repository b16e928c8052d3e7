// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/periodic/result.h"

namespace tactus::net {

/// The states of a port (RTSS, figure 5).
enum class StreamState : std::uint8_t {
  Ready,      ///< it exists and is admitted
  Attached,   ///< it has a data handler
  Connected,  ///< a port of the other type is at the other end
  Live,       ///< its thread runs: the handler is called
  Paused,     ///< its thread runs and calls no handler
};
[[nodiscard]] std::string_view nameOf(StreamState state) noexcept;

/// What changes a port's state.
enum class StreamOperation : std::uint8_t { Attach, Connect, Start, Pause, Resume, Stop, Disconnect };

/// The life of a port: which operation is possible in which state (RTSS, A.4 and figure 5). Pure: whoever
/// holds it, a stream of its own or one in a pipeline, does the work first and notes the operation then.
///
///   ready -attach-> attached -connect-> connected -start-> live <-pause/resume-> paused
///   live, paused -stop-> connected            connected, live, paused -disconnect-> attached
///
/// Each operation that is not possible is InvalidArgument with a sentence that names the state, and changes
/// nothing. Deleting is possible in any state. Thread-safe: no, the caller guards. Real-time-safe: no
/// (allocates), but for state() and can().
class StreamLife {
 public:
  /// `port`: the port's name, for sentences.
  explicit StreamLife(std::string port) : m_port(std::move(port)) {}

  [[nodiscard]] Result<void> attach() { return apply(StreamOperation::Attach); }
  /// Forgets the last error.
  [[nodiscard]] Result<void> connect();
  [[nodiscard]] Result<void> start() { return apply(StreamOperation::Start); }
  [[nodiscard]] Result<void> pause() { return apply(StreamOperation::Pause); }
  [[nodiscard]] Result<void> resume() { return apply(StreamOperation::Resume); }
  [[nodiscard]] Result<void> stop() { return apply(StreamOperation::Stop); }
  /// The other end went, or is let go: handlers stay. `reason`, a sentence, is the last error.
  [[nodiscard]] Result<void> disconnect(std::string reason);

  /// Real-time-safe: yes.
  [[nodiscard]] StreamState state() const noexcept { return m_state; }
  /// Whether the operation is possible now. Real-time-safe: yes.
  [[nodiscard]] bool can(StreamOperation operation) const noexcept;
  /// Why the port was disconnected last; empty: it was not, since it was connected (RTSS, A.5, get_error).
  [[nodiscard]] const std::string& lastError() const noexcept { return m_lastError; }

 private:
  [[nodiscard]] Result<void> apply(StreamOperation operation);

  std::string m_port;
  StreamState m_state = StreamState::Ready;
  std::string m_lastError;
};

}  // namespace tactus::net
