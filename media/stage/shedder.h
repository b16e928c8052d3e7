// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/periodic/time/time.h"
#include "media/stage/catch_up.h"
#include "plugins/picture_filter.h"

namespace tactus::media {

/// Decides which packets of a film are given up before decoding (RTSS, section 4): those to which no other
/// refers, by the filter that the sink asks as well; in the last stage all but keyframes; and what has fallen
/// behind, up to a keyframe that is in time (CatchUp). Owns no clock.
/// judge() and what changes the stream belong to the streaming thread; the rest may be asked by any thread.
class Shedder {
 public:
  struct Packet {
    bool keyframe = false;    ///< refers to no other
    bool disposable = false;  ///< no other refers to it
    std::optional<periodic::Duration> presentation;
  };
  enum class Fate {
    Decode,
    Thinned,     ///< given up by the filter
    ToKeyframe,  ///< given up with all others up to a keyframe
  };
  struct Judgement {
    Fate fate = Fate::Decode;
    /// The decoder holds a keyframe and nothing will follow soon: it must be made to let go of it.
    bool drain = false;
    friend bool operator==(const Judgement&, const Judgement&) = default;
  };

  /// The filter is shared with the sink.
  explicit Shedder(std::shared_ptr<plugins::PictureFilter> filter) : m_filter(std::move(filter)) {}

  /// Another format. `alone`: each picture stands for itself; `period`: distance of pictures, zero = unknown.
  void setStream(bool alone, periodic::Duration period) noexcept;
  /// What follows has nothing to do with what came before; a seek begins at a keyframe.
  void flush() noexcept;
  /// What becomes of the packet whose picture is due at `due`. `unseen`: nobody will see it in any case
  /// (preroll, the way to a seek target), and it is not thinned out. Real-time-safe: yes.
  [[nodiscard]] Judgement judge(const Packet& packet, bool unseen, std::optional<periodic::TimePoint> due,
                                periodic::TimePoint now) noexcept;

  /// The last stage: from the next packet on all but keyframes go. Of a stream of keyframes one a second
  /// stays. Thread-safe: yes. Real-time-safe: yes.
  void setKeyframesOnly(bool only) noexcept { m_keyframesOnly.store(only, std::memory_order_relaxed); }
  /// Share of the pictures to which no other refers, learned. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] double disposable() const noexcept { return m_disposable.load(std::memory_order_relaxed); }
  /// Share of the packets to reserve for at the filter's f; in tenths, since each change is an admission.
  /// Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] double reservedFrequency() const noexcept;
  /// Packets given up. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t thinned() const noexcept { return m_thinned.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t toKeyframe() const noexcept {
    return m_toKeyframe.load(std::memory_order_relaxed);
  }
  /// Of these, given up because of the last stage. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t byLastStage() const noexcept {
    return m_byLastStage.load(std::memory_order_relaxed);
  }

 private:
  /// What the decoder holds of the pictures that the next one refers to.
  enum class References {
    Whole,
    Broken,   ///< some were given up: it makes sense to go on at a keyframe
    Resumed,  ///< a keyframe came after a gap; pictures shown before it refer to what was given up
  };
  [[nodiscard]] bool startsAnew(const Packet& packet, bool only) noexcept;
  [[nodiscard]] bool isLeading(const Packet& packet, bool keyframe) noexcept;
  [[nodiscard]] bool filteredOut(const Packet& packet) noexcept;
  void placeGrid(const Packet& packet) noexcept;

  const std::shared_ptr<plugins::PictureFilter> m_filter;  // shared with the sink
  std::atomic<bool> m_keyframesOnly{false};
  // relaxed: counters and a share with one writer.
  std::atomic<double> m_disposable{0};
  std::atomic<std::uint64_t> m_thinned{0}, m_toKeyframe{0}, m_byLastStage{0};

  // Streaming thread only.
  bool m_alone = false;
  periodic::Duration m_period{0};
  bool m_gridPlaced = false;
  int m_seen = 0;  // pictures that m_disposable is the share of, up to a limit
  CatchUp m_catchUp;
  References m_references = References::Whole;
  std::optional<periodic::Duration> m_resumedAt;  // in Resumed: the keyframe's presentation time
  std::optional<periodic::Duration> m_kept;  // presentation time of the last kept of a stream of keyframes
  bool m_holdsKeyframe = false;              // the decoder was given a keyframe and nothing since
};

}  // namespace tactus::media
