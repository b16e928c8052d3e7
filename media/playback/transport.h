// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "media/playback/announcements.h"
#include "media/playback/pipeline.h"
#include "media/playback/playback_state.h"
#include "media/playback/seek_queue.h"

namespace tactus::media {

/// Steers the present pipeline: PlaybackState and SeekQueue with locks around them, and nobody else changes
/// its state or seeks in it. Each change of the state shown is announced. Thread-safe: yes. Real-time-safe:
/// no.
class Transport {
 public:
  explicit Transport(Announcements& announcements) noexcept : m_announcements(announcements) {}

  /// Held across changes of a pipeline's state and seeks, which take time. Taken before any other lock of the
  /// player, and never by a streaming thread: a state change waits for these.
  class Control {
    friend class Transport;
    explicit Control(std::mutex& mutex) : m_lock(mutex) {}
    const std::unique_lock<std::mutex> m_lock;
  };
  [[nodiscard]] Control control() { return Control(m_control); }

  // The pipeline's life.
  /// A new item from `at` on, at normal speed; its pipeline starts next.
  void open(const Control&, PlaybackState::Wish wish, Duration at);
  /// Starts it; true if it is live: it has no first picture to stand on.
  bool start(const Control&, std::shared_ptr<Pipeline> pipeline);
  /// The next item's pipeline starts, as the present one has ended.
  void follow(const Control&, std::shared_ptr<Pipeline> next);
  /// Takes the pipeline away for another one of the same item, which will start at `at`, or where the user
  /// wanted to go.
  [[nodiscard]] std::shared_ptr<Pipeline> release(const Control&, Duration at);
  /// Takes it away for good.
  [[nodiscard]] std::shared_ptr<Pipeline> stop(const Control&);
  [[nodiscard]] std::shared_ptr<Pipeline> current() const;
  /// Blocks until there is one; null after quit().
  [[nodiscard]] std::shared_ptr<Pipeline> waitForPipeline();
  void quit();

  // The user's wishes. `duration` is the item's, if known.
  void want(PlaybackState::Wish wish);
  void toggle();
  /// Who shares the machine lets it play, or holds it.
  void permit(bool permitted);
  void seek(SeekQueue::Seek seek);
  /// Offsets that come faster than seeks are done add up.
  void seekBy(Duration offset, SeekMode mode, std::optional<Duration> duration);
  void setSpeed(double speed, std::optional<Duration> duration);
  void stepForward();
  void stepBackward();

  // What the pipeline says; nothing happens if it is no longer the present one.
  void onPrerolled(const std::shared_ptr<Pipeline>& from);
  void onFilled(const std::shared_ptr<Pipeline>& from, int percent);
  void onPlaying(const std::shared_ptr<Pipeline>& from);
  void onClockLost(const std::shared_ptr<Pipeline>& from);
  /// False if it is no longer the present one.
  bool onEnded(const std::shared_ptr<Pipeline>& from);
  /// False if it has failed before, or was stopped or replaced.
  bool onFailed(const std::shared_ptr<Pipeline>& from);

  [[nodiscard]] PlayState state() const;
  [[nodiscard]] double speed() const;
  [[nodiscard]] Duration position(std::optional<Duration> duration) const;
  /// Whether the present pipeline has had something ready to show or sound.
  [[nodiscard]] bool opened() const;

 private:
  void issueSeek(const Control&);
  /// Changes the state and drives the pipeline as the change says.
  template <typename Change>
  void changeAndDrive(Change change);
  static void drive(Pipeline& pipeline, const PlaybackState::Drive& drive, double speed);
  /// Changes the state and announces what is shown then.
  template <typename Change>
  auto changeLocked(Change change);

  Announcements& m_announcements;
  std::mutex m_control;
  mutable std::mutex m_mutex;            // guards what follows, for moments
  std::shared_ptr<Pipeline> m_pipeline;  // shared with the bus thread while it handles a message
  PlaybackState m_state;
  SeekQueue m_seeks;
  double m_speed = 1;
  bool m_quit = false;
  std::condition_variable m_changed;  // a pipeline has started, or m_quit
};

}  // namespace tactus::media
