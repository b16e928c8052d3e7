// SPDX-License-Identifier: Apache-2.0
#include "media/playback/bus_reader.h"

#include <pthread.h>

namespace tactus::media {
namespace {

// Seldom enough to cost nothing while paused, often enough to notice a stopped or replaced pipeline.
constexpr GstClockTime kLongestWait = 100 * GST_MSECOND;

}  // namespace

BusReader::BusReader(Playback& playback)
    : m_playback(playback), m_messages(playback), m_thread([this] { run(); }) {}

BusReader::~BusReader() {
  m_playback.transport().quit();
  m_thread.join();
}

void BusReader::run() {
  pthread_setname_np(pthread_self(), "tactus-bus");
  while (const auto from = m_playback.transport().waitForPipeline()) {
    const plugins::MessagePtr message(gst_bus_timed_pop(from->bus(), kLongestWait));
    if (from != m_playback.transport().current()) continue;
    if (message) {
      m_messages.handle(from, message.get());
    } else {
      m_messages.onSilence(from);
    }
    m_playback.announcements().deliver();
    m_presentedRate.sample(periodic::MonotonicClock::now(), m_playback.target().shown());
  }
}

}  // namespace tactus::media
