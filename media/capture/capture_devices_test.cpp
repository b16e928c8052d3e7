// SPDX-License-Identifier: Apache-2.0
// Microphones of the session's own daemon.
#include "media/capture/capture_devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "media/room/participant/call_peer_fixture.h"

namespace tactus::media {
namespace {

using media::testing::comesTrue;

/// A microphone that hears nothing, as long as it is there.
class Microphone {
 public:
  explicit Microphone(const std::string& name) {
    const std::string command =
        "pactl load-module module-null-sink media.class=Audio/Source/Virtual sink_name=" + name +
        " sink_properties=device.description=" + name;
    FILE* answer = popen(command.c_str(), "r");
    char number[32] = {};
    if (answer != nullptr && std::fgets(number, sizeof number, answer) != nullptr)
      m_module = std::atoi(number);
    if (answer != nullptr) pclose(answer);
  }
  ~Microphone() { unplug(); }
  Microphone(const Microphone&) = delete;
  Microphone& operator=(const Microphone&) = delete;
  [[nodiscard]] bool exists() const { return m_module > 0; }
  void unplug() {
    if (m_module > 0) (void)!std::system(("pactl unload-module " + std::to_string(m_module)).c_str());
    m_module = 0;
  }

 private:
  int m_module = 0;
};

bool has(const CaptureDevices& devices, const std::string& name) {
  const auto all = devices.list(MediaKind::Audio);
  return std::any_of(all.begin(), all.end(), [&](const CaptureDevice& device) {
    return device.source.kind == CaptureSource::Kind::Device &&
           device.source.name.find(name) != std::string::npos;
  });
}

TEST(CaptureDevices, AMicrophoneComesAndGoes) {
  std::atomic<int> changes{0};
  const CaptureDevices devices([&] { ++changes; });
  ASSERT_FALSE(has(devices, "headset"));
  Microphone headset("headset");
  ASSERT_TRUE(headset.exists());
  EXPECT_TRUE(comesTrue([&] { return has(devices, "headset"); }));
  EXPECT_GT(changes, 0);
  const CaptureDevices later;
  EXPECT_TRUE(has(later, "headset"));
  headset.unplug();
  EXPECT_TRUE(comesTrue([&] { return !has(devices, "headset"); }));
}

TEST(CaptureDevices, WhatSpeakersPlayIsNoMicrophone) {
  const CaptureDevices devices;
  for (const CaptureDevice& device : devices.list(MediaKind::Audio))
    EXPECT_EQ(device.source.name.find(".monitor"), std::string::npos) << device.source.name;
}

}  // namespace
}  // namespace tactus::media
