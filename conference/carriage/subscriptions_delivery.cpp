// SPDX-License-Identifier: Apache-2.0
// How the pictures of each subscription reach its receiver, and why not as they are wanted.
#include <algorithm>
#include <utility>

#include "conference/carriage/subscriptions.h"

namespace tactus::conference {

void Subscriptions::setSilent(const StreamKey& key, media::MediaKind kind, bool silent) {
  if (silent)
    m_silent.insert({key, kind});
  else
    m_silent.erase({key, kind});
}

/// The connections to one receiver share its line.
void Subscriptions::judge(periodic::TimePoint now, const Ids& ids, const FeedRates& rates) {
  std::vector<media::SubscriberFigures> figures;
  std::int64_t carried = 0;  // bits a second, as in ReceiverLine
  bool limited = false;
  for (const std::string& id : ids) {
    const auto found = m_egress.figures(id);
    figures.push_back(found.ok() ? found.value() : media::SubscriberFigures{});
    const auto& carries = figures.back().carries;
    limited = limited || carries;
    if (carries) carried += carries->bits();
    for (const Track& track : m_subscriptions.at(id).tracks)
      if (!carries && track.sent != nullptr) carried += rates.of(*track.sent).value_or(net::BitRate()).bits();
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Subscription& subscription = m_subscriptions.at(ids[i]);
    for (std::size_t track = 0; track < subscription.tracks.size(); ++track) {
      if (subscription.tracks[track].kind != media::MediaKind::Video) continue;
      DeliverySigns signs = signsOf(subscription, track, rates, figures[i]);
      if (limited) signs.carried = net::BitRate::perSecond(std::min(carried, net::BitRate::kLargest));
      subscription.delivery.look(now, signs);
    }
  }
}

DeliverySigns Subscriptions::signsOf(const Subscription& subscription, std::size_t index,
                                     const FeedRates& rates, const media::SubscriberFigures& figures) const {
  const Track& track = subscription.tracks[index];
  const Feeds& layers = track.layers;
  DeliverySigns signs;
  signs.isWanted = !layers.empty() && isSent(subscription, track.kind) &&
                   !m_silent.contains({subscription.key, track.kind});
  if (!signs.isWanted) return signs;
  signs.sizes = layers.size();
  signs.wanted = wantedLayer(subscription, track);
  signs.allowed = std::min(subscription.allowed, layers.size());
  const auto sent = std::find(layers.begin(), layers.end(), track.sent);
  if (sent != layers.end()) signs.sent = static_cast<std::size_t>(sent - layers.begin());
  signs.quiet = std::all_of(layers.begin(), layers.end(),
                            [&](const media::TrackFeed* feed) { return rates.quiet(*feed); });
  signs.wantedRests = m_resting.contains(layers[signs.wanted]);
  signs.feedLost = rates.lost(*layers[signs.sent.value_or(signs.wanted)]);
  if (index < figures.tracks.size()) {
    signs.withheld = figures.tracks[index].withholds;
    signs.lineLost = figures.tracks[index].lostShare;
  }
  if (const auto said = m_sending.find(subscription.key); said != m_sending.end()) signs.said = said->second;
  return signs;
}

/// A receiver may have two subscriptions of a stream for a moment, of which the newer is looked at.
std::vector<PictureDelivery> Subscriptions::deliveries() const {
  std::map<std::pair<ParticipantSid, StreamKey>, const Subscription*> newest;
  for (const auto& [id, subscription] : m_subscriptions) {
    const auto& tracks = subscription.tracks;
    if (std::none_of(tracks.begin(), tracks.end(),
                     [](const Track& each) { return each.kind == media::MediaKind::Video; }))
      continue;
    const Subscription*& kept = newest[{subscription.receiver, subscription.key}];
    if (kept == nullptr || kept->number < subscription.number) kept = &subscription;
  }
  std::vector<PictureDelivery> all;
  for (const auto& [whose, subscription] : newest) {
    const StreamKey& key = subscription->key;
    const TrackSource source = key.name == StreamName::Camera ? TrackSource::Camera : TrackSource::Screen;
    all.push_back({subscription->receiver, key.publisher, source, subscription->delivery.said()});
  }
  return all;
}

}  // namespace tactus::conference
