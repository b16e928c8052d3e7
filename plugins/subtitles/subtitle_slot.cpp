// SPDX-License-Identifier: Apache-2.0
#include "plugins/subtitles/subtitle_slot.h"

#include <algorithm>
#include <utility>

#include "plugins/subtitles/subtitle_log.h"

namespace tactus::plugins::subtitles {
namespace {

using periodic::Duration;
using namespace std::chrono_literals;

/// A stream that is followed from so early on has been kept since the film was opened.
constexpr Duration kOpening = 1s;
/// The reader is ahead of what is shown, and its store lets go what has passed a decoder.
constexpr Duration kReadAhead = 2s;
/// A line may lie behind its picture in the film, so far.
constexpr Duration kInterleaved = 500ms;

}  // namespace

void SubtitleSlot::followChoice() {
  auto chosen = m_feed.chosen(m_place);
  if (chosen == m_stream && !(m_track && m_track->outgrown())) return;
  if (m_renderer) m_renderer->forget();
  m_stream = std::move(chosen);
  m_track.reset();
  m_known.reset();
  m_next = 0;
  if (!m_stream) return;
  auto opened = SubtitleTrack::open(m_library, *m_stream->parameters);
  if (opened.ok()) {
    m_track = std::move(opened).value();
  } else {
    logProblem(opened.error().message);
  }
}

std::shared_ptr<const Overlay> SubtitleSlot::draw(Duration picture, Duration delay, const OverlayFrame& frame,
                                                  const SubtitleLook& look) {
  followChoice();
  if (!m_track) return nullptr;
  const Duration instant = picture - delay;
  if (m_stream->isFile()) {
    followFile(instant);
  } else {
    followFilm(instant, picture);
  }
  if (!m_renderer) m_renderer = std::make_unique<SubtitleRenderer>(m_library);
  return m_renderer->draw(*m_track, instant, frame, look);
}

void SubtitleSlot::followFilm(Duration instant, Duration picture) {
  const std::uint64_t seeks = m_feed.seeks();
  if (!m_known || m_seeks != seeks) begin(instant, picture, seeks);
  if (m_feed.seeks() != seeks) return;  // for a picture that nobody will see
  while (const auto packet = m_feed.poll(*m_stream)) m_track->put(*packet);
  m_known->to = std::max(m_known->to, instant);
}

/// The first picture of an opening, a seek or a choice.
void SubtitleSlot::begin(Duration instant, Duration picture, std::uint64_t seeks) {
  m_seeks = seeks;
  m_track->jump();
  if (!m_known && seeks == 0 && instant < kOpening) m_known = Known{Duration{0}, Duration{0}};
  if (!m_known || !m_known->has(instant)) {
    (void)m_feed.lookBack(*m_stream, std::max(Duration{0}, instant - kLongestLine),
                          std::max(instant, picture) + kReadAhead,
                          [this](const AVPacket& packet) { m_track->put(packet); });
    m_track->jump();
    m_known = Known{instant, instant};
  }
  m_feed.awaitRead(picture + kInterleaved);
}

void SubtitleSlot::followFile(Duration instant) {
  const auto& packets = m_stream->packets;
  if (m_track->text() == nullptr && !(m_known && m_known->has(instant))) {
    // Pictures are many bytes: only those of about now are decoded.
    const Duration from = instant - kLongestLine;
    const auto first = std::find_if(packets.begin(), packets.end(),
                                    [&](const av::PacketPtr& packet) { return packet->pts >= from.count(); });
    m_next = static_cast<std::size_t>(first - packets.begin());
    m_track->jump();
    m_known = Known{instant, instant};
  }
  const bool all = m_track->text() != nullptr;
  for (; m_next < packets.size(); ++m_next) {
    const AVPacket& packet = *packets[m_next];
    if (!all && packet.pts > (instant + kReadAhead).count()) break;
    m_track->put(packet);
  }
  if (m_known) m_known->to = std::max(m_known->to, instant + kReadAhead);
}

SubtitleDrawing::SubtitleDrawing(av::SubtitleFeed& feed)
    : m_fonts(feed.fonts()),
      m_library(libraryWith(m_fonts)),
      m_main(m_library.get(), feed, av::SubtitleFeed::Place::Main),
      m_second(m_library.get(), feed, av::SubtitleFeed::Place::Second) {}

SubtitleDrawing::LibraryPtr SubtitleDrawing::libraryWith(const av::SubtitleFeed::Fonts& fonts) {
  LibraryPtr library(ass_library_init());
  if (!library) throw std::bad_alloc();
  logToGStreamer(library.get());
  ass_set_extract_fonts(library.get(), 1);
  if (!fonts) return library;
  for (const av::AttachedFont& font : *fonts)
    ass_add_font(library.get(), font.name.c_str(), reinterpret_cast<const char*>(font.bytes.data()),
                 static_cast<int>(font.bytes.size()));
  return library;
}

}  // namespace tactus::plugins::subtitles
