// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: the other end of a call, a plain webrtcbin that answers.

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "media/room/participant/picture_stamp.h"
#include "plugins/gst_handle.h"

namespace tactus::media::testing {

/// Waits patiently until it holds; false: it never did.
[[nodiscard]] bool comesTrue(const std::function<bool()>& condition,
                             std::chrono::seconds patience = std::chrono::seconds(60));

/// Frequency of a tone in mono samples of 48 kHz, by its zero crossings; 0 of silence.
[[nodiscard]] double frequencyOf(const std::vector<std::int16_t>& samples);

class AnsweringPeer {
 public:
  struct Options {
    /// Elements that send, as gst-launch-1.0 takes them, with "application/x-rtp" at the end.
    std::vector<std::string> sends = {};
    /// Of so many RTP packets that come or go, one is lost on the way; 0: none.
    int losesOneOf = 0;
    bool transportWide = true;  ///< answers the extension, and reports by it
    /// Asks for lost packets again. Where it does so all the time, rtpsession never comes to its regular
    /// reports.
    bool repairs = true;
    unsigned latency = 200;  ///< ms
  };
  AnsweringPeer() : AnsweringPeer(Options()) {}
  explicit AnsweringPeer(Options options);
  ~AnsweringPeer();
  AnsweringPeer(const AnsweringPeer&) = delete;
  AnsweringPeer& operator=(const AnsweringPeer&) = delete;

  /// Empty: it could not be answered.
  [[nodiscard]] std::string answer(const std::string& offer);
  /// Stamps of the pictures decoded, in their order.
  [[nodiscard]] std::vector<PictureStamp> stamps() const;
  [[nodiscard]] std::uint64_t pictures() const { return m_pictures.load(); }
  [[nodiscard]] std::vector<std::int16_t> samples() const { return samplesFrom(0); }
  /// Those after the first `count`.
  [[nodiscard]] std::vector<std::int16_t> samplesFrom(std::size_t count) const;
  [[nodiscard]] std::uint64_t lost() const { return m_lost.load(); }
  void askForKeyframe();
  /// Keyframes that it was asked for.
  [[nodiscard]] std::uint64_t keyframesAsked() const { return m_keyframesAsked.load(); }
  /// The next `count` RTP packets are lost, repetitions too.
  void loseNext(int count) { m_burst.store(count); }
  /// Nothing gets through from now on, in either direction.
  void vanish() { m_vanished.store(true); }
  /// Ends its side of the connection.
  void leave();

 private:
  void addSender(const std::string& elements);
  void receive(GstPad* pad);
  [[nodiscard]] bool waitForCandidates();
  void onDecoded(GstBuffer* buffer, GstPad* pad);
  static void onPad(GstElement*, GstPad* pad, gpointer self);
  static void onElement(GstBin*, GstBin*, GstElement* element, gpointer self);
  static void onTransceiver(GstElement*, GObject* transceiver, gpointer self);
  static void onChange(GObject*, GParamSpec*, gpointer self);
  static GstPadProbeReturn onPacket(GstPad*, GstPadProbeInfo* info, gpointer self);

  const Options m_options;
  plugins::ElementPtr m_pipeline, m_webrtc;
  std::vector<plugins::PadPtr> m_sending;  // fixed once built
  std::atomic<std::uint64_t> m_packets{0}, m_lost{0}, m_pictures{0}, m_keyframesAsked{0};
  std::atomic<bool> m_vanished{false};
  std::atomic<int> m_burst{0};
  mutable std::mutex m_mutex;  // guards what follows
  std::condition_variable m_changed;
  std::vector<PictureStamp> m_stamps;
  std::vector<std::int16_t> m_samples;
  plugins::PadPtr m_videoPad;
};

}  // namespace tactus::media::testing
