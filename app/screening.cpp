// SPDX-License-Identifier: Apache-2.0
#include "app/screening.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "media/playback/virtual_display.h"

namespace tactus::app {
namespace {

using periodic::Duration;
using periodic::MonotonicClock;

/// A source that does not get going holds up those after it for so long.
constexpr Duration kLongestOpening = std::chrono::seconds(6);

}  // namespace

/// Keeps the end that the player's bus thread tells of, and wakes the main thread.
class Screening::Listener final : public media::PlayerListener {
 public:
  struct End {
    std::optional<Error> error;
  };

  explicit Listener(Runtime& runtime) : m_runtime(runtime), m_wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Listener() override { close(m_wake); }

  void onState(media::PlayState state) override {
    // Relaxed: a flag by itself, looked at long after.
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
  const int m_wake;
  std::atomic<bool> m_started{false};
  std::mutex m_mutex;
  std::optional<End> m_end;  // guarded by m_mutex
};

Screening::Screening(Programme programme, const Options& options, Runtime& runtime)
    : m_programme(std::move(programme)),
      m_options(options),
      m_runtime(runtime),
      m_listener(std::make_unique<Listener>(runtime)) {}

Screening::~Screening() = default;

int Screening::descriptor() const noexcept {
  return m_listener->descriptor();
}

bool Screening::settled() const {
  if (m_state == State::Over || MonotonicClock::now() - m_opened > kLongestOpening) return true;
  const auto window = m_runtime.governor().window(m_window);
  return !window || window->stage != media::WindowStage::Asks;
}

void Screening::begin() {
  m_state = State::Playing;
  m_opened = MonotonicClock::now();
  if (!createPlayer()) {
    m_state = State::Over;
  } else if (!openItem()) {
    goOn();
  }
}

/// An error is noted and recorded.
Result<void> Screening::createPlayer() {
  const auto failed = [this](const Error& error, ExitCode code) {
    fail(error, code);
    return error;
  };
  media::PlayerConfig config = playerConfig(m_options);
  if (m_programme.terms) config.label = m_programme.terms->name;
  auto player =
      media::Player::create(config, m_runtime.scheduler(), media::createVirtualDisplay(), *m_listener);
  if (!player) return failed(player.error(), ExitCode::InternalError);
  m_player = std::move(player).value();
  if (!m_programme.terms) return {};
  if (!m_options.shedding) {
    m_player->setService({.cpus = m_programme.terms->cpus});
    return {};
  }
  using Entry = media::LoadGovernor::Entry;
  const auto window = m_runtime.governor().add(*m_player, *m_programme.terms,
                                               m_options.strict ? Entry::Asks : Entry::Admitted);
  if (!window) return failed(window.error(), ExitCode::Usage);
  m_window = window.value();
  return {};
}

/// False, and recorded, if it cannot be opened.
bool Screening::openItem() {
  m_listener->forget();
  m_opened = MonotonicClock::now();
  const auto start = periodic::fromSeconds(m_options.start);
  if (const auto opened = m_player->open(m_programme.items[m_index], false, start); !opened) {
    fail(opened.error(), ExitCode::CannotOpen);
    return false;
  }
  m_player->setVolume(m_options.volume);
  m_player->setMuted(m_options.muted);
  if (m_options.speed != 1.0) m_player->setSpeed(m_options.speed);
  for (const auto& file : m_options.subtitles) {
    if (const auto added = m_player->addSubtitles(file); !added) m_runtime.note(added.error().message);
  }
  return true;
}

/// False when there is none left to play.
bool Screening::nextItem() {
  if (++m_index < m_programme.items.size()) return true;
  m_index = 0;
  return m_options.loop && !m_programme.terms && m_outcome != ExitCode::CannotOpen;
}

void Screening::goOn() {
  while (nextItem())
    if (openItem()) return;
  m_state = State::Over;
}

void Screening::look() {
  if (const auto window = m_runtime.governor().window(m_window); window && window->refusal) {
    record(window->refusal->sentence, ExitCode::CannotOpen);
    return goOn();
  }
  const auto end = m_listener->takeEnd();
  if (!end) return;
  if (end->error) {
    fail(*end->error, m_listener->started() ? ExitCode::BrokeOff : ExitCode::CannotOpen);
  } else if (m_options.loop && m_programme.terms) {
    m_listener->forget();
    m_player->seek(Duration{0}, media::SeekMode::Exact);
    m_player->play();
    return;
  } else {
    record("played", ExitCode::Played);
  }
  goOn();
}

void Screening::keepWindowState() {
  if (playing()) m_windowState = m_runtime.governor().window(m_window);
}

void Screening::end() {
  if (!playing()) return;
  m_state = State::Over;
  if (const auto end = m_listener->takeEnd(); end && end->error)
    return fail(*end->error, m_listener->started() ? ExitCode::BrokeOff : ExitCode::CannotOpen);
  record("played", ExitCode::Played);
}

void Screening::fail(const Error& error, ExitCode code) {
  m_runtime.note(error.message);
  record(error.message, code);
}

/// What the item shows as it comes to its end; a tile gives its share to the others.
void Screening::record(std::string outcome, ExitCode code) {
  PlayedItem item;
  item.outcome = std::move(outcome);
  if (m_player) {
    item.info = m_player->info();
    item.statistics = m_player->statistics();
  }
  if (item.info.uri.empty()) item.info.uri = m_programme.items[m_index];
  item.played = MonotonicClock::now() - m_opened;
  item.window = m_windowState ? m_windowState : m_runtime.governor().window(m_window);
  m_runtime.governor().remove(m_window);
  if (m_player) m_player->stop();
  if (code == ExitCode::Played && violationsOf(item) > 0) code = ExitCode::PlayedWithViolations;
  m_outcome = worse(m_outcome, code);
  m_played.push_back(std::move(item));
}

}  // namespace tactus::app
