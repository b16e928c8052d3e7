// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <string>

#include "plugins/gst_handle.h"

namespace tactus::media {

/// A publisher for tests: a real webrtcbin with live test pictures and sound, on the loopback device.
class WebrtcPublisher {
 public:
  struct Settings {
    std::string video = "vp8";  ///< "vp8", "h264", or "junk": VP8 of which the bytes are random; empty: none
    bool audio = true;
  };
  explicit WebrtcPublisher(const Settings& settings);
  ~WebrtcPublisher();
  WebrtcPublisher(const WebrtcPublisher&) = delete;
  WebrtcPublisher& operator=(const WebrtcPublisher&) = delete;

  /// SDP with all candidates. Blocking.
  [[nodiscard]] std::string offer();
  void accept(const std::string& answer);
  /// Keyframe requests that reached the encoder.
  [[nodiscard]] int keyframeRequests() const { return m_keyframeRequests.load(); }
  /// The next packets that belong together are numbered, but not sent, and not repeated.
  void loseAPicture() { m_lose.store(true); }
  /// Closes the connection, as a browser does (DTLS close_notify).
  void leave();
  /// Its sockets are closed, as those of a process that was killed: it says nothing and answers nothing.
  void vanish();

 private:
  void call(const char* action, gpointer argument);
  void waitForCandidates();
  [[nodiscard]] bool knowsItsFormats() const;
  void watchPackets();
  void mangle(GstBuffer* packet);
  static GstPadProbeReturn onPacket(GstPad*, GstPadProbeInfo* info, gpointer self);
  static void onGathering(GObject*, GParamSpec*, gpointer self);
  static GstPadProbeReturn onUpstream(GstPad*, GstPadProbeInfo* info, gpointer self);

  plugins::ElementPtr m_pipeline;
  plugins::ElementPtr m_webrtc;
  GObject* m_ice = nullptr;    // owned
  GObject* m_agent = nullptr;  // owned
  std::mutex m_mutex;
  std::condition_variable m_gathered;
  const bool m_junk;
  std::atomic<bool> m_lose{false};
  std::mt19937 m_random{25};  // payloader's thread
  std::atomic<int> m_keyframeRequests{0};
};

}  // namespace tactus::media
