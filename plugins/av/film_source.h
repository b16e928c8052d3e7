// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/base/gstflowcombiner.h>
#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/av/film_buffering.h"
#include "plugins/av/film_catalogue.h"
#include "plugins/av/film_reader.h"
#include "plugins/av/subtitle_feed.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

/// What `tactusavsrc` is made of: a FilmReader, and a pad with a thread for pictures and for sound, which
/// takes their packets. The element's functions call it; the reader's thread and the pads' threads call it
/// too.
class FilmSource final : public FilmReader::Listener {
 public:
  explicit FilmSource(GstElement* element);
  ~FilmSource() override;
  FilmSource(const FilmSource&) = delete;
  FilmSource& operator=(const FilmSource&) = delete;

  /// READY to PAUSED: opens the film, and adds the pads, in the reader's thread; no-more-pads says that they
  /// are there.
  void start(const std::string& path, periodic::Duration patience);
  /// Before the pads are deactivated: nobody waits any more, and no pad's thread begins anew.
  void halt();
  /// After the pads were deactivated.
  void stop();

  /// A flushing seek forwards, at any speed; false for others. Any thread.
  [[nodiscard]] bool seek(GstEvent* event);
  /// Chooses the streams named; kinds that are not named stay silent. Any thread.
  [[nodiscard]] bool select(GstEvent* event);
  [[nodiscard]] bool answer(GstQuery* query);
  /// A subtitle file beside the film: one stream more. Any thread.
  void addSubtitles(SubtitleFile file, bool chosen);
  [[nodiscard]] const std::shared_ptr<SubtitleFeed>& subtitles() const noexcept { return m_subtitles; }

 private:
  struct Pad {
    FilmSource* source = nullptr;
    GstPad* pad = nullptr;  // the element owns it
    AVMediaType kind = AVMEDIA_TYPE_UNKNOWN;
    std::atomic<int> stream{-1};      // the one it brings; written under m_mutex
    std::atomic<bool> silent{false};  // its packets are passed over
    std::atomic<bool> newSegment{false};
    // The pad's thread only.
    int announced = -1;
    std::int64_t begin = 0;  // of the segment announced, in ns
    bool discont = true;
    bool awaitsKeyframe = false;
  };

  void onBegin() override { tell(GST_STREAM_STATUS_TYPE_ENTER); }
  void onFinish() override { tell(GST_STREAM_STATUS_TYPE_LEAVE); }
  void onOpened(const Demuxer& film) override;
  void onRefused(const Error& why) override;
  void onBrokeOff(const std::string& why) override;
  void onRead(periodic::Duration length) override;
  void onTags(const Demuxer& film, AVPacket& packet) override;
  void onEnd(periodic::Duration length) override;
  void onStoreEnded() override;
  void onSeeking() override;
  void onSought(periodic::Duration start) override;

  void tell(GstStreamStatusType type);
  void setLength(periodic::Duration length);
  void postStreams();
  [[nodiscard]] bool isChosen(const char* id) const;
  void addPad(AVMediaType kind, int stream);
  static gboolean onActivate(GstPad* pad, GstObject*, GstPadMode, gboolean active);
  static void run(gpointer pad);
  void bringNext(Pad& pad);
  void bring(Pad& pad, PacketPtr packet);
  /// The event, with the number of the seek that it belongs to.
  [[nodiscard]] GstEvent* numberedLocked(GstEvent* event) const;
  void announce(Pad& pad);
  void finish(Pad& pad, GstFlowReturn flow);

  GstElement* const m_element;
  FilmCatalogue m_catalogue;
  FilmBuffering m_buffering;
  const std::shared_ptr<SubtitleFeed> m_subtitles =
      std::make_shared<SubtitleFeed>();  // shared with who draws them
  std::string m_path;
  bool m_broken = false;  // reader's thread: told so
  std::unique_ptr<FilmReader> m_reader;
  // Made in the reader's thread before the pads are, constant then.
  std::vector<std::unique_ptr<Pad>> m_pads;
  TagListPtr m_tags;
  std::atomic<bool> m_opened{false}, m_seekable{false};
  std::atomic<std::int64_t> m_length{-1};  // ns; -1 = unknown

  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  GstFlowCombiner* const m_flows;
  GstSegment m_segment{};
  guint32 m_seqnum = GST_SEQNUM_INVALID;
};

}  // namespace tactus::plugins::av
