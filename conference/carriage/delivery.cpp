// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/delivery.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tactus::conference {
namespace {

/// Share of packets; less is made up for by repetition and by the next keyframe.
constexpr double kLost = 0.10;
/// Pictures that need 1.5 times what the line carries go on for 2 s between two pauses (PictureBudget).
constexpr periodic::Duration kWithheld = std::chrono::seconds(4);
/// In which a publisher begins to send what is wanted anew.
constexpr periodic::Duration kBegins = std::chrono::seconds(3);

std::optional<std::uint32_t> kilobitsOf(const std::optional<net::BitRate>& rate) noexcept {
  if (!rate) return std::nullopt;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(rate->bits() / 1000, 1, kHighestCarried));
}

TrackDelivery limitedByReceiverLine(const DeliverySigns& signs) noexcept {
  const auto limited = [&](DeliveredPictures pictures) {
    return TrackDelivery{pictures, DeliveryLimit::ReceiverLine, kilobitsOf(signs.carried), signs.lineLost};
  };
  if (signs.allowed >= signs.sizes) return limited(DeliveredPictures::None);
  if (signs.withheld) return limited(DeliveredPictures::Fewer);
  if (signs.allowed > signs.wanted) return limited(DeliveredPictures::Smaller);
  return {};
}

TrackDelivery limitedByWord(const DeliverySigns& signs) noexcept {
  const bool concerns = signs.said.pictures != DeliveredPictures::Smaller || signs.wanted == 0;
  return concerns ? signs.said : TrackDelivery{};
}

TrackDelivery limitedByFeed(const DeliverySigns& signs) noexcept {
  if (signs.wantedRests && signs.sent && *signs.sent > signs.wanted)
    return {DeliveredPictures::Smaller, DeliveryLimit::SenderProgram};
  if (signs.feedLost >= kLost)
    return {DeliveredPictures::Fewer, DeliveryLimit::SenderLine, {}, signs.feedLost};
  return {};
}

bool isSameState(const TrackDelivery& one, const TrackDelivery& other) noexcept {
  return one.pictures == other.pictures && one.limit == other.limit;
}

}  // namespace

TrackDelivery deliveryOf(const DeliverySigns& signs) noexcept {
  if (!signs.isWanted) return {};
  if (signs.quiet) {
    TrackDelivery none{DeliveredPictures::None, DeliveryLimit::SenderProgram};
    if (signs.said.limit != DeliveryLimit::None) none = signs.said;
    none.pictures = DeliveredPictures::None;
    return none;
  }
  const TrackDelivery line = limitedByReceiverLine(signs), word = limitedByWord(signs);
  const TrackDelivery& worse = word.pictures > line.pictures ? word : line;
  return worse.pictures != DeliveredPictures::Whole ? worse : limitedByFeed(signs);
}

void SteadyDelivery::look(periodic::TimePoint now, DeliverySigns signs) noexcept {
  settle(now, signs);
  const TrackDelivery found = deliveryOf(signs);
  if (isSameState(found, m_said) || isSameState(found, m_before)) m_said = found;
  m_before = found;
}

void SteadyDelivery::settle(periodic::TimePoint now, DeliverySigns& signs) noexcept {
  if (signs.isWanted != m_isWanted) m_wantedSince = m_sizeSince = now;
  if (signs.wanted != m_wanted) m_sizeSince = now;
  m_isWanted = signs.isWanted;
  m_wanted = signs.wanted;
  if (now - m_wantedSince < kBegins) signs.quiet = signs.withheld = false;
  if (now - m_sizeSince < kBegins) signs.wantedRests = false;
  if (!signs.isWanted) m_withheld.reset();
  if (signs.withheld) m_withheld = now;
  signs.withheld = m_withheld && now - *m_withheld < kWithheld;
}

}  // namespace tactus::conference
