// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/periodic/kernel/kernel_class.h"
#include "media/playback/player.h"
#include "media/playback/test_films.h"
#include "plugins/cranked_clock.h"

namespace tactus::media::testing {

using namespace std::chrono_literals;

/// Time allowed for what should be quick; generous, since the machine may be busy.
inline constexpr auto kPatience = std::chrono::seconds(60);

/// Everything a player said.
class Recorder final : public PlayerListener {
 public:
  void onState(PlayState state) override;
  void onInfo(const MediaInfo& info) override;
  void onBuffering(int percent) override;
  void onError(const Error& error) override;
  void onWarning(const std::string& sentence) override;
  void onNextItem(const std::string& uri) override;
  void onEnded() override;

  /// Whether it came true in time.
  [[nodiscard]] bool waitFor(const std::function<bool(const Recorder&)>& condition,
                             Duration patience = kPatience);
  [[nodiscard]] bool waitForState(PlayState state, Duration patience = kPatience);
  void forgetStates();

  // Read them in waitFor(), or once nothing plays.
  std::vector<PlayState> states;
  std::vector<MediaInfo> infos;
  std::vector<Error> errors;
  std::vector<std::string> warnings, nextItems;
  int ended = 0;

 private:
  void note(const std::function<void()>& change);
  std::mutex m_mutex;
  std::condition_variable m_changed;
};

/// A screen that keeps the pixels of the picture it is shown.
class PixelScreen : public plugins::VideoTarget {
 public:
  bool wantsRgb32() const noexcept override { return true; }
  void format(const plugins::PictureFormat& picture, const GstVideoInfo&) override;
  plugins::Rgb32View beginRgb32() noexcept override;
  bool presentPlanar(GstBuffer*, periodic::TimePoint) noexcept override { return false; }
  void clear() noexcept override {}

 protected:
  /// Of the pixel, while m_mutex is held.
  [[nodiscard]] int greenLocked(int x, int y) const;

  mutable std::mutex m_mutex;  // guards what follows, and what readers have read
  plugins::Rgb32View m_view;
  std::vector<std::uint8_t> m_pixels;
};

/// A screen that reads the numbers of numberedFilm() off its pictures, and the time at which they come.
class NumberReader final : public PixelScreen {
 public:
  struct Seen {
    int number;
    periodic::Duration at;
    bool operator==(const Seen&) const = default;
  };
  explicit NumberReader(periodic::TimeSource& time) : m_time(time) {}
  bool presentRgb32(periodic::TimePoint due) noexcept override;
  std::uint64_t shown() const noexcept override;

  [[nodiscard]] std::vector<Seen> seen() const;
  [[nodiscard]] std::vector<int> numbers() const;
  [[nodiscard]] int last() const;
  [[nodiscard]] std::pair<int, int> size() const;
  /// Whether a picture of this number came in time; only those count that came after the one last waited for.
  [[nodiscard]] bool waitForNumber(int number, Duration patience = kPatience) const;
  void forget();
  /// The next picture stays in the hand that brings it, and its film stands, until the reader is released.
  void grab();
  void release();

 private:
  periodic::TimeSource& m_time;
  mutable std::condition_variable m_changed;
  bool m_grabs = false;
  std::vector<Seen> m_seen;
  mutable std::size_t m_read = 0;  // pictures that waitForNumber() has been through
  std::uint64_t m_shown = 0;
};

[[nodiscard]] std::vector<int> fromTo(int first, int end);
[[nodiscard]] inline std::vector<int> upTo(int count) {
  return fromTo(0, count);
}

/// What is seen of a film's first `pictures` where nothing is late: the first at `from`, each other
/// `distance` after the one before.
[[nodiscard]] std::vector<NumberReader::Seen> onTime(int pictures, Duration distance = 40ms,
                                                     Duration from = {});

/// Plays in a time of its own, without sound: pictures come at exact instants, and a film lasts as long as
/// its decoding. With `Real`, and `settings` to match, time and sound are the machine's.
class PlayerTest : public ::testing::Test {
 protected:
  enum class Time { Cranked, Real };
  explicit PlayerTest(Time time = Time::Cranked);
  /// With `settings`; once a test.
  void create();
  void createFor(std::shared_ptr<plugins::VideoTarget> target, PlayerListener& listener);
  /// Of the film that is opened next, or that a seek will begin anew: the clock stands at the instant of the
  /// picture after so many, at 25 a second.
  void holdAfter(int pictures) { clock.holdAt(clock.reading() + pictures * 40ms); }
  /// Opens and waits until it plays (or stands on its first picture).
  void open(const std::filesystem::path& path, bool paused = false);
  [[nodiscard]] bool ended(Duration patience = kPatience) {
    return recorder.waitFor([](const Recorder& told) { return told.ended > 0 || !told.errors.empty(); },
                            patience) &&
           recorder.errors.empty();
  }
  /// The error that it ends with; empty message if it does not.
  [[nodiscard]] Error failure(const std::string& uriOrPath, Duration patience = kPatience);
  [[nodiscard]] static bool eventually(const std::function<bool()>& condition, Duration patience = kPatience);

  periodic::KernelTime kernelTime;
  plugins::testing::CrankedClock clock;
  PlayerConfig settings;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate;
  std::unique_ptr<periodic::Scheduler> scheduler;
  Recorder recorder;
  std::shared_ptr<NumberReader> screen;  // shared with the player
  std::unique_ptr<Player> player;
};

}  // namespace tactus::media::testing
