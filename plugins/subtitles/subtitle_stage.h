// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/av/subtitle_feed.h"
#include "plugins/event_descriptor.h"
#include "plugins/picture_overlay.h"
#include "plugins/subtitles/subtitle_look.h"
#include "plugins/thread_hooks.h"

namespace tactus::plugins::subtitles {

class SubtitleDrawing;

/// The stage that draws a film's subtitles, in a thread and a task of its own: the sink requests what lies
/// over a picture, converts the picture meanwhile, and takes it. Thread-safe: yes.
class SubtitleStage final : public PictureOverlay {
 public:
  SubtitleStage(std::shared_ptr<av::SubtitleFeed> feed, ThreadHooks hooks);
  ~SubtitleStage() override;
  SubtitleStage(const SubtitleStage&) = delete;
  SubtitleStage& operator=(const SubtitleStage&) = delete;

  /// Ends the thread; nothing is drawn any more.
  void stop();
  /// Lines are shown so much later than their stream says; negative: earlier.
  void setDelay(periodic::Duration delay);
  void setVisible(bool visible);
  /// Of the main stream; a second one stands at the top.
  void setLook(SubtitleLook look);

  [[nodiscard]] bool request(periodic::Duration instant, const OverlayFrame& frame,
                             periodic::TimePoint due) noexcept override;
  [[nodiscard]] std::shared_ptr<const Overlay> take(periodic::TimeSource& time,
                                                    periodic::TimePoint latest) noexcept override;

 private:
  struct Request {
    std::uint64_t number = 0;
    periodic::Duration instant{0};
    OverlayFrame frame;
    periodic::TimePoint due;
  };
  struct Settings {
    periodic::Duration delay{0};
    bool visible = true;
    SubtitleLook look;
  };
  void run();
  [[nodiscard]] std::shared_ptr<const Overlay> draw(const Request& request, const Settings& settings);
  [[nodiscard]] std::shared_ptr<const Overlay> both(std::shared_ptr<const Overlay> main,
                                                    std::shared_ptr<const Overlay> second);

  const std::shared_ptr<av::SubtitleFeed> m_feed;  // shared with the reader
  const ThreadHooks m_hooks;
  EventDescriptor m_asked, m_answered;
  std::atomic<bool> m_stop{false};

  periodic::PriorityInheritanceMutex m_mutex;  // guards what follows, for moments
  Settings m_settings;
  Request m_request;
  std::uint64_t m_answeredNumber = 0;
  std::shared_ptr<const Overlay> m_drawn;  // shared with the sink

  // The thread's own.
  std::unique_ptr<SubtitleDrawing> m_drawing;
  std::shared_ptr<const Overlay> m_first, m_second,
      m_both;  // shared with the sink; the last made of the others

  std::thread m_thread;  // last: it uses all of these
};

}  // namespace tactus::plugins::subtitles
