// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/track_layer.h"

#include <algorithm>
#include <cstdint>

namespace tactus::media {
namespace {

constexpr int kSmallestSide = 16;
/// Below it pictures of this size look worse than those of the smaller one.
constexpr double kLeast = 0.25, kLeastToBegin = 0.375;

net::BitRate times(net::BitRate rate, double factor) {
  return net::BitRate::perSecond(static_cast<std::int64_t>(static_cast<double>(rate.bits()) * factor));
}

}  // namespace

std::vector<TrackLayer> layersOf(const OutgoingTrack& track) {
  if (track.kind == MediaKind::Audio) return {{.rate = track.rate}};
  std::vector<TrackLayer> layers{{{track.width, track.height}, track.rate}};
  const PictureSize half = halfOf(layers[0].size);
  if (track.inTwoSizes && std::min(half.width, half.height) >= kSmallestSide)
    layers.push_back({half, times(track.rate, 0.25)});
  return layers;
}

std::vector<LayerShare> shareRate(net::BitRate rate, std::span<const TrackLayer> layers, std::size_t wanted,
                                  std::span<const LayerShare> before) {
  std::vector<LayerShare> shares(layers.size());
  const std::size_t smallest = layers.size() - 1;
  net::BitRate left = rate;
  bool lacks = false;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const net::BitRate most = std::min(layers[i].rate, left);
    const bool went = before.empty() || before[i].goes;
    const bool fits = most >= times(layers[i].rate, went ? kLeast : kLeastToBegin);
    const bool isWanted = i >= wanted;
    shares[i].goes = isWanted && (i == smallest || fits);
    lacks = lacks || (isWanted && !shares[i].goes);
    shares[i].rate = most;
    if (shares[i].goes) left = net::BitRate::perSecond(left.bits() - most.bits());
  }
  if (lacks) shares[smallest].rate = std::min(times(layers[smallest].rate, 2), rate);
  return shares;
}

}  // namespace tactus::media
