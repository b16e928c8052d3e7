// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/time/time.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::media {

/// What a film shows and sounds at present, for others than its own window and loudspeakers. It lasts as long
/// as somebody holds it; its film may go before. Thread-safe: yes.
class FilmTap {
 public:
  /// A piece of sound, as it goes to the device.
  struct Sound {
    plugins::BufferPtr samples;
    plugins::CapsPtr format;
    periodic::TimePoint due;  ///< to be heard
  };
  class Source;
  class Taker;

  FilmTap() = default;
  FilmTap(const FilmTap&) = delete;
  FilmTap& operator=(const FilmTap&) = delete;

  /// The film is gone for good. Real-time-safe: yes.
  void end() noexcept { m_ended.store(true, std::memory_order_release); }
  [[nodiscard]] bool hasEnded() const noexcept { return m_ended.load(std::memory_order_acquire); }

 private:
  void add(Taker& taker);
  void remove(Taker& taker);
  void shown() noexcept;
  void give(const Sound& sound) noexcept;
  void forget() noexcept;
  [[nodiscard]] plugins::ShownPicture picture() const;

  // The display thread and the one that feeds the device take it once a picture and a buffer.
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  std::vector<Taker*> m_takers;
  plugins::ElementPtr m_videoSink;  // null: nothing is open

  std::atomic<int> m_listening{0};  // takers; relaxed: who comes hears what follows
  std::atomic<bool> m_ended{false};
};

/// The sinks of a film, as long as it is open.
class FilmTap::Source {
 public:
  /// Tells the tap what the sinks get, before data flows.
  Source(std::shared_ptr<FilmTap> tap, GstElement* videoSink, GstElement* audioSink,
         periodic::TimeSource& time);
  /// The sinks must be at state NULL.
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Another picture is shown. On the display thread. Real-time-safe: yes.
  void shown() noexcept { m_tap->shown(); }

 private:
  static GstPadProbeReturn onSound(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  void take(GstPad* pad, GstBuffer* buffer);

  const std::shared_ptr<FilmTap> m_tap;  // shared with who takes
  const plugins::ElementPtr m_videoSink, m_audioSink;
  const plugins::PadPtr m_pad;
  periodic::TimeSource& m_time;
  gulong m_probe = 0;
  GstSegment m_segment{};  // of the thread that feeds the device
};

/// One who takes pictures, or sound, from a tap. For one thread; stop() for any. Real-time-safe: no.
class FilmTap::Taker {
 public:
  enum class Of { Pictures, Sound };
  Taker(std::shared_ptr<FilmTap> tap, Of what);
  ~Taker();
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;

  /// Waits until another picture is shown, `longest` at most; what is shown then. Without a sample: nothing.
  [[nodiscard]] plugins::ShownPicture picture(periodic::Duration longest);
  /// Waits until a piece of sound is due, `longest` at most. Without samples: none was.
  [[nodiscard]] Sound sound(periodic::Duration longest);
  /// Waits end and stay ended. Thread-safe: yes. Real-time-safe: yes.
  void stop() noexcept;
  [[nodiscard]] bool stopped() const noexcept { return m_stopped.load(std::memory_order_acquire); }
  [[nodiscard]] const FilmTap& tap() const noexcept { return *m_tap; }

 private:
  friend class FilmTap;
  static constexpr std::size_t kMost = 256;  // pieces that wait: several times what a device is ahead
  void put(const Sound& sound) noexcept;
  [[nodiscard]] Sound takeFirst() noexcept;
  [[nodiscard]] bool takeDue(periodic::TimePoint now, Sound& sound, periodic::TimePoint& next);

  const std::shared_ptr<FilmTap> m_tap;  // shared with the film
  const Of m_what;
  plugins::EventDescriptor m_wake;
  std::atomic<bool> m_stopped{false};
  std::atomic<bool> m_news{false};
  // Guarded by the tap's mutex: a ring.
  std::array<Sound, kMost> m_sounds;
  std::size_t m_first = 0, m_count = 0;
};

}  // namespace tactus::media
