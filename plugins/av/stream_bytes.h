// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "plugins/av/byte_source.h"

namespace tactus::plugins::av {

/// The bytes of a film that somebody receives: a ring between the thread that receives them and the reader of
/// a player that opens their address. It is read once, from its beginning; a reader that finds it empty
/// waits. To be kept while it is played. Thread-safe: yes, but for the destructor; one thread puts at a time.
class StreamBytes {
 public:
  /// `name` is what sentences call it; `capacity` in bytes, all of which are allocated here. InvalidArgument:
  /// the capacity is 0. Unavailable: there is no memory. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<StreamBytes>> create(std::string name, std::size_t capacity);
  /// As end(), if it has not ended: nobody receives it any longer.
  ~StreamBytes();
  StreamBytes(const StreamBytes&) = delete;
  StreamBytes& operator=(const StreamBytes&) = delete;

  /// "stream://N", which a player opens; N is of this process, and not used again. Real-time-safe: no.
  [[nodiscard]] const std::string& url() const noexcept;
  [[nodiscard]] std::size_t capacity() const noexcept;

  /// All of the bytes, or none and false: there is no room, or it has ended. Real-time-safe: yes.
  [[nodiscard]] bool put(std::span<const std::byte> bytes) noexcept;
  /// Until there is room for so many bytes; false: not within `atMost`, or it has ended. Real-time-safe: no
  /// (waits).
  [[nodiscard]] bool waitForRoom(std::size_t bytes, periodic::Duration atMost) noexcept;
  /// Nothing more comes: what is there is played, then the film ends (empty), or breaks off for this reason
  /// (the end of a sentence). The first call holds. Real-time-safe: no.
  void end(const std::string& reason);
  /// Nobody wants more bytes: it has ended, or its reader has gone. Real-time-safe: yes.
  [[nodiscard]] bool isEnded() const noexcept;

  /// The reader's end of the stream with this address. Errors: NotFound, Unavailable (it has or had a
  /// reader); one sentence. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<ByteSource>> open(const std::string& url,
                                                                std::shared_ptr<Cancellation> cancellation);
  /// The name of the stream with this address; absent if there is none. Real-time-safe: no.
  [[nodiscard]] static std::optional<std::string> nameOf(const std::string& url);

 private:
  struct Shared;
  class Table;
  class Reader;
  explicit StreamBytes(std::shared_ptr<Shared> shared) noexcept;

  const std::shared_ptr<Shared> m_shared;  // shared with the reader, which may last longer
};

/// Whether it is an address that StreamBytes::open() takes: stream://N. Thread-safe: yes (pure).
[[nodiscard]] bool isStream(const std::string& path) noexcept;

}  // namespace tactus::plugins::av
