// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tactus::media {

/// What keeps a stream from coming as it is wanted, as those know that are before its decoder.
struct SourceLimit {
  enum class Place : std::uint8_t {
    None,
    OwnLine,        ///< the line to this machine
    TheirLine,      ///< the line from its sender
    TheirComputer,  ///< its sender's processor
    TheirProgram,   ///< its sender sends less, and gives no reason
  };
  enum class Shown : std::uint8_t { Whole, SmallerPicture, FewerPictures, NoPicture };

  Place place = Place::None;           ///< None iff it is shown whole
  Shown shown = Shown::Whole;          ///< what is left of it
  std::optional<double> carried = {};  ///< bits a second that the line is believed to carry
  double lost = 0;                     ///< share of its packets that the line loses, 0 ... 1
  friend bool operator==(const SourceLimit&, const SourceLimit&) = default;
};

}  // namespace tactus::media
