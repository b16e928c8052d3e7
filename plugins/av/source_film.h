// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/av/film_buffering.h"
#include "plugins/av/film_catalogue.h"
#include "plugins/av/film_reader.h"
#include "plugins/av/subtitle_feed.h"
#include "plugins/gst_handle.h"
#include "plugins/thread_hooks.h"

namespace tactus::plugins::av {

/// One of the films that a `tactusavsrc` plays one after the other: its reader, and what is known of it. It
/// tells the bus of itself once it is the one that plays. Thread-safe: yes, where nothing else is said.
class SourceFilm final : private FilmReader::Listener {
 public:
  /// All called in the reader's thread, which they may keep waiting.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Its streams are known: what is wanted of them is to be taken from its store.
    virtual void onOpened(SourceFilm& film) = 0;
    /// And told, if it plays.
    virtual void onReady(SourceFilm& film) = 0;
    virtual void onRefused(SourceFilm& film) = 0;
    /// See FilmReader::Listener.
    virtual void onSeeking(SourceFilm& film) = 0;
    virtual void onSought(SourceFilm& film, periodic::Duration start) = 0;
  };

  /// `number`: it is that one of the element's films, from 1. A server may say nothing for `patience`. The
  /// hooks are for its reader's thread.
  SourceFilm(GstElement* element, guint number, const std::string& path, periodic::Duration patience,
             std::shared_ptr<SubtitleFeed> subtitles, ThreadHooks hooks, Owner& owner);
  ~SourceFilm() override { stop(); }
  SourceFilm(const SourceFilm&) = delete;
  SourceFilm& operator=(const SourceFilm&) = delete;

  void start() { m_reader.start(); }
  /// Ends its thread, and all waits for its packets.
  void stop() { m_reader.stop(); }
  /// It plays from now on: what it would have told meanwhile is told, and what it is.
  void present();

  [[nodiscard]] guint number() const noexcept { return m_number; }
  [[nodiscard]] const std::string& path() const noexcept { return m_path; }
  /// Its streams are known. acquire: what opened() guards may be read then.
  [[nodiscard]] bool opened() const noexcept { return m_opened.load(std::memory_order_acquire); }
  /// It could not be read to its end.
  [[nodiscard]] bool broken() const noexcept { return m_broken.load(kRelaxed); }
  [[nodiscard]] bool refused() const noexcept { return m_refused.load(kRelaxed); }
  [[nodiscard]] bool seekable() const noexcept { return m_seekable.load(kRelaxed); }
  /// ns; -1 = unknown.
  [[nodiscard]] std::int64_t length() const noexcept { return m_length.load(kRelaxed); }
  [[nodiscard]] bool remote() const noexcept { return m_reader.remote(); }
  [[nodiscard]] PacketStore& store() noexcept { return m_reader.store(); }
  void seek(FilmReader::Seek seek) { m_reader.seek(seek); }
  void setSpeed(double speed) noexcept { m_reader.setSpeed(speed); }
  [[nodiscard]] bool seekWaits() const { return m_reader.seekWaits(); }
  /// A pad's thread: nothing has come.
  void starve() { m_buffering.starve(m_reader.store()); }

  // Constant once it is opened.
  [[nodiscard]] const FilmCatalogue& catalogue() const noexcept { return m_catalogue; }
  [[nodiscard]] GstTagList* tags() const noexcept { return m_tags.get(); }
  /// Its subtitles; to be taken once.
  [[nodiscard]] SubtitleFeed::Film takeSubtitles() { return std::move(m_subtitles); }

  /// The stream of pictures or sound that plays; -1 without any.
  [[nodiscard]] int playing(AVMediaType kind) const noexcept { return of(kind).playing.load(kRelaxed); }
  void setPlaying(AVMediaType kind, int stream) noexcept { of(kind).playing.store(stream, kRelaxed); }

  /// Tells its streams and those of files, and which of them are chosen.
  void postStreams();
  void postChosen();
  /// The kind is not to be seen or heard.
  void setSilent(AVMediaType kind, bool silent) noexcept { of(kind).silent.store(silent, kRelaxed); }
  [[nodiscard]] bool silent(AVMediaType kind) const noexcept { return of(kind).silent.load(kRelaxed); }

 private:
  // relaxed: each says something on its own.
  static constexpr auto kRelaxed = std::memory_order_relaxed;

  std::shared_ptr<periodic::Task> onBegin() override { return m_hooks.begin ? m_hooks.begin() : nullptr; }
  void onFinish() override {
    if (m_hooks.end) m_hooks.end();
  }
  void onOpened(const Demuxer& film) override;
  void onRefused(const Error& why) override;
  void onBrokeOff(const std::string& why) override;
  void onRead(periodic::Duration length) override;
  void onTags(const Demuxer& film, AVPacket& packet) override;
  void onEnd(periodic::Duration length) override;
  void onStoreEnded() override { m_buffering.grow(m_reader.store()); }
  void onSeeking() override { m_owner.onSeeking(*this); }
  void onSought(periodic::Duration start) override { m_owner.onSought(*this, start); }

  void post(GstMessage* message);
  [[nodiscard]] bool isPresent();
  void setLength(periodic::Duration length);
  [[nodiscard]] bool isChosen(const char* id) const;
  struct Kind {
    std::atomic<int> playing{-1};
    std::atomic<bool> silent{false};
  };
  [[nodiscard]] Kind& of(AVMediaType kind) noexcept {
    return kind == AVMEDIA_TYPE_VIDEO ? m_pictures : m_sound;
  }
  [[nodiscard]] const Kind& of(AVMediaType kind) const noexcept {
    return kind == AVMEDIA_TYPE_VIDEO ? m_pictures : m_sound;
  }

  GstElement* const m_element;
  const guint m_number;
  const std::string m_path;
  const std::shared_ptr<SubtitleFeed> m_feed;  // shared with who draws them
  const ThreadHooks m_hooks;
  Owner& m_owner;
  FilmCatalogue m_catalogue;
  FilmBuffering m_buffering;
  FilmReader m_reader;
  TagListPtr m_tags;
  SubtitleFeed::Film m_subtitles;
  std::atomic<bool> m_broken{false}, m_opened{false}, m_refused{false}, m_seekable{false};
  std::atomic<std::int64_t> m_length{-1};
  Kind m_pictures, m_sound;

  periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  bool m_present = false;
  std::vector<MessagePtr> m_untold;  // until it is
};

}  // namespace tactus::plugins::av
