// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to media: what stands behind Player.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "media/playback/pipeline.h"
#include "media/playback/player.h"
#include "media/playback/subtitle_file.h"
#include "media/playback/tracks.h"

namespace tactus::media {

/// playbin for everything but adaptive streaming: over 200 films with random bytes flipped, playbin3 1.22
/// crashed twice when stopped and stalled on 14, playbin did neither; playbin3 is the better one on HLS and
/// DASH and falls back on playbin.
[[nodiscard]] std::string engineFor(const std::string& uri);

struct Player::Body {
  Body(PlayerConfig settings, periodic::Scheduler& table, std::shared_ptr<plugins::VideoTarget> pictures,
       PlayerListener& observer)
      : config(std::move(settings)), scheduler(table), target(std::move(pictures)), listener(observer) {}

  const PlayerConfig config;
  periodic::Scheduler& scheduler;
  const std::shared_ptr<plugins::VideoTarget> target;  // shared with the sink's streaming thread
  PlayerListener& listener;

  std::mutex control;  // held across state changes and seeks; taken before `mutex`, never after it
  std::mutex mutex;    // guards everything below; held for moments, never while the listener is called
  std::condition_variable wake;
  bool quit = false;
  std::shared_ptr<Pipeline> pipeline;  // shared with the bus thread while it handles a message
  PlayState state = PlayState::Idle;
  MediaInfo info;
  TrackList tracks;
  bool wantsPlaying = true;
  bool buffering = false;
  bool prerolled = false;
  bool fellBack = false;  ///< the other engine has had its try
  double speed = 1, volume = 1;
  bool muted = false;
  Thinning thinning;
  std::uint64_t film = 0;  // counts those opened
  StreamService service;
  std::vector<std::string> subtitlePaths;
  std::string subtitles;                     ///< URI of the external subtitles
  std::optional<SubtitleFile> subtitleFile;  ///< behind `subtitles`, if they are local; guarded by `control`
  std::string next;
  std::shared_ptr<Pipeline> upcoming;  ///< guarded by `control`: the next item, prerolled and hidden
  std::string switchingTo;             ///< URI handed to about-to-finish, until its stream starts
  std::string missing;                 ///< description of a missing decoder
  std::optional<Duration> startAt;     ///< seek once prerolled
  struct Seek {
    Duration position;
    SeekMode mode;
  };
  std::optional<Seek> pendingSeek;
  bool seeking = false;
  Duration seekTarget{0};
  periodic::TimePoint lastProgress{};
  std::uint64_t shownAtOpen = 0;
  std::uint64_t lateAtDecoder = 0, decodeErrors = 0;
  struct Sample {
    periodic::TimePoint at;
    std::uint64_t shown;
  };
  std::deque<Sample> samples;
  std::thread busThread;

  [[nodiscard]] std::shared_ptr<Pipeline> current();
  /// With `control` held.
  Result<void> startPipelineControlled(const std::string& uri, const std::string& engine);
  Result<std::shared_ptr<Pipeline>> createPipelineControlled(const std::string& uri,
                                                             const std::string& engine, bool hidden);
  /// Prerolls what was named by setNext(), so that it can follow at once.
  void prepareNextControlled();
  void dropUpcomingControlled();
  void setWanted(bool playing);
  void requestSeek(Duration position, SeekMode mode);
  void issueSeek();
  void applyVolumeLocked(const Pipeline& to) const;
  void beginItemLocked(const std::string& uri);
  void refreshTracksLocked();
  [[nodiscard]] double presentedRateLocked(std::uint64_t shown) const;

  // Bus thread.
  void runBus();
  void handle(const std::shared_ptr<Pipeline>& from, GstMessage* message);
  void onError(const std::shared_ptr<Pipeline>& from, GstMessage* message);
  void onWarning(GstMessage* message);
  void onAsyncDone(const std::shared_ptr<Pipeline>& from);
  void onBuffering(const std::shared_ptr<Pipeline>& from, GstMessage* message);
  void onTag(GstMessage* message);
  void onEos(const std::shared_ptr<Pipeline>& from);
  bool goOnWithNext(const std::shared_ptr<Pipeline>& from);
  void onStreamStart(const std::shared_ptr<Pipeline>& from);
  void onElementMessage(GstMessage* message);
  void checkProgress(const std::shared_ptr<Pipeline>& from);
  void changeState(PlayState to);
  void updateInfo(const std::shared_ptr<Pipeline>& from);
  bool fallBack(const std::shared_ptr<Pipeline>& from, const Error& error);
};

}  // namespace tactus::media
