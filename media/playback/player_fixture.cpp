// SPDX-License-Identifier: Apache-2.0
#include "media/playback/player_fixture.h"

#include <algorithm>
#include <numeric>
#include <thread>

namespace tactus::media::testing {

void Recorder::note(const std::function<void()>& change) {
  {
    const std::lock_guard lock(m_mutex);
    change();
  }
  m_changed.notify_all();
}

void Recorder::onState(PlayState state) {
  note([&] { states.push_back(state); });
}
void Recorder::onInfo(const MediaInfo& info) {
  note([&] { infos.push_back(info); });
}
void Recorder::onBuffering(int) {}
void Recorder::onError(const Error& error) {
  note([&] { errors.push_back(error); });
}
void Recorder::onWarning(const std::string& sentence) {
  note([&] { warnings.push_back(sentence); });
}
void Recorder::onNextItem(const std::string& uri) {
  note([&] { nextItems.push_back(uri); });
}
void Recorder::onEnded() {
  note([&] { ++ended; });
}

bool Recorder::waitFor(const std::function<bool(const Recorder&)>& condition, Duration patience) {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, patience, [&] { return condition(*this); });
}

bool Recorder::waitForState(PlayState state, Duration patience) {
  return waitFor([=](const Recorder& told) { return !told.states.empty() && told.states.back() == state; },
                 patience);
}

void Recorder::forgetStates() {
  const std::lock_guard lock(m_mutex);
  states.clear();
}

void PixelScreen::format(const plugins::PictureFormat& picture, const GstVideoInfo&) {
  const std::lock_guard lock(m_mutex);
  m_view.width = picture.convertedWidth;
  m_view.height = picture.convertedHeight;
  m_view.stride = (m_view.width * 4 + 63) / 64 * 64;
  m_pixels.assign(static_cast<std::size_t>(m_view.stride) * static_cast<std::size_t>(m_view.height + 1), 0);
  m_view.data = m_pixels.data();
}

plugins::Rgb32View PixelScreen::beginRgb32() noexcept {
  const std::lock_guard lock(m_mutex);
  return m_view;
}

int PixelScreen::greenLocked(int x, int y) const {
  return m_pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(m_view.stride) +
                  static_cast<std::size_t>(x) * 4 + 1];
}

bool NumberReader::presentRgb32(periodic::TimePoint) noexcept {
  {
    const std::lock_guard lock(m_mutex);
    int number = 0;
    for (int bit = 0; bit * 32 + 16 < std::min(m_view.width, 320); ++bit) {
      if (greenLocked(bit * 32 + 16, m_view.height / 2) > 128) number |= 1 << bit;
    }
    m_seen.push_back({number, m_time.now().time_since_epoch()});
    ++m_shown;
  }
  m_changed.notify_all();
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, kPatience, [&] { return !m_grabs; });
  return false;
}

std::uint64_t NumberReader::shown() const noexcept {
  const std::lock_guard lock(m_mutex);
  return m_shown;
}

std::vector<NumberReader::Seen> NumberReader::seen() const {
  const std::lock_guard lock(m_mutex);
  return m_seen;
}

std::vector<int> NumberReader::numbers() const {
  std::vector<int> result;
  for (const auto& picture : seen()) result.push_back(picture.number);
  return result;
}

int NumberReader::last() const {
  const std::lock_guard lock(m_mutex);
  return m_seen.empty() ? -1 : m_seen.back().number;
}

std::pair<int, int> NumberReader::size() const {
  const std::lock_guard lock(m_mutex);
  return {m_view.width, m_view.height};
}

bool NumberReader::waitForNumber(int number, Duration patience) const {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, patience, [&] {
    while (m_read < m_seen.size()) {
      if (m_seen[m_read++].number == number) return true;
    }
    return false;
  });
}

void NumberReader::forget() {
  const std::lock_guard lock(m_mutex);
  m_seen.clear();
  m_read = 0;
}

void NumberReader::grab() {
  const std::lock_guard lock(m_mutex);
  m_grabs = true;
}

void NumberReader::release() {
  {
    const std::lock_guard lock(m_mutex);
    m_grabs = false;
  }
  m_changed.notify_all();
}

std::vector<int> fromTo(int first, int end) {
  std::vector<int> numbers(static_cast<std::size_t>(end - first));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::vector<NumberReader::Seen> onTime(int pictures, Duration distance, Duration from) {
  std::vector<NumberReader::Seen> seen;
  for (int number = 0; number < pictures; ++number) seen.push_back({number, from + number * distance});
  return seen;
}

PlayerTest::PlayerTest(Time time)
    : gate(periodic::KernelClassGate::probe(
          time == Time::Real ? periodic::KernelClass::Fifo : periodic::KernelClass::None, {})) {
  if (time == Time::Real) {
    scheduler = std::make_unique<periodic::Scheduler>(kernelTime, *gate, trace);
    screen = std::make_shared<NumberReader>(kernelTime);
  } else {
    // Nobody runs below the others: what is early in a time that stands would wait for the machine to be
    // idle.
    scheduler = std::make_unique<periodic::Scheduler>(clock, *gate, trace, false);
    screen = std::make_shared<NumberReader>(clock);
    settings.audio = false;
    settings.clock = clock.clock();
  }
}

void PlayerTest::create() {
  createFor(screen, recorder);
}

void PlayerTest::createFor(std::shared_ptr<plugins::VideoTarget> target, PlayerListener& listener) {
  auto made = Player::create(settings, *scheduler, std::move(target), listener);
  ASSERT_TRUE(made.ok()) << made.error().message;
  player = std::move(made).value();
}

void PlayerTest::open(const std::filesystem::path& path, bool paused) {
  ASSERT_FALSE(path.empty()) << "ffmpeg could not make the film";
  if (!player) create();
  recorder.forgetStates();
  const auto opened = player->open(path.string(), paused);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ASSERT_TRUE(recorder.waitFor([=](const Recorder& told) {
    const auto wanted = paused ? PlayState::Paused : PlayState::Playing;
    return std::find(told.states.begin(), told.states.end(), wanted) != told.states.end() ||
           !told.errors.empty();
  }));
  ASSERT_TRUE(recorder.errors.empty()) << recorder.errors.front().message;
}

Error PlayerTest::failure(const std::string& uriOrPath, Duration patience) {
  if (!player) create();
  const auto opened = player->open(uriOrPath);
  if (!opened.ok()) return opened.error();
  Error error{ErrorCode::System, ""};
  (void)recorder.waitFor(
      [&](const Recorder& told) {
        if (!told.errors.empty()) error = told.errors.front();
        return !told.errors.empty() || told.ended > 0;
      },
      patience);
  return error;
}

bool PlayerTest::eventually(const std::function<bool()>& condition, Duration patience) {
  const auto until = periodic::MonotonicClock::now() + patience;
  while (!condition()) {
    if (periodic::MonotonicClock::now() > until) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

}  // namespace tactus::media::testing
