// SPDX-License-Identifier: Apache-2.0
#include "plugins/subtitles/subtitle_stage.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "plugins/subtitles/subtitle_log.h"
#include "plugins/subtitles/subtitle_slot.h"

namespace tactus::plugins::subtitles {
namespace {

using periodic::Duration;
using periodic::TimePoint;
using Place = av::SubtitleFeed::Place;
using namespace std::chrono_literals;

constexpr Duration kLongestWait = 500ms;  // each wait looks again at least so often

}  // namespace

SubtitleStage::SubtitleStage(std::shared_ptr<av::SubtitleFeed> feed, ThreadHooks hooks)
    : m_feed(std::move(feed)), m_hooks(std::move(hooks)), m_thread([this] { run(); }) {}

SubtitleStage::~SubtitleStage() {
  stop();
}

void SubtitleStage::stop() {
  if (!m_thread.joinable()) return;
  m_stop.store(true, std::memory_order_relaxed);  // relaxed: the descriptors wake who waits
  m_asked.signal();
  m_answered.signal();
  m_thread.join();
}

void SubtitleStage::setDelay(Duration delay) {
  const std::lock_guard lock(m_mutex);
  m_settings.delay = delay;
}

void SubtitleStage::setVisible(bool visible) {
  const std::lock_guard lock(m_mutex);
  m_settings.visible = visible;
}

void SubtitleStage::setLook(SubtitleLook look) {
  const std::lock_guard lock(m_mutex);
  m_settings.look = look;
}

bool SubtitleStage::request(Duration instant, const OverlayFrame& frame, TimePoint due) noexcept {
  std::shared_ptr<const Overlay> outdated;  // freed without the lock
  const std::lock_guard lock(m_mutex);
  if (!m_feed->any() || !m_settings.visible) {
    outdated = std::move(m_drawn);
    return false;
  }
  m_request = {m_request.number + 1, instant, frame, due};
  m_asked.signal();
  return true;
}

std::shared_ptr<const Overlay> SubtitleStage::take(periodic::TimeSource& time, TimePoint latest) noexcept {
  for (;;) {
    Duration left{0};
    {
      const std::lock_guard lock(m_mutex);
      left = latest - time.now();
      if (m_answeredNumber == m_request.number || left <= Duration::zero() ||
          m_stop.load(std::memory_order_relaxed))
        return m_drawn;
    }
    m_answered.wait(std::min(left, kLongestWait));
  }
}

void SubtitleStage::run() {
  pthread_setname_np(pthread_self(), "tactus-subtitle");
  std::shared_ptr<periodic::Task> task;  // shared with who keeps the tasks
  bool begun = false;                    // a film without subtitles reserves nothing for them
  while (!m_stop.load(std::memory_order_relaxed)) {
    Request request;
    Settings settings;
    bool asked = false;
    {
      const std::lock_guard lock(m_mutex);
      request = m_request;
      settings = m_settings;
      asked = request.number != m_answeredNumber;
    }
    if (!asked) {
      m_asked.wait(kLongestWait);
      continue;
    }
    if (m_hooks.begin && !std::exchange(begun, true)) task = m_hooks.begin();
    if (task) (void)task->pass();
    auto drawn = draw(request, settings);
    {
      const std::lock_guard lock(m_mutex);
      m_drawn.swap(drawn);
      m_answeredNumber = request.number;
    }
    m_answered.signal();
    if (task) task->complete(request.due);
  }
  m_drawing.reset();
  if (begun && m_hooks.end) m_hooks.end();
}

std::shared_ptr<const Overlay> SubtitleStage::draw(const Request& request, const Settings& settings) try {
  if (!m_drawing || !m_drawing->isFor(m_feed->fonts()))
    m_drawing = std::make_unique<SubtitleDrawing>(*m_feed);
  SubtitleLook above = settings.look;
  above.atTop = true;
  auto main =
      m_drawing->slot(Place::Main).draw(request.instant, settings.delay, request.frame, settings.look);
  auto second = m_drawing->slot(Place::Second).draw(request.instant, settings.delay, request.frame, above);
  if (!second) return main;
  return main ? both(std::move(main), std::move(second)) : second;
} catch (const std::exception& failure) {  // out of memory: the film goes on without
  logProblem(failure.what());
  return nullptr;
}

std::shared_ptr<const Overlay> SubtitleStage::both(std::shared_ptr<const Overlay> main,
                                                   std::shared_ptr<const Overlay> second) {
  if (main == m_first && second == m_second) return m_both;
  auto joined = std::make_shared<Overlay>(*main);
  joined->parts.insert(joined->parts.end(), second->parts.begin(), second->parts.end());
  m_first = std::move(main);
  m_second = std::move(second);
  return m_both = std::move(joined);
}

}  // namespace tactus::plugins::subtitles
