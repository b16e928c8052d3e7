// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "media/playback/bus_messages.h"
#include "media/playback/playback.h"
#include "media/playback/presented_rate.h"

namespace tactus::media {

/// The bus thread: reads the present pipeline's bus, delivers what was announced, and measures how many
/// pictures are shown. Ends with this object.
class BusReader {
 public:
  explicit BusReader(Playback& playback);
  ~BusReader();
  BusReader(const BusReader&) = delete;
  BusReader& operator=(const BusReader&) = delete;

  /// Thread-safe: yes.
  [[nodiscard]] PresentedRate& presentedRate() noexcept { return m_presentedRate; }

 private:
  void run();
  Playback& m_playback;
  BusMessages m_messages;  // bus thread
  PresentedRate m_presentedRate;
  std::thread m_thread;
};

}  // namespace tactus::media
