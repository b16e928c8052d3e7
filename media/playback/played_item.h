// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "core/periodic/time/time.h"
#include "media/playback/player.h"
#include "media/playback/tracks.h"

namespace tactus::media {

/// The item being played: what is known of it, and what was counted since it was opened. Thread-safe: yes.
/// Real-time-safe: no.
class PlayedItem {
 public:
  /// Another item: nothing is known of it but its address. `shown`: pictures that the target has shown so
  /// far.
  void begin(const std::string& uri, std::uint64_t shown);
  /// A pipeline starts, of a new item or anew of the same: tracks are listed anew, its silence counts from
  /// now.
  void startPipeline(periodic::TimePoint now);

  [[nodiscard]] MediaInfo info() const;
  /// Changes what is known, and says what is known then.
  MediaInfo change(const std::function<void(MediaInfo&)>& patch);
  MediaInfo changeTracks(const std::function<void(TrackList&)>& patch);
  [[nodiscard]] std::uint64_t number() const;  ///< counts items; the first is 1

  /// The other engine gets one try an item: true once.
  [[nodiscard]] bool mayFallBack();
  /// Description of a decoder that is not installed; empty = none is missing.
  void setMissing(const std::string& description);
  [[nodiscard]] std::string missing() const;
  /// It cannot be read to its end, for this reason (the end of a sentence); empty = it can.
  void setBroken(const std::string& why);
  [[nodiscard]] std::string broken() const;
  /// What decodes the pictures: a device, or software (empty) and why.
  void setDecoder(const std::string& device, const std::string& whyNone);
  struct Decoder {
    std::string device, whyNone;
  };
  [[nodiscard]] Decoder decoder() const;
  /// The source said something.
  void noteProgress(periodic::TimePoint now);
  [[nodiscard]] Duration silence(periodic::TimePoint now) const;

  struct Counts {
    std::uint64_t shownBefore = 0;  ///< by the target, before this item
    std::uint64_t lateAtDecoder = 0, decodeErrors = 0;
  };
  [[nodiscard]] Counts counts() const;
  void countDecodeError();
  /// A decoder has skipped so many late pictures so far.
  void setLateAtDecoder(std::uint64_t count);

 private:
  struct State {
    std::uint64_t number = 0;
    MediaInfo info;
    TrackList tracks;
    bool fellBack = false;  // the other engine has had its try
    std::string missing, broken;
    Decoder decoder;
    periodic::TimePoint lastProgress{};
    Counts counts;
  };
  mutable std::mutex m_mutex;  // guards m_state, for moments
  State m_state;
};

/// Name of an item in a sentence: the name of a file or a stream that is received, else its address.
[[nodiscard]] std::string nameOf(const MediaInfo& info);
/// Whether the item comes from a server, which answers in time or has stalled. (A stream that is received may
/// begin whenever its sender does.)
[[nodiscard]] bool isRemote(const std::string& uri);

}  // namespace tactus::media
