// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace tactus::media {

/// How many threads a decoder gets: more cost more processor time for each picture and delay it by one
/// picture each, so only as many as the pixel rate needs. Thread-safe: yes (pure).
[[nodiscard]] int decoderThreadsFor(double pixelsPerSecond, int processors) noexcept;

/// Tells a decoder to use so many threads; 1 where it cannot be told. Streaming thread, before it opens.
int limitDecoderThreads(GstElement* decoder, int threads);

/// Finds the worker threads of one decoder: they inherit their name from the thread that opens it.
class DecoderThreads {
 public:
  /// `prefix` of at most 6 characters; a number makes the name unique in this process.
  explicit DecoderThreads(std::string_view prefix);
  /// Gives the calling thread the name that is inherited. Thread-safe: yes. Real-time-safe: no.
  void nameThisThread() const;
  /// Threads of this process that have the name now. Thread-safe: yes. Real-time-safe: no (walks /proc).
  [[nodiscard]] std::vector<pid_t> find() const;
  /// Names a thread of this process; one that has ended is passed over. Real-time-safe: no.
  static void rename(pid_t thread, std::string_view name);

 private:
  const std::string m_name;
};

}  // namespace tactus::media
