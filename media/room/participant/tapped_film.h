// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>

#include "core/periodic/time/time.h"
#include "media/room/participant/outgoing_track.h"
#include "media/stage/film_tap.h"
#include "plugins/gst_handle.h"
#include "plugins/picture_overlay.h"

namespace tactus::media {

/// What a player shows, with its subtitles, or sounds, for an appsrc of another pipeline, whose thread waits
/// here for it. A picture that stands still is repeated; before the first there is a black one, or a moment
/// of silence. Thread-safe: no, but for stop().
class TappedFilm {
 public:
  /// `target`: the appsrc; `upright`: the videoflip behind it, null of sound.
  TappedFilm(const OutgoingTrack& track, GstElement* target, GstElement* upright);
  ~TappedFilm();
  TappedFilm(const TappedFilm&) = delete;
  TappedFilm& operator=(const TappedFilm&) = delete;

  /// Why nothing comes any more, as a sentence; empty: it does.
  [[nodiscard]] std::string fault() const;
  /// Before the pipeline stops.
  void stop();

 private:
  static void onNeed(GstElement*, guint, gpointer self);
  void give();
  void givePicture();
  void giveSound();
  [[nodiscard]] plugins::BufferPtr withSubtitles(const plugins::ShownPicture& picture);
  void push(GstBuffer* buffer, GstCaps* format, GstClockTime at);
  void pushNothing();

  const OutgoingTrack m_track;
  const plugins::ElementPtr m_target, m_upright;
  FilmTap::Taker m_taker;
  gulong m_signal = 0;
  // The appsrc's thread:
  bool m_begun = false;  // something was given
  plugins::Orientation m_orientation;
  plugins::PlanarBlender m_blender;
};

}  // namespace tactus::media
