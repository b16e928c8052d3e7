// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/tapped_film.h"

#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "plugins/clock_time.h"

namespace tactus::media {
namespace {

/// A picture that stands still is repeated, for who comes and for what was lost.
constexpr periodic::Duration kStill = std::chrono::milliseconds(200);
constexpr GstClockTime kMoment = 20 * GST_MSECOND;
constexpr const char* kSilence =
    "audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2,channel-mask=(bitmask)3";
constexpr guint kSilentBytes = 48 * 20 * 2 * sizeof(std::int16_t);  // of a moment

}  // namespace

TappedFilm::TappedFilm(const OutgoingTrack& track, GstElement* target, GstElement* upright)
    : m_track(track),
      m_target(plugins::share<plugins::ElementPtr>(target)),
      m_upright(plugins::share<plugins::ElementPtr>(upright)),
      m_taker(track.source.film,
              track.kind == MediaKind::Video ? FilmTap::Taker::Of::Pictures : FilmTap::Taker::Of::Sound) {
  m_signal = g_signal_connect(target, "need-data", G_CALLBACK(onNeed), this);
}

TappedFilm::~TappedFilm() {
  stop();
}

void TappedFilm::stop() {
  m_taker.stop();
  if (m_signal != 0) g_signal_handler_disconnect(m_target.get(), std::exchange(m_signal, 0));
}

std::string TappedFilm::fault() const {
  return m_taker.tap().hasEnded() ? "The film that was shared has been closed." : "";
}

void TappedFilm::onNeed(GstElement*, guint, gpointer data) {
  static_cast<TappedFilm*>(data)->give();
}

/// Returns when something was given: appsrc asks once for it.
void TappedFilm::give() {
  if (m_track.kind == MediaKind::Video) {
    givePicture();
  } else {
    giveSound();
  }
  m_begun = true;
}

void TappedFilm::givePicture() {
  const plugins::ShownPicture picture = m_taker.picture(m_begun ? kStill : periodic::Duration::zero());
  if (m_taker.stopped()) return;
  if (!picture.sample || gst_sample_get_buffer(picture.sample.get()) == nullptr) return pushNothing();
  if (picture.orientation != m_orientation) {
    m_orientation = picture.orientation;
    gst_util_set_object_arg(G_OBJECT(m_upright.get()), "video-direction",
                            plugins::directionOf(m_orientation));
  }
  const plugins::BufferPtr buffer = withSubtitles(picture);
  push(buffer.get(), gst_sample_get_caps(picture.sample.get()), plugins::presentRunningTime(m_target.get()));
}

plugins::BufferPtr TappedFilm::withSubtitles(const plugins::ShownPicture& picture) {
  GstBuffer* plain = gst_sample_get_buffer(picture.sample.get());
  GstVideoInfo info;
  if (picture.above.overlay && !picture.above.overlay->parts.empty() &&
      gst_video_info_from_caps(&info, gst_sample_get_caps(picture.sample.get())) != FALSE) {
    if (auto blended = m_blender.blended(picture.above, plain, info, picture.orientation)) return blended;
  }
  return plugins::BufferPtr(gst_buffer_copy(plain));  // of the header: the samples are shared
}

void TappedFilm::giveSound() {
  if (!m_begun) return pushNothing();
  for (;;) {
    const FilmTap::Sound sound = m_taker.sound(std::chrono::seconds(1));
    if (m_taker.stopped()) return;
    if (!sound.samples) continue;
    const auto since = std::max(periodic::Duration::zero(), periodic::MonotonicClock::now() - sound.due);
    const GstClockTime now = plugins::presentRunningTime(m_target.get());
    const plugins::BufferPtr copy(gst_buffer_copy(sound.samples.get()));
    return push(copy.get(), sound.format.get(), now - std::min<GstClockTime>(now, since.count()));
  }
}

/// A black picture, or a moment of silence: webrtcbin offers nothing before it knows what comes.
void TappedFilm::pushNothing() {
  const bool video = m_track.kind == MediaKind::Video;
  const plugins::CapsPtr format(gst_caps_from_string(video ? capturedFormat(m_track).c_str() : kSilence));
  GstVideoInfo info;
  if (video && gst_video_info_from_caps(&info, format.get()) == FALSE) return;
  const plugins::BufferPtr nothing(
      gst_buffer_new_allocate(nullptr, video ? info.size : kSilentBytes, nullptr));
  (void)gst_buffer_memset(nothing.get(), 0, 0, gst_buffer_get_size(nothing.get()));
  if (video) {
    constexpr guint8 kBlack = 16, kNoColour = 128;
    (void)gst_buffer_memset(nothing.get(), 0, kBlack, info.offset[1]);
    (void)gst_buffer_memset(nothing.get(), info.offset[1], kNoColour, info.size - info.offset[1]);
  } else {
    GST_BUFFER_DURATION(nothing.get()) = kMoment;
  }
  push(nothing.get(), format.get(), plugins::presentRunningTime(m_target.get()));
}

void TappedFilm::push(GstBuffer* buffer, GstCaps* format, GstClockTime at) {
  GST_BUFFER_PTS(buffer) = at;
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  if (m_track.kind == MediaKind::Video) GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
  auto* target = GST_APP_SRC(m_target.get());
  gst_app_src_set_caps(target, format);                           // the same again changes nothing
  (void)gst_app_src_push_buffer(target, gst_buffer_ref(buffer));  // a call that has ended takes none
}

}  // namespace tactus::media
