// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/line_share.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tactus::conference {
namespace {

constexpr double kMargin = 1.25;
constexpr double kThinnest =
    0.5;  // share of the smallest size's rate with which fewer of its pictures still go

/// Fills the ladders of the demands, one step after the other.
class Filling {
 public:
  Filling(std::optional<net::BitRate> carried, std::span<const PictureDemand> demands)
      : m_demands(demands), m_carried(carried) {
    for (const PictureDemand& each : demands) m_share.layers.push_back(each.layers.size());
  }

  void fill(std::size_t demand, std::size_t layer) {
    const PictureDemand& of = m_demands[demand];
    std::size_t& chosen = m_share.layers[demand];
    if (layer >= chosen) return;
    const std::int64_t before = chosen < of.layers.size() ? of.layers[chosen].bits() : 0;
    const std::int64_t added = std::max<std::int64_t>(of.layers[layer].bits() - before, 0);
    const bool smallest = layer + 1 == of.layers.size();
    const double needed =
        (layer < of.now ? kMargin : 1) * (smallest ? kThinnest : 1) * static_cast<double>(added);
    const std::int64_t left = m_carried ? std::max<std::int64_t>(m_carried->bits() - m_used, 0) : added;
    if (!m_carried || needed <= static_cast<double>(left)) {
      chosen = layer;
      m_used += std::min(added, left);
    } else if (!m_share.next) {
      m_share.next = {demand, layer, net::BitRate::perSecond(m_used + static_cast<std::int64_t>(needed))};
    }
  }
  LineShare take() { return std::move(m_share); }

 private:
  const std::span<const PictureDemand> m_demands;
  const std::optional<net::BitRate> m_carried;
  LineShare m_share;
  std::int64_t m_used = 0;  // bits a second
};

}  // namespace

LineShare shareLine(std::optional<net::BitRate> carried, std::span<const PictureDemand> demands) {
  Filling filling(carried, demands);
  for (const TrackPriority priority : {TrackPriority::High, TrackPriority::Normal, TrackPriority::Low}) {
    const auto each = [&](auto layerOf) {
      for (std::size_t i = 0; i < demands.size(); ++i)
        if (demands[i].priority == priority && !demands[i].layers.empty())
          filling.fill(i, layerOf(demands[i]));
    };
    each([](const PictureDemand& demand) { return demand.layers.size() - 1; });
    each([](const PictureDemand& demand) { return std::min(demand.wanted, demand.layers.size() - 1); });
  }
  return filling.take();
}

}  // namespace tactus::conference
