// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/periodic/qos/capacity.h"

namespace tactus::media {

using periodic::Duration;

/// Every constant of load control, in seconds and shares; each belongs to a term of `room = C - B/T`
/// (media/sharing/DESIGN.md).
struct LoadConstants {
  // C: what the windows can have. Five constants: nothing, step, proof, shortest, longest.
  periodic::Capacity::Constants capacity = {};
  Duration measured = std::chrono::seconds(1);  ///< time constant of what is used, idle and waited for
  double fill = 0.02;  ///< share of what is asked that stays unplanned: it fills what is decoded ahead

  // B and T: what is missing, and the time to make up for it.
  Duration refill = std::chrono::seconds(1);          ///< T
  Duration settles = std::chrono::milliseconds(750);  ///< what begins says nothing before, after a seek too

  // The ladders: what each rung costs.
  Duration costs = std::chrono::milliseconds(2400);  ///< time constant of the processor time a picture takes
  double still = 0.0625;                             ///< changes of f below it are not made
  double returns = 0.0625;  ///< share of the capacity that stays free before a fallen window returns

  // A larger size that returns and is given up again within `sizeHolds` was one too many: the next trial
  // waits, twice as long after each.
  Duration sizeHolds = std::chrono::seconds(5);
  Duration sizeShortest = std::chrono::seconds(4), sizeLongest = std::chrono::seconds(64);

  // Admission: what is promised, and when it is judged.
  double promised = 0.88;                             ///< share of the processors (RTSS, section 4)
  Duration judged = std::chrono::milliseconds(1500);  ///< since it plays; without pictures to tell by, twice

  // Reservations: once more than `many` of the processors is planned for, a high quantile of every window's
  // packets would not fit.
  double many = 0.6;
  double manyBand = 0.0625;  ///< hysteresis: give or take so much
  double quantileOfMany = 0.75;

  // The cause that is told.
  double ours = 0.5;         ///< below this share of all CPU use, other programs are blamed
  double oursBand = 0.0625;  ///< hysteresis: give or take so much
  double full = 0.85;        ///< share of a processor's time from which it is full
};

}  // namespace tactus::media
