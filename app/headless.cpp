// SPDX-License-Identifier: Apache-2.0
#include "app/headless.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "media/playback/player.h"
#include "media/playback/virtual_display.h"
#include "media/sharing/load_governor.h"

namespace tactus::app {
namespace {

using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

/// Gathers what the player says and wakes the main thread.
class Listener final : public media::PlayerListener {
 public:
  explicit Listener(Runtime& runtime) : m_runtime(runtime), m_wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Listener() override { close(m_wake); }

  void onState(media::PlayState state) override {
    if (state == media::PlayState::Playing) m_started.store(true, std::memory_order_relaxed);
  }
  void onInfo(const media::MediaInfo&) override {}
  void onBuffering(int) override {}
  void onError(const Error& error) override { finish(error); }
  void onWarning(const std::string& sentence) override { m_runtime.note(sentence); }
  void onNextItem(const std::string&) override {}
  void onEnded() override { finish({}); }

  [[nodiscard]] int descriptor() const noexcept { return m_wake; }
  [[nodiscard]] bool started() const noexcept { return m_started.load(std::memory_order_relaxed); }
  struct End {
    std::optional<Error> error;
  };
  [[nodiscard]] std::optional<End> takeEnd() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_end, std::nullopt);
  }
  void forget() {
    m_started.store(false, std::memory_order_relaxed);
    (void)takeEnd();
    std::uint64_t count = 0;
    (void)!read(m_wake, &count, sizeof count);
  }

 private:
  void finish(std::optional<Error> error) {
    {
      const std::lock_guard lock(m_mutex);
      if (!m_end) m_end = End{std::move(error)};
    }
    const std::uint64_t one = 1;
    (void)!write(m_wake, &one, sizeof one);  // cannot fail: the counter never comes near its limit
  }

  Runtime& m_runtime;
  int m_wake;
  std::atomic<bool> m_started{false};
  std::mutex m_mutex;
  std::optional<End> m_end;
};

enum class Waited { Ended, TimeUp, Signal };

/// For poll(), in ms; -1 = for ever. Nothing once the time is up.
std::optional<int> timeoutUntil(std::optional<TimePoint> until) {
  if (!until) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - MonotonicClock::now()).count();
  if (left <= 0) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>(left, 1'000'000));
}

Waited waitForEnd(const Listener& listener, int signals, std::optional<TimePoint> until) {
  for (;;) {
    const auto timeout = timeoutUntil(until);
    if (!timeout) return Waited::TimeUp;
    pollfd waits[2] = {{listener.descriptor(), POLLIN, 0}, {signals, POLLIN, 0}};
    const int ready = poll(waits, 2, *timeout);
    if (ready < 0 && errno != EINTR) return Waited::Ended;
    if (ready <= 0) continue;
    if (waits[1].revents != 0) return Waited::Signal;
    if (waits[0].revents != 0) return Waited::Ended;
  }
}

void prepare(media::Player& player, const Options& options, Runtime& runtime) {
  player.setVolume(options.volume);
  player.setMuted(options.muted);
  if (options.speed != 1.0) player.setSpeed(options.speed);
  for (const auto& file : options.subtitles) {
    if (const auto added = player.addSubtitles(file); !added) runtime.note(added.error().message);
  }
  if (options.start > 0) {
    player.seek(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(options.start)),
                media::SeekMode::Exact);
  }
}

ExitCode worse(ExitCode one, ExitCode other) {
  const auto rank = [](ExitCode code) {
    switch (code) {
      case ExitCode::Played:
        return 0;
      case ExitCode::PlayedWithViolations:
        return 1;
      case ExitCode::BrokeOff:
        return 2;
      case ExitCode::CannotOpen:
        return 3;
      default:
        return 4;
    }
  };
  return rank(one) >= rank(other) ? one : other;
}

constexpr int kLookForRefusals = 200;  // ms
/// A source that does not get going holds up those after it for so long.
constexpr Duration kLongestOpening = std::chrono::seconds(6);

/// A film of several that play at once.
struct Tile {
  const TileOption* option = nullptr;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<media::Player> player;
  std::uint64_t window = 0;
  TimePoint opened{};
  PlayedItem played;
  ExitCode outcome = ExitCode::Played;
  bool ended = false;
};

/// What the tile shows when it comes to its end; it gives its place to the others.
void endTile(Tile& tile, Runtime& runtime, TimePoint begin, std::string outcome) {
  tile.ended = true;
  tile.played.outcome = std::move(outcome);
  if (tile.player) {
    tile.played.info = tile.player->info();
    tile.played.statistics = tile.player->statistics();
  }
  if (tile.played.info.uri.empty()) tile.played.info.uri = tile.option->item;
  tile.played.played = MonotonicClock::now() - begin;
  if (!tile.played.window) tile.played.window = runtime.governor().window(tile.window);
  runtime.governor().remove(tile.window);
  if (tile.player) tile.player->stop();
  if (tile.outcome == ExitCode::Played && violationsOf(tile.played) > 0)
    tile.outcome = ExitCode::PlayedWithViolations;
}

void failTile(Tile& tile, Runtime& runtime, TimePoint begin, const Error& error, ExitCode outcome) {
  runtime.note(error.message);
  tile.outcome = outcome;
  endTile(tile, runtime, begin, error.message);
}

void openTile(Tile& tile, const Options& options, Runtime& runtime, TimePoint begin) {
  media::WindowTerms terms = tile.option->terms;
  terms.name = tile.option->name();
  tile.listener = std::make_unique<Listener>(runtime);
  media::PlayerConfig config = playerConfig(options);
  config.label = terms.name;
  auto player =
      media::Player::create(config, runtime.scheduler(), media::createVirtualDisplay(), *tile.listener);
  if (!player) return failTile(tile, runtime, begin, player.error(), ExitCode::InternalError);
  tile.player = std::move(player).value();
  if (options.shedding) {
    using Entry = media::LoadGovernor::Entry;
    auto window = runtime.governor().add(*tile.player, std::move(terms),
                                         options.strict ? Entry::Asks : Entry::Admitted);
    if (!window) return failTile(tile, runtime, begin, window.error(), ExitCode::Usage);
    tile.window = window.value();
  } else {
    tile.player->setService({.cpus = terms.cpus});
  }
  if (const auto opened = tile.player->open(tile.option->item); !opened)
    return failTile(tile, runtime, begin, opened.error(), ExitCode::CannotOpen);
  prepare(*tile.player, options, runtime);
}

ExitCode runTiles(const Options& options, Runtime& runtime, int signals) {
  const TimePoint begin = MonotonicClock::now();
  std::optional<TimePoint> until;
  if (options.duration) until = begin + *options.duration;
  std::vector<Tile> tiles(options.tiles.size());
  std::size_t opened = 0;
  const auto openNext = [&] {
    tiles[opened].option = &options.tiles[opened];
    tiles[opened].opened = MonotonicClock::now();
    openTile(tiles[opened], options, runtime, begin);
    ++opened;
  };
  // One after the other where each must fit beside those before it: what these take has to be known.
  const auto mayOpen = [&] {
    if (opened == tiles.size()) return false;
    if (!options.strict || opened == 0) return true;
    const auto& last = tiles[opened - 1];
    const auto before = runtime.governor().window(last.window);
    return last.ended || !before || !before->asks || MonotonicClock::now() - last.opened > kLongestOpening;
  };
  bool interrupted = false;
  for (;;) {
    while (mayOpen()) openNext();
    std::vector<pollfd> waits{{signals, POLLIN, 0}};
    for (const auto& tile : tiles)
      if (tile.option != nullptr && !tile.ended) waits.push_back({tile.listener->descriptor(), POLLIN, 0});
    if (waits.size() == 1 && opened == tiles.size()) break;
    auto timeout = timeoutUntil(until);
    if (!timeout) break;
    if (options.strict && (*timeout < 0 || *timeout > kLookForRefusals)) timeout = kLookForRefusals;
    const int ready = poll(waits.data(), waits.size(), *timeout);
    if (ready < 0 && errno != EINTR) break;
    interrupted = waits[0].revents != 0;
    if (interrupted) break;
    for (auto& tile : tiles) {
      if (tile.option == nullptr || tile.ended) continue;
      if (const auto window = runtime.governor().window(tile.window); window && window->refusal) {
        tile.outcome = ExitCode::CannotOpen;
        endTile(tile, runtime, begin, window->refusal->sentence);
        continue;
      }
      const auto end = tile.listener->takeEnd();
      if (!end) continue;
      if (end->error) {
        failTile(tile, runtime, begin, *end->error,
                 tile.listener->started() ? ExitCode::BrokeOff : ExitCode::CannotOpen);
      } else if (options.loop) {
        tile.listener->forget();
        tile.player->seek(Duration{0}, media::SeekMode::Exact);
        tile.player->play();
      } else {
        endTile(tile, runtime, begin, "played");
      }
    }
  }
  RunReport report;
  report.display = "virtual display";
  ExitCode outcome = ExitCode::Played;
  tiles.resize(opened);
  // Before the first gives up its place to the others.
  for (auto& tile : tiles)
    if (!tile.ended) tile.played.window = runtime.governor().window(tile.window);
  for (auto& tile : tiles)
    if (!tile.ended) endTile(tile, runtime, begin, "played");
  for (auto& tile : tiles) {
    outcome = worse(outcome, tile.outcome);
    report.items.push_back(std::move(tile.played));
  }
  if (const auto printed = runtime.print(std::move(report), options); !printed) {
    runtime.note(printed.error().message);
    return ExitCode::InternalError;
  }
  return interrupted ? ExitCode::Interrupted : outcome;
}

}  // namespace

ExitCode runHeadless(const Options& options, Runtime& runtime, int signals) {
  if (!options.tiles.empty()) return runTiles(options, runtime, signals);
  Listener listener(runtime);
  auto player = media::Player::create(playerConfig(options), runtime.scheduler(),
                                      media::createVirtualDisplay(), listener);
  if (!player) {
    runtime.note(player.error().message);
    return ExitCode::InternalError;
  }

  RunReport report;
  report.display = "virtual display";
  ExitCode outcome = ExitCode::Played;
  std::optional<TimePoint> until;
  if (options.duration) until = MonotonicClock::now() + *options.duration;

  for (std::size_t index = 0; index < options.items.size();) {
    const std::string& item = options.items[index];
    listener.forget();
    const TimePoint begin = MonotonicClock::now();
    PlayedItem played;
    Waited waited = Waited::Ended;
    if (const auto opened = player.value()->open(item); !opened) {
      played.outcome = opened.error().message;
      outcome = worse(outcome, ExitCode::CannotOpen);
      runtime.note(played.outcome);
    } else {
      prepare(*player.value(), options, runtime);
      waited = waitForEnd(listener, signals, until);
      played.outcome = "played";
      const auto end = listener.takeEnd();
      if (end && end->error) {
        played.outcome = end->error->message;
        outcome = worse(outcome, listener.started() ? ExitCode::BrokeOff : ExitCode::CannotOpen);
        runtime.note(played.outcome);
      }
    }
    played.info = player.value()->info();
    if (played.info.uri.empty()) played.info.uri = item;
    played.statistics = player.value()->statistics();
    played.played = MonotonicClock::now() - begin;
    if (played.outcome == "played" && violationsOf(played) > 0)
      outcome = worse(outcome, ExitCode::PlayedWithViolations);
    report.items.push_back(std::move(played));
    player.value()->stop();
    if (waited == Waited::Signal) outcome = ExitCode::Interrupted;
    if (waited != Waited::Ended) break;
    if (++index == options.items.size() && options.loop && outcome != ExitCode::CannotOpen) index = 0;
  }
  if (const auto printed = runtime.print(std::move(report), options); !printed) {
    runtime.note(printed.error().message);
    return ExitCode::InternalError;
  }
  return outcome;
}

}  // namespace tactus::app
