// SPDX-License-Identifier: Apache-2.0
#include "conference/told_deliveries.h"

#include <optional>

namespace tactus::conference {
namespace {

using media::SourceLimit;

SourceLimit::Place placeOf(DeliveryLimit limit) noexcept {
  switch (limit) {
    case DeliveryLimit::ReceiverLine:
      return SourceLimit::Place::OwnLine;
    case DeliveryLimit::SenderLine:
      return SourceLimit::Place::TheirLine;
    case DeliveryLimit::SenderComputer:
      return SourceLimit::Place::TheirComputer;
    case DeliveryLimit::SenderProgram:
      return SourceLimit::Place::TheirProgram;
    case DeliveryLimit::None:
      break;
  }
  return SourceLimit::Place::None;
}

SourceLimit::Shown shownOf(DeliveredPictures pictures) noexcept {
  switch (pictures) {
    case DeliveredPictures::Smaller:
      return SourceLimit::Shown::SmallerPicture;
    case DeliveredPictures::Fewer:
      return SourceLimit::Shown::FewerPictures;
    case DeliveredPictures::None:
      return SourceLimit::Shown::NoPicture;
    case DeliveredPictures::Whole:
      break;
  }
  return SourceLimit::Shown::Whole;
}

std::optional<StreamKey> streamOfTrack(const RoomView& view, const TrackSid& sid) {
  for (const ParticipantInfo& other : view.others)
    for (const TrackInfo& track : other.tracks)
      if (track.sid == sid && kindOf(track.description.source) == TrackKind::Video)
        return StreamKey{other.sid, streamOf(track.description.source)};
  return std::nullopt;
}

}  // namespace

SourceLimit limitOf(const TrackDelivery& delivery) noexcept {
  SourceLimit limit{.place = placeOf(delivery.limit), .shown = shownOf(delivery.pictures)};
  if (limit.place == SourceLimit::Place::None || limit.shown == SourceLimit::Shown::Whole) return {};
  if (delivery.carried) limit.carried = 1000.0 * *delivery.carried;
  limit.lost = delivery.lost;
  return limit;
}

void ToldDeliveries::tell(const RoomView& view, const TrackSid& sid, const TrackDelivery& delivery) {
  if (const auto key = streamOfTrack(view, sid)) m_told[*key] = {sid, limitOf(delivery)};
}

void ToldDeliveries::follow(const RoomView& view) {
  std::erase_if(m_told, [&](const auto& each) { return !streamOfTrack(view, each.second.track); });
}

SourceLimit ToldDeliveries::of(const StreamKey& key) const {
  const auto found = m_told.find(key);
  return found == m_told.end() ? SourceLimit() : found->second.limit;
}

}  // namespace tactus::conference
