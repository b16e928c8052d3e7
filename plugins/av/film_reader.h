// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "plugins/av/demuxer.h"
#include "plugins/av/packet_store.h"

namespace tactus::plugins::av {

/// Reads one film in a thread of its own: opens it, keeps its PacketStore filled, seeks.
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
    virtual void onBegin() = 0;  ///< the thread's first and last calls
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

  /// A path, "fd://N" or an address, whose server may say nothing for `patience`.
  FilmReader(std::string path, periodic::Duration patience, Listener& listener);
  ~FilmReader() { stop(); }
  FilmReader(const FilmReader&) = delete;
  FilmReader& operator=(const FilmReader&) = delete;

  /// Begins the thread. The listener may use the reader from then on.
  void start();
  /// Cancels, joins the thread, and ends all waits for packets, for good.
  void stop();
  [[nodiscard]] PacketStore& store() noexcept { return m_store; }
  /// Whether it comes over a network, so that it may run dry.
  [[nodiscard]] bool remote() const noexcept { return m_remote; }
  /// Of seeks that come before one is done, the last is done. Thread-safe: yes.
  void seek(Seek seek);
  /// Another seek waits: what is done for the present one is for nothing. Thread-safe: yes.
  [[nodiscard]] bool seekWaits() const;

 private:
  void run();
  [[nodiscard]] bool open();
  void doSeek(Seek seek);
  [[nodiscard]] std::optional<periodic::Duration> readToKeyframe();
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

  // Guards m_seek, and m_cancellation's changes, for moments.
  mutable periodic::PriorityInheritanceMutex m_mutex;
  std::optional<Seek> m_seek;
  EventDescriptor m_order;  // a seek, or the stop

  // The thread's own.
  std::unique_ptr<Demuxer> m_film;
  bool m_ended = false;
  periodic::Duration m_length{0};
  struct Last {
    bool entry = false;
    std::int64_t pts = AV_NOPTS_VALUE;
  } m_last;

  std::thread m_thread;  // last: it uses all of these
};

}  // namespace tactus::plugins::av
