// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/net/stream/sender_state.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_judgement.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

// What two hosts say to each other on a stream's control connection, apart from the data (RTSS, sections 3
// and 4.3). A message is a line of printable ASCII: a word, then key=value separated by single spaces; values
// are percent-encoded. Keys come in any order; unknown ones are of later versions and are passed over.

/// A host asks for a stream between a port of its own and one of the other host.
struct ConnectMessage {
  static constexpr std::size_t kLongestToken = 128;  ///< bytes

  std::string name;                ///< of the port asked for: isStreamName()
  std::string token;               ///< the secret that lets in; any bytes, empty: none
  PortType type = PortType::Read;  ///< of the port that asks
  /// A valid one. What each side has for itself stays at home: processing, the least rate, and
  /// class and weight on the link.
  StreamContract contract = {};
  std::uint64_t session = 0;  ///< the data carries it; random
  std::uint16_t port = 0;     ///< at which the asking side receives datagrams; 0: it does not

  friend bool operator==(const ConnectMessage&, const ConnectMessage&) = default;
};

/// The first message of a connection for the data of a stream over TCP; the data follow. Whoever asked
/// connects once more with whoever answers, and says this.
struct DataMessage {
  std::uint64_t session = 0;  ///< of the ConnectMessage
  friend bool operator==(const DataMessage&, const DataMessage&) = default;
};

/// The stream exists.
struct AcceptedMessage {
  std::uint16_t port = 0;  ///< at which the answering side receives datagrams; 0: it does not
  bool ring = false;       ///< the descriptors of a local ring come along
  friend bool operator==(const AcceptedMessage&, const AcceptedMessage&) = default;
};

/// Why there is no stream.
enum class Refusal : std::uint8_t {
  NotFound,     ///< no port has this name
  Denied,       ///< the token is another
  Mismatch,     ///< the two contracts do not fit
  Busy,         ///< the port has its stream, or admission said no; may come back
  Invalid,      ///< the message is none, or out of place
  Unsupported,  ///< this version or transport is not known here
};
/// What a caller of connect() is told. Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] ErrorCode errorCodeOf(Refusal refusal) noexcept;

struct RefusedMessage {
  Refusal code = Refusal::Invalid;
  std::string sentence;  ///< for a person; what does not fit is cut
  friend bool operator==(const RefusedMessage&, const RefusedMessage&) = default;
};

/// The sender's: at each change, and once a second as its heartbeat.
struct StateMessage {
  SenderState now = SenderState::Live;
  std::uint64_t buffers = 0;     ///< sent since the stream began
  periodic::Duration period{0};  ///< by which it makes buffers; 0: that of the contract
  /// The next one, which it goes by once the receiver has said it, too, and a while after; 0: none.
  periodic::Duration next{0};
  friend bool operator==(const StateMessage&, const StateMessage&) = default;
};

/// The receiver's, once a second, and at once when the sender's period changes; figures since the stream
/// began, as StreamMeter has them.
struct ReportMessage {
  static constexpr std::uint32_t kWholeRate = 10'000;
  std::uint64_t received = 0, lost = 0, late = 0;
  periodic::Duration jitter{0}, delay{0};  ///< not negative
  /// The sender's next, else the one it has, as it was heard last; 0: that of the contract.
  periodic::Duration period{0};
  std::optional<StreamJudgement> judgement = {};  ///< absent: nothing is judged
  /// A handler at the receiver acts instead of the default, and allows so many 10,000ths of the contract's
  /// rate, 1 ... 10,000.
  std::optional<std::uint32_t> share = {};
  friend bool operator==(const ReportMessage&, const ReportMessage&) = default;
};

/// The last message of either side.
struct ByeMessage {
  std::string sentence;  ///< for a person; what does not fit is cut
  friend bool operator==(const ByeMessage&, const ByeMessage&) = default;
};

using HandshakeMessage = std::variant<ConnectMessage, DataMessage, AcceptedMessage, RefusedMessage,
                                      StateMessage, ReportMessage, ByeMessage>;

/// Of what a sentence is cut to, so that each message fits into a line. Bytes of UTF-8.
inline constexpr std::size_t kLongestSentence = 320;

/// A line without its '\n', from anybody. Corrupt: no message (an unknown word; a missing, repeated or
/// malformed key). Unsupported: a connect of another version. The sentences quote nothing of the line.
/// Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] Result<HandshakeMessage> parseHandshake(std::string_view line);

/// The line with its '\n'; sentences as shownText() has them. InvalidArgument: a member is out of its range.
/// Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] Result<std::string> formatHandshake(const HandshakeMessage& message);

/// Whether the tokens are equal; takes as long wherever they differ. How long they are may be found out.
/// Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] bool sameToken(std::string_view one, std::string_view other) noexcept;

}  // namespace tactus::net
