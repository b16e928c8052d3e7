// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <memory>

#include "media/playback/playback.h"

namespace tactus::media {

/// What the present pipeline's bus says, one method for each kind of message. Bus thread only;
/// real-time-safe: no.
class BusMessages {
 public:
  explicit BusMessages(Playback& playback) noexcept : m_playback(playback) {}
  using From = std::shared_ptr<Pipeline>;

  void handle(const From& from, GstMessage* message);
  /// The bus had nothing to say for a while: a server that says nothing at all makes no error.
  void onSilence(const From& from);

 private:
  void onError(const From& from, GstMessage* message);
  void onWarning(const From& from, GstMessage* message);
  void onPrerolled(const From& from, GstMessage* message);
  void onBuffering(const From& from, GstMessage* message);
  void onTag(const From& from, GstMessage* message);
  void onEnd(const From& from, GstMessage* message);
  void onStreamStart(const From& from, GstMessage* message);
  void onElement(const From& from, GstMessage* message);
  void onApplication(const From& from, GstMessage* message);
  void onFilmBegins(const From& from);
  void onLatency(const From& from, GstMessage* message);
  void onDurationChanged(const From& from, GstMessage* message);
  void onClockLost(const From& from, GstMessage* message);
  void onStateChanged(const From& from, GstMessage* message);
  void onStreamCollection(const From& from, GstMessage* message);
  void onStreamsSelected(const From& from, GstMessage* message);
  void onContents(const From& from, GstMessage* message);
  void onQos(const From& from, GstMessage* message);

  /// Asks the pipeline what it knows by now, and announces it.
  void updateInfo(const From& from);
  void announceInfo(MediaInfo info);
  void warn(std::string sentence);
  [[nodiscard]] bool failBroken(const From& from);
  /// The listener hears of it before the pipeline is stopped, which may take time.
  void fail(const From& from, Error sentence);

  Playback& m_playback;
};

}  // namespace tactus::media
