// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/time/time.h"
#include "media/room/participant/picture_stamp.h"
#include "media/room/picture_size.h"
#include "plugins/video_target.h"

namespace tactus::media {

/// Where a call's pictures go without a window: counted, and their stamps are read. Thread-safe: yes.
class HeadlessPictures final : public plugins::VideoTarget {
 public:
  struct Figures {
    std::uint64_t shown = 0;
    std::uint64_t stamped = 0;     ///< of these, whose stamp could be read
    std::uint64_t missed = 0;      ///< numbers left out between two stamps
    std::uint64_t disordered = 0;  ///< stamps whose number is not above the one before
    std::optional<PictureStamp> last = {};
    PictureSize size = {};  ///< of the last one
    /// How many were shown of each size, in the order in which they came; kMostSizes at most.
    std::vector<std::pair<PictureSize, std::uint64_t>> sizes = {};
    std::optional<periodic::TimePoint> first = {};  ///< when the first one was shown
    /// From the drawing of the stamp to its showing, on one machine: mean, longest, and of the last picture.
    periodic::Duration delay{0}, longestDelay{0}, lastDelay{0};
    periodic::Duration recentDelay{0};  ///< mean of about the last 25
  };
  static constexpr std::size_t kMostSizes = 8;
  HeadlessPictures() { m_figures.sizes.reserve(kMostSizes); }
  [[nodiscard]] Figures figures() const;

  [[nodiscard]] bool wantsRgb32() const noexcept override { return false; }
  void format(const plugins::PictureFormat& picture, const GstVideoInfo& info) override;
  [[nodiscard]] plugins::Rgb32View beginRgb32() noexcept override { return {}; }
  bool presentRgb32(periodic::TimePoint) noexcept override { return false; }
  bool presentPlanar(GstBuffer* buffer, periodic::TimePoint due) noexcept override;
  [[nodiscard]] std::uint64_t shown() const noexcept override { return figures().shown; }
  void clear() noexcept override {}

 private:
  [[nodiscard]] std::optional<PictureStamp> stampOf(GstBuffer* buffer) const noexcept;
  void countSize() noexcept;
  void note(const PictureStamp& stamp, periodic::TimePoint now) noexcept;

  GstVideoInfo m_info{};                               // display thread
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows, for moments
  Figures m_figures;
  periodic::Duration m_delays{0};  // sum
};

}  // namespace tactus::media
