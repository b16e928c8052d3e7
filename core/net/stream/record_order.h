// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/net/stream/buffer_assembly.h"
#include "core/net/stream/stream_end.h"
#include "core/net/stream/stream_wire.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What a stream is at the receiving end of a transport that keeps order: the numbers of its buffers follow
/// one another, and an end of the stream comes before the end of the transport. All else breaks it. A stream
/// that is not reliable may leave buffers out (its sender gave them up); they count as lost.
///
/// Pure. Thread-safe: no. Real-time-safe: yes, all but broken().
class RecordOrder {
 public:
  explicit RecordOrder(bool reliable) noexcept : m_reliable(reliable) {}

  /// The next buffer has this header. True: it is the caller's until release().
  [[nodiscard]] bool accept(const StreamHeader& header) TACTUS_REALTIME;
  /// The caller is done with the buffer that was accepted.
  void release() TACTUS_REALTIME;

  /// What came is no buffer of the stream.
  void malformed(WireFault fault) TACTUS_REALTIME;
  /// The transport of a peer writes what cannot be.
  void corrupt() TACTUS_REALTIME;
  /// Nothing more comes; `inside`: a buffer has begun.
  void closed(bool inside) TACTUS_REALTIME;
  /// The transport failed with this errno.
  void failed(int error) TACTUS_REALTIME;

  /// A buffer was accepted, and not released.
  [[nodiscard]] bool isHeld() const noexcept { return m_held; }
  /// The end of the stream was accepted.
  [[nodiscard]] bool hasEnded() const noexcept { return m_ended; }
  [[nodiscard]] bool isBroken() const noexcept { return m_why != Why::Not; }
  /// Whether anything can still come.
  [[nodiscard]] bool isOver() const noexcept { return m_ended || isBroken(); }
  [[nodiscard]] std::optional<EndBroken> broken() const;
  [[nodiscard]] const AssemblyFigures& figures() const noexcept { return m_figures; }

 private:
  enum class Why : std::uint8_t { Not, LeftOut, Repeated, Malformed, Corrupt, Closed, ClosedInside, Failed };
  void breakFor(Why why) TACTUS_REALTIME;

  bool m_reliable;
  bool m_held = false, m_ended = false;
  std::uint32_t m_expected = 0;  // the next number
  Why m_why = Why::Not;
  std::uint32_t m_came = 0;                 // instead of m_expected: Repeated
  WireFault m_fault = WireFault::TooShort;  // Malformed
  int m_error = 0;                          // Failed
  AssemblyFigures m_figures;
};

}  // namespace tactus::net
