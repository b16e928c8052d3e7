// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/base/gstflowcombiner.h>
#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/av/source_film.h"
#include "plugins/av/subtitle_feed.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"
#include "plugins/thread_hooks.h"

namespace tactus::plugins::av {

/// What `tactusavsrc` is made of: a film, and a pad with a thread for pictures and for sound, which takes
/// their packets; at their end those of the film that is to follow. The element's functions call it; the
/// readers' threads and the pads' threads call it too.
class FilmSource final : private SourceFilm::Owner {
 public:
  explicit FilmSource(GstElement* element);
  ~FilmSource() override;
  FilmSource(const FilmSource&) = delete;
  FilmSource& operator=(const FilmSource&) = delete;

  /// What the readers' threads call. Before start().
  void setReaderHooks(ThreadHooks hooks) { m_hooks = std::move(hooks); }
  /// The first film begins there, where it can be sought in. Before start().
  void beginAt(periodic::Duration position) { m_begin = position; }
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

  // One film after the other. Any thread.
  /// From now on who plays it answers each "tactus-read-to-end" message by follow(); pads wait for it.
  void askWhatFollows();
  /// Opens what follows the film, with the subtitle files beside it. Its packets go on where the film's end,
  /// if it has pictures where that has and sound where that has. Empty = nothing. False if what was to follow
  /// does already, or the film is not open.
  bool follow(const std::string& path, periodic::Duration patience, std::vector<SubtitleFile> files);
  /// The last of the film has passed the sinks: what follows is the film from now on. False if a seek back
  /// was quicker. Real-time-safe: no, once a film.
  [[nodiscard]] bool goOn();
  /// After goOn(), in a thread that may wait: the film that is over is closed, the other one is told of.
  void closePast();

 private:
  using FilmPtr = std::shared_ptr<SourceFilm>;  // shared: a pad may be behind or ahead of the others

  struct Pad {
    FilmSource* source = nullptr;
    GstPad* pad = nullptr;  // the element owns it
    AVMediaType kind = AVMEDIA_TYPE_UNKNOWN;
    std::atomic<bool> newSegment{false}, unwanted{false};
    // The pad's thread only, or whoever has stopped it.
    FilmPtr film;
    int announced = -1;
    std::int64_t begin = 0;  // of the segment announced, in ns
    bool discont = true, goesOn = false;
    bool awaitsKeyframe = false;
  };
  enum class Joint { Undecided, Closed, Open };  // between the film and what follows

  void onOpened(SourceFilm& film) override;
  void onReady(SourceFilm& film) override;
  void onRefused(SourceFilm&) override { m_changed.signal(); }
  void onSeeking(SourceFilm& film) override;
  void onSought(SourceFilm& film, periodic::Duration start) override;

  [[nodiscard]] FilmPtr makeLocked(const std::string& path, periodic::Duration patience);
  [[nodiscard]] FilmPtr film() const;
  /// As sought before anything was shown; false where the film begins at its beginning.
  [[nodiscard]] bool beginsElsewhere(SourceFilm& film);
  void addPad(AVMediaType kind, const FilmPtr& film);
  static gboolean onActivate(GstPad* pad, GstObject*, GstPadMode, gboolean active);
  static void run(gpointer pad);
  void bringNext(Pad& pad);
  void bring(Pad& pad, PacketPtr packet);
  /// The event, with the number of the seek that it belongs to.
  [[nodiscard]] static GstEvent* numbered(GstEvent* event, guint32 seqnum);
  void announce(Pad& pad);
  [[nodiscard]] bool goOnWith(Pad& pad);
  [[nodiscard]] bool awaitNext(const Pad& pad);
  void decideLocked();
  void end(Pad& pad);
  void finish(Pad& pad, GstFlowReturn flow);

  GstElement* const m_element;
  ThreadHooks m_hooks;            // constant once it has started
  periodic::Duration m_begin{0};  // the same
  const std::shared_ptr<SubtitleFeed> m_subtitles =
      std::make_shared<SubtitleFeed>();  // shared with who draws them
  // Made in the first film's reader's thread before its packets are taken, constant then.
  std::vector<std::unique_ptr<Pad>> m_pads;

  // Held while pads are flushed, which waits for threads downstream; before m_mutex, and never by those.
  periodic::PriorityInheritanceMutex m_flushing;
  bool m_flushed = false;                              // the pads; under m_flushing
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  FilmPtr m_film, m_next, m_past;
  std::vector<SubtitleFile> m_nextFiles;
  guint m_films = 0;                        // made so far
  bool m_asks = false, m_answered = false;  // what follows
  bool m_seeking = false, m_halted = false;
  Joint m_joint = Joint::Undecided;
  EventDescriptor m_changed;  // the answer, or whether what follows is open; or a seek, or the halt
  GstFlowCombiner* const m_flows;
  GstSegment m_segment{}, m_nextSegment{};
  periodic::Duration m_end{0};  // of the film, where the joint is
  guint32 m_seqnum = GST_SEQNUM_INVALID;
};

}  // namespace tactus::plugins::av
