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

  // B and T: what is missing, and the time to make up for it.
  Duration refill = std::chrono::seconds(1);          ///< T
  Duration settles = std::chrono::milliseconds(750);  ///< what begins says nothing before, after a seek too

  // The ladders: what each rung costs.
  Duration costs = std::chrono::milliseconds(2400);  ///< time constant of the processor time a picture takes
  double promised = 0.88;    ///< share of the processors that admission promises (RTSS, section 4)
  double deadBand = 0.0625;  ///< changes of f, and of what a fallen window needs to return, that are ignored

  // Reservations: once more than `many` of the processors is planned for, a high quantile of every window's
  // packets would not fit.
  double many = 0.6;  ///< give or take the dead band
  double quantileOfMany = 0.75;

  // The cause that is told.
  double ours =
      0.5;  ///< share of what is used below which others fill the machine, give or take the dead band
  double full = 0.85;  ///< share of a processor's time from which it is full
};

}  // namespace tactus::media
