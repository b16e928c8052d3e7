// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

#include "media/room/picture_size.h"
#include "media/sharing/governed_stream.h"

namespace tactus::media {

/// Which of two sizes of a stream's pictures comes, and which is asked for. Thread-safe: yes.
class SizeChoice {
 public:
  /// Told, on the thread that calls ask(), that no more than the smaller size is wanted, or any; may be null.
  using Ask = std::function<void(bool smaller)>;
  explicit SizeChoice(Ask ask) : m_ask(std::move(ask)) {}

  /// Pictures of another format come to this sink from now on. Real-time-safe: no.
  void follow(GstElement* sink);
  /// The larger of two sizes, where the larger is wanted; 0 x 0: there is no choice. Real-time-safe: no.
  void setLarger(PictureSize larger);
  /// Tells changes only. Real-time-safe: no.
  void ask(bool smaller);
  /// Absent: there is no choice. Real-time-safe: no.
  [[nodiscard]] std::optional<LoadFigures::Sizes> sizes() const;

 private:
  const Ask m_ask;
  mutable std::mutex m_mutex;  // guards what follows
  PictureSize m_larger, m_comes;
  bool m_asked = false;
};

}  // namespace tactus::media
