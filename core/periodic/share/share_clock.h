// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Tags of one child of a `Fair` node (SFQ), in cost over weight. Start is the order of a runnable child;
/// finish is what it has had.
struct ShareTags {
  double start = 0;
  double finish = 0;
};

/// Virtual time v of a `Fair` node (Goyal, Vin, Cheng 1996, section 2): the start tag of the child in
/// service, and after an idle time the largest finish tag served. It never runs backwards, and no runnable
/// child's start tag is before it. `idle`: no child is runnable and none is in service. Thread-safe: no.
/// Real-time-safe: yes.
///
/// Doubles are exact enough: near kFar neighbours are 1e-7 apart, and tags go back to 0 there, so that a
/// request of cost c moves the tag of a child of weight w while c/w is above that.
class ShareClock {
 public:
  [[nodiscard]] double now(bool idle) const noexcept { return idle ? std::max(m_now, m_lastFinish) : m_now; }

  /// A child becomes runnable: S = max(v, F), no credit for the time without requests.
  void wake(ShareTags& tags, bool idle) TACTUS_REALTIME {
    m_now = now(idle);
    tags.start = std::max(m_now, tags.finish);
  }
  /// The child with the smallest start tag goes into service: v = S.
  void serve(const ShareTags& tags) TACTUS_REALTIME { m_now = tags.start; }
  /// After service: F = S + cost/weight, the next S = max(v, F) = F.
  void charge(ShareTags& tags, double cost, double weight) TACTUS_REALTIME {
    tags.finish = tags.start + cost / weight;
    tags.start = tags.finish;
    m_lastFinish = std::max(m_lastFinish, tags.finish);
  }
  /// The weight changes from `before` to `after`: what the child had beyond v stays the same cost.
  void reweigh(ShareTags& tags, double before, double after, bool idle) const TACTUS_REALTIME {
    const double v = now(idle);
    for (double* tag : {&tags.start, &tags.finish})
      if (*tag > v) *tag = v + (*tag - v) * (before / after);
  }
  /// What the child has had beyond v, in cost; at least 0.
  [[nodiscard]] double debtOf(const ShareTags& tags, double weight, bool runnable, bool idle) const noexcept {
    return std::max(0.0, (runnable ? tags.start : tags.finish) - now(idle)) * weight;
  }
  /// Tags of a child that comes from elsewhere with a debt.
  [[nodiscard]] ShareTags tagsOf(double debt, double weight, bool idle) const noexcept {
    const double tag = now(idle) + debt / weight;
    return {tag, tag};
  }

  /// Whether tags should go back to 0.
  [[nodiscard]] bool isFar() const noexcept { return m_now > kFar; }
  /// Sets v to 0; what it was goes to goBack() with the tags of each child.
  [[nodiscard]] double goBack() TACTUS_REALTIME {
    const double by = m_now;
    m_lastFinish = std::max(0.0, m_lastFinish - by);
    m_now = 0;
    return by;
  }
  static void goBack(ShareTags& tags, double by) TACTUS_REALTIME {
    tags.start = std::max(0.0, tags.start - by);
    tags.finish = std::max(0.0, tags.finish - by);
  }

 private:
  static constexpr double kFar = 1 << 30;
  double m_now = 0;
  double m_lastFinish = 0;  // the largest finish tag served
};

}  // namespace tactus::periodic
