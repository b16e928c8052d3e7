// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/periodic/task/task.h"
#include "plugins/av/demuxer.h"
#include "plugins/av/packet_store.h"
#include "plugins/av/read_pace.h"

namespace tactus::plugins::av {

/// Reads one film in a thread of its own: opens it, keeps its PacketStore filled, seeks. What it reads ahead
/// keeps to the LBAP of its task, which is amended as the film turns out to be; what somebody waits for, and
/// what lies before the target of a seek, passes freely.
class FilmReader {
 public:
  struct Seek {
    periodic::Duration target{0};
    bool toKeyframe = false;  ///< begins at the keyframe before, instead of at the very target
  };

  /// All called in the reader's thread, which they may keep waiting.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The thread's first and last calls; the task that it is from now on, or null.
    virtual std::shared_ptr<periodic::Task> onBegin() = 0;
    virtual void onFinish() = 0;
    virtual void onOpened(const Demuxer& film) = 0;  ///< take()s the streams that it wants from the store
    virtual void onRefused(const Error& why) = 0;
    virtual void onBrokeOff(const std::string& why) = 0;  ///< the packets until there may be taken
    /// A packet was read, and so much of the film by now.
    virtual void onRead(periodic::Duration length) = 0;
    /// The film says other things of itself from this packet on.
    virtual void onTags(const Demuxer& film, AVPacket& packet) = 0;
    virtual void onEnd(periodic::Duration length) = 0;  ///< of what was read, from the film's beginning
    virtual void onStoreEnded() = 0;                    ///< however it came: nothing more will be put
    /// A seek begins: nobody may take a packet any more when this returns.
    virtual void onSeeking() = 0;
    /// Packets are there from `start` on (or from the keyframe before it); false if another seek has come
    /// meanwhile.
    virtual void onSought(periodic::Duration start) = 0;
  };

  /// A path, "fd://N", "stream://N" or an address, whose server may say nothing for `patience`.
  FilmReader(std::string path, periodic::Duration patience, Listener& listener);
  ~FilmReader() { stop(); }
  FilmReader(const FilmReader&) = delete;
  FilmReader& operator=(const FilmReader&) = delete;

  /// Begins the thread. The listener may use the reader from then on.
  void start();
  /// Cancels, joins the thread, and ends all waits for packets, for good.
  void stop();
  [[nodiscard]] PacketStore& store() noexcept { return m_store; }
  /// Whether it comes over a network, from a server or as a stream, so that it may run dry.
  [[nodiscard]] bool remote() const noexcept { return m_remote; }
  /// Of the playback, which what is read keeps pace with from the next packet on. Thread-safe: yes.
  void setSpeed(double speed) noexcept {
    m_speed.store(speed, std::memory_order_relaxed);  // relaxed: says something on its own
  }
  /// Of seeks that come before one is done, the last is done. Thread-safe: yes.
  void seek(Seek seek);
  /// Another seek waits: what is done for the present one is for nothing. Thread-safe: yes.
  [[nodiscard]] bool seekWaits() const;

 private:
  static constexpr periodic::Duration kNothing = periodic::Duration::min();
  void run();
  [[nodiscard]] bool open();
  void doSeek(Seek seek);
  [[nodiscard]] std::optional<periodic::Duration> readToKeyframe();
  /// Until it is the next packet's turn; false once interrupted.
  [[nodiscard]] bool enforce();
  void passFreely();
  void followPace();
  void note(const AVPacket& packet);
  /// False at the end, however it came.
  bool readOne();
  [[nodiscard]] std::optional<Seek> takeSeek();

  const std::string m_path;
  const bool m_remote;
  const periodic::Duration m_patience;
  Listener& m_listener;
  const std::shared_ptr<Cancellation> m_cancellation =
      std::make_shared<Cancellation>();  // shared with the source
  PacketStore m_store;
  std::atomic<bool> m_stop{false};
  std::atomic<double> m_speed{1};

  // Guards m_seek, and m_cancellation's changes, for moments.
  mutable periodic::PriorityInheritanceMutex m_mutex;
  std::optional<Seek> m_seek;
  EventDescriptor m_order;  // a seek, or the stop

  // The thread's own.
  std::unique_ptr<Demuxer> m_film;
  std::shared_ptr<periodic::Task> m_task;  // shared with who keeps the tasks; may be null
  ReadPace m_pace;
  periodic::LbapContract m_lbap{m_pace.lbap()};  // the task's
  periodic::TimePoint m_due;                     // of the packet that is read
  /// Decoding time of what was read since the beginning or the last seek; and from where it is wanted.
  periodic::Duration m_reached = kNothing, m_target{0};
  bool m_ended = false;
  periodic::Duration m_length{0};
  struct Last {
    bool entry = false;
    std::int64_t pts = AV_NOPTS_VALUE;
  } m_last;

  std::thread m_thread;  // last: it uses all of these
};

}  // namespace tactus::plugins::av
