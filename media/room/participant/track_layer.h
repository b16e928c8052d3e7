// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/net/link/bit_rate.h"
#include "media/room/participant/outgoing_track.h"
#include "media/room/picture_size.h"

namespace tactus::media {

/// One size in which the pictures of a track are encoded and sent; of sound there is one, without size.
struct TrackLayer {
  PictureSize size = {};
  net::BitRate rate;  ///< most of what is encoded
};

/// The layers of a track, the largest first: as large as it is and, if it is sent in two sizes, half as wide
/// and high with a quarter of the rate. What is too small to be halved has one. Thread-safe: yes (pure).
[[nodiscard]] std::vector<TrackLayer> layersOf(const OutgoingTrack& track);

/// What a layer gets of the rate of its track.
struct LayerShare {
  net::BitRate rate;
  bool goes = true;  ///< false: it is not encoded
};

/// Divides a rate among the layers of a track. With r(i) the most of layer i, counted from the smallest:
///
///     a layer gets     min(r(i), what the smaller ones leave)
///     it goes          iff it is wanted and gets r(i) / 4 at least; 3/8 of r(i), if it did not go before
///     the smallest     goes with whatever there is, and gets twice its r while a larger one is wanted and
///     does not go:
///                      what is sent shows that the path carries more
///
/// `wanted`: the largest layer that anybody wants; smaller ones go too. `before`: as it was divided last;
/// empty: all went. Thread-safe: yes (pure).
[[nodiscard]] std::vector<LayerShare> shareRate(net::BitRate rate, std::span<const TrackLayer> layers,
                                                std::size_t wanted, std::span<const LayerShare> before);

}  // namespace tactus::media
