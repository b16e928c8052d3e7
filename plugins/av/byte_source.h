// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/periodic/result.h"
#include "plugins/event_descriptor.h"

namespace tactus::plugins::av {

/// Ends waits of the thread that reads. Thread-safe: yes.
class Cancellation {
 public:
  void raise() noexcept;
  /// Waits go on to be what they are: the next one is not ended.
  void lower() noexcept;
  [[nodiscard]] bool raised() const noexcept {
    return m_raised.load(std::memory_order_relaxed);  // relaxed: the descriptor wakes who waits
  }
  /// Readable while it is raised.
  [[nodiscard]] int descriptor() const noexcept { return m_event.get(); }

 private:
  EventDescriptor m_event;
  std::atomic<bool> m_raised{false};
};

/// The bytes of one film. One thread reads and seeks.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Bytes read, 0 at the end, or a negative error of libav's; AVERROR_EXIT once cancelled.
  [[nodiscard]] virtual int read(std::span<std::uint8_t> into) = 0;
  /// From the beginning; false where it cannot.
  [[nodiscard]] virtual bool seek(std::int64_t position) = 0;
  /// Bytes there are now; -1 = unknown. A file may grow.
  [[nodiscard]] virtual std::int64_t size() const = 0;
  [[nodiscard]] virtual bool seekable() const = 0;
  /// What has failed for good may be tried anew: somebody asks for it again.
  virtual void renew() {}
  /// The same bytes for another reader, whatever their path names by now; null where that alone can tell.
  [[nodiscard]] virtual std::unique_ptr<ByteSource> again(std::shared_ptr<Cancellation>) const {
    return nullptr;
  }
  /// Why read() failed, as the end of a sentence; empty where its error says it.
  [[nodiscard]] virtual std::string problem() const { return {}; }
  /// What the server has said since the last call of what it sends now ("StreamTitle='...';"); empty =
  /// nothing.
  [[nodiscard]] virtual std::string news() { return {}; }
};

/// A file, a pipe or a device: a path, or "fd://N". Errors: NotFound, PermissionDenied, System; one sentence.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> openFile(const std::string& path,
                                                           std::shared_ptr<Cancellation> cancellation);

}  // namespace tactus::plugins::av
