// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: what a capture sends, as another process would read it.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "media/streaming/outgoing_capture.h"
#include "plugins/av/demuxer.h"

namespace tactus::media::testing {

/// Takes buffers until there are so many bytes, or the capture ends, or a minute has passed.
inline std::string takeFrom(OutgoingStream& capture, std::size_t bytes) {
  std::string all;
  std::vector<std::byte> buffer(capture.contract().largestBuffer);
  const auto until = periodic::MonotonicClock::now() + std::chrono::minutes(1);
  while (all.size() < bytes && periodic::MonotonicClock::now() < until) {
    const auto count = capture.write(buffer);
    if (!count) break;
    EXPECT_EQ(*count % 188, 0u);
    all.append(reinterpret_cast<const char*>(buffer.data()), *count);
    if (*count == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // it comes as time passes
  }
  return all;
}

/// Packets by their codec.
inline std::map<AVCodecID, int> packetsOf(const std::filesystem::path& path) {
  std::map<AVCodecID, int> packets;
  const auto cancellation = std::make_shared<plugins::av::Cancellation>();  // shared with the source
  auto source = plugins::av::openFile(path.string(), cancellation);
  if (!source.ok()) return packets;
  const auto film =
      plugins::av::Demuxer::open(std::move(source).value(), path.filename().string(), cancellation);
  EXPECT_TRUE(film.ok()) << (film.ok() ? "" : film.error().message);
  if (!film.ok()) return packets;
  for (;;) {
    const auto read = film.value()->read();
    if (read.outcome != plugins::av::Demuxer::Outcome::Packet) return packets;
    ++packets[film.value()->container().streams[read.stream]->codecpar->codec_id];
  }
}

}  // namespace tactus::media::testing
