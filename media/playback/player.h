// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/task/scheduler.h"
#include "media/sharing/governed_stream.h"
#include "media/stage/film_tap.h"
#include "media/stage/picture_queue.h"
#include "plugins/av/hardware_wish.h"
#include "plugins/video_sink.h"
#include "plugins/video_target.h"

namespace tactus::media {

using periodic::Duration;

/// Buffering: it would play, but too little of the stream is there. Held: it would play, but there is no room
/// for it beside the others.
enum class PlayState { Idle, Opening, Paused, Playing, Buffering, Held, Ended, Failed };
enum class SeekMode { Fast, Exact };  ///< nearest keyframe / the very frame
enum class TrackKind { Video, Audio, Subtitle };

struct Track {
  int index = 0;         ///< among its kind, 0-based
  std::string title;     ///< from the tags, may be empty
  std::string language;  ///< ISO 639 code, may be empty
  std::string codec;     ///< human-readable, may be empty
  bool selected = false;
  bool second = false;  ///< subtitles that are shown above, beside those selected
};

struct Chapter {
  std::string title;
  Duration start{0};
};

/// How subtitles are shown.
struct SubtitleSettings {
  Duration delay{0};  ///< later than their stream says; negative: earlier
  bool visible = true;
  double scale = 1;   ///< of the text's size, [0.25, 4]
  double raised = 0;  ///< above their place, in heights of the picture, [0, 1]
  friend bool operator==(const SubtitleSettings&, const SubtitleSettings&) = default;
};

/// What plays, as far as it is known by now.
struct MediaInfo {
  std::string uri;
  std::string title;                 ///< tag, else the file's name
  std::optional<Duration> duration;  ///< absent: live or unknown
  bool seekable = false;
  bool live = false;
  bool hasVideo = false;
  bool hasAudio = false;
  int width = 0, height = 0;  ///< upright, square pixels
  double frameRate = 0;       ///< nominal; 0 = variable or unknown
  std::vector<Track> video, audio, subtitles;
  std::vector<Chapter> chapters;
  std::shared_ptr<const std::vector<std::uint8_t>> cover;  ///< encoded image; shared: immutable, many readers
};

/// Where the time between open() and the first picture went; absent until known. Each counts from open().
struct StartTimes {
  std::optional<Duration> typeFound, decoderReady, firstDecoded, firstShown;
};

/// Everything the stats overlay and the report show of one player. All counts since open().
struct PlayerStatistics {
  std::string engine;           ///< "av" or "playbin3"
  std::string device;           ///< that decodes pictures, "vaapi" or "cuda"; empty: software
  std::string whyNoDevice;      ///< although one is wished, in sentences
  double nominalRate = 0;       ///< frames per second, 0 = unknown
  double presentedRate = 0;     ///< over the last 2 s
  std::uint64_t decoded = 0;    ///< pictures out of the decoder
  std::uint64_t presented = 0;  ///< taken by the renderer
  std::array<std::uint64_t, static_cast<std::size_t>(plugins::DropReason::Count_)> dropped{};
  std::vector<periodic::TaskReport> stages;  ///< this player's tasks
  bool audioConnected = false;
  std::string audioReason;
  std::uint64_t audioUnderruns = 0;
  StartTimes start;
  std::array<std::uint64_t, static_cast<std::size_t>(plugins::ScaleQuality::Count_)>
      scaled{};              ///< fast, good, best
  std::uint64_t memory = 0;  ///< bytes that its pictures were promised
  QueueSize queue;           ///< of decoded pictures, by the decoder's LBAP and delay bounds
};

/// Called by one thread at a time, the player's bus thread or one that calls a method of the player (never a
/// real-time one), with no lock held; may call the player. Must not throw; must not call ~Player.
class PlayerListener {
 public:
  virtual ~PlayerListener() = default;
  virtual void onState(PlayState state) = 0;
  virtual void onInfo(const MediaInfo& info) = 0;  ///< again on every change
  virtual void onBuffering(int percent) = 0;
  virtual void onError(const Error& error) = 0;             ///< playback stopped; one sentence
  virtual void onWarning(const std::string& sentence) = 0;  ///< playback goes on
  virtual void onNextItem(const std::string& uri) = 0;      ///< gapless change has happened
  virtual void onEnded() = 0;
};

struct PlayerConfig {
  std::string audioTarget;  ///< PipeWire node name, empty = default
  bool audio = true;        ///< false: no sound at all (--no-audio)
  bool video = true;
  std::string label;  ///< prefix of the task names when there are several players
  /// What all its pipelines follow; null = the sound device's, else the system's.
  std::shared_ptr<GstClock> clock;
  plugins::av::HardwareWish hardware = plugins::av::HardwareWish::None;  ///< what may decode
  int maxDecoderThreads = 0;                           ///< 0 = chosen from the picture size and the CPU count
  Duration networkTimeout = std::chrono::seconds(10);  ///< a server that says nothing for so long has stalled
};

/// A film (or stream) under the scheduler: with our own reader and decoders, or playbin for what comes over a
/// network, every streaming thread a task of its stage and a gate before each decoder. All methods are
/// thread-safe, none is real-time-safe. Opening and seeking go on asynchronously; no method blocks for longer
/// than a pipeline's change of state.
class Player final : public GovernedStream {
 public:
  /// `scheduler` must outlive the player. The target is shared with the streaming thread. The listener must
  /// outlive the player.
  [[nodiscard]] static Result<std::unique_ptr<Player>> create(PlayerConfig config,
                                                              periodic::Scheduler& scheduler,
                                                              std::shared_ptr<plugins::VideoTarget> target,
                                                              PlayerListener& listener);
  ~Player() override;
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Opens a URI or a path (relative allowed, "-" = stdin) and starts playing at `at`, or stays paused on the
  /// frame there. A missing file, directory, empty or unreadable file is refused here; what only shows later
  /// goes to onError().
  [[nodiscard]] Result<void> open(const std::string& uriOrPath, bool paused = false, Duration at = {});
  void stop();
  void play();
  void pause();
  void togglePause();
  /// Position in the stream; clamped to [0, duration].
  void seek(Duration position, SeekMode mode);
  void seekBy(Duration offset, SeekMode mode);
  void stepForward();  ///< one frame; pauses first
  void stepBackward();
  void setSpeed(double speed);    ///< 0.25 ... 4, clamped; pitch is kept
  void setVolume(double volume);  ///< 0 ... 1.3, cubic scale as in the desktop's mixers
  void setMuted(bool muted);
  /// Which devices may decode pictures, from the next keyframe on.
  void setHardware(plugins::av::HardwareWish wish);
  void selectTrack(TrackKind kind, int index);  ///< -1 = none
  /// Subtitles shown at the top beside those selected; -1 = none. Not of adaptive streams.
  void selectSecondSubtitles(int index);
  /// A subtitle file (SRT, ASS, WebVTT, ...) more, which is shown. An adaptive stream does not list it.
  [[nodiscard]] Result<void> addSubtitles(const std::string& path);
  /// Hold for later items too. Size and place do not hold for an adaptive stream's own subtitles.
  void setSubtitleDelay(Duration delay);
  void setSubtitlesVisible(bool visible);
  void setSubtitleScale(double scale);    ///< clamped
  void setSubtitlesRaised(double share);  ///< clamped
  [[nodiscard]] SubtitleSettings subtitleSettings() const;
  /// Plays right after the present item without a gap; empty = nothing.
  void setNext(const std::string& uriOrPath);

  [[nodiscard]] PlayState state() const;
  [[nodiscard]] MediaInfo info() const;
  [[nodiscard]] Duration position() const;
  [[nodiscard]] double speed() const;
  [[nodiscard]] double volume() const;
  [[nodiscard]] bool muted() const;
  [[nodiscard]] plugins::av::HardwareWish hardware() const;
  [[nodiscard]] PlayerStatistics statistics() const;
  /// From the next picture on. Sound is never thinned out.
  void setThinning(Thinning thinning) override;
  [[nodiscard]] Thinning thinning() const;
  /// At once.
  void setService(StreamService service) override;
  void setHeld(bool held) override;
  [[nodiscard]] LoadFigures load() const override;
  /// The picture shown last, in its own size, upright. Unavailable before the first.
  [[nodiscard]] Result<plugins::Rgb32Picture> snapshot() const;
  /// What it shows and sounds, whatever it plays, for as long as it is there: for who shares its window.
  [[nodiscard]] std::shared_ptr<FilmTap> tap() const;

 private:
  struct Body;
  explicit Player(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> m_body;
};

}  // namespace tactus::media
