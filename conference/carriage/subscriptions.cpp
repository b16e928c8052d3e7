// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/subscriptions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "media/room/egress/whep_offer.h"

namespace tactus::conference {
namespace {

Subscriptions::Feeds feedsOfKind(const Subscriptions::Feeds& feeds, media::MediaKind kind) {
  Subscriptions::Feeds found;
  for (media::TrackFeed* feed : feeds)
    if (feed->format().kind == kind) found.push_back(feed);
  return found;
}

/// Of the feeds, the first of each kind that the offer takes: who receives without sound gets none.
Result<Subscriptions::Feeds> takenBy(std::string_view offer, const Subscriptions::Feeds& feeds) {
  const auto read = media::readWhepOffer(offer);
  if (!read.ok()) return read.error();
  Subscriptions::Feeds taken;
  for (media::TrackFeed* feed : feeds) {
    if (feed != feedsOfKind(feeds, feed->format().kind).front()) continue;
    const char* kind = feed->format().kind == media::MediaKind::Audio ? "audio" : "video";
    const auto& sections = read.value().media;
    if (std::any_of(sections.begin(), sections.end(),
                    [&](const auto& each) { return each.receives && each.media == kind; }))
      taken.push_back(feed);
  }
  if (taken.empty())
    return Error{ErrorCode::Unsupported, "The offer takes nothing of what is published there."};
  return taken;
}

}  // namespace

Result<media::WhepEgress::Answer> Subscriptions::subscribe(const ParticipantSid& receiver,
                                                           const StreamKey& key, const Feeds& feeds,
                                                           std::string_view offer) {
  if (feeds.empty()) return Error{ErrorCode::NotFound, "Nothing is published there now."};
  const auto taken = takenBy(offer, feeds);
  if (!taken.ok()) return taken.error();
  std::vector<media::EgressTrack> tracks;
  Subscription subscription{receiver, key, {}};
  for (media::TrackFeed* feed : taken.value()) {
    tracks.push_back({.feed = feed});
    subscription.tracks.push_back({feed->format().kind, feedsOfKind(feeds, feed->format().kind), feed});
  }
  auto answer = m_egress.subscribe(tracks, offer);
  if (!answer.ok()) return answer;
  subscription.number = ++m_made;
  auto& [id, made] = *m_subscriptions.emplace(answer.value().id, std::move(subscription)).first;
  for (std::size_t i = 0; i < made.tracks.size(); ++i) apply(id, made, i);
  return answer;
}

Result<void> Subscriptions::unsubscribe(const ParticipantSid& receiver, const std::string& id) {
  const auto found = m_subscriptions.find(id);
  // Another's subscription and one that never was look the same.
  if (found == m_subscriptions.end() || found->second.receiver != receiver)
    return Error{ErrorCode::NotFound, "There is no such subscription."};
  m_subscriptions.erase(found);
  return m_egress.remove(id);
}

void Subscriptions::follow(const StreamKey& key, const Feeds& feeds) {
  for (auto& [id, subscription] : m_subscriptions) {
    if (subscription.key != key) continue;
    for (std::size_t i = 0; i < subscription.tracks.size(); ++i) {
      subscription.tracks[i].layers = feedsOfKind(feeds, subscription.tracks[i].kind);
      apply(id, subscription, i);
    }
  }
}

void Subscriptions::letGo(const Feeds& feeds) {
  const auto goes = [&](media::TrackFeed* feed) {
    return std::find(feeds.begin(), feeds.end(), feed) != feeds.end();
  };
  for (auto& [id, subscription] : m_subscriptions)
    for (Track& track : subscription.tracks) {
      if (std::erase_if(track.layers, goes) > 0) m_sending.erase(subscription.key);
      if (goes(track.sent)) track.sent = nullptr;
    }
  for (media::TrackFeed* feed : feeds) {
    m_resting.erase(feed);
    m_egress.forget(*feed);
  }
}

void Subscriptions::setWish(const ParticipantSid& receiver, const StreamKey& key, media::MediaKind kind,
                            const Wish& wish) {
  m_wishes[{receiver, key, kind}] = wish;
  applyAll(key, kind, &receiver);
}

void Subscriptions::setMuted(const StreamKey& key, media::MediaKind kind, bool muted) {
  const bool changed = muted ? m_muted.insert({key, kind}).second : m_muted.erase({key, kind}) > 0;
  if (changed) applyAll(key, kind, nullptr);
}

/// `receiver`: nullptr: all.
void Subscriptions::applyAll(const StreamKey& key, media::MediaKind kind, const ParticipantSid* receiver) {
  for (auto& [id, subscription] : m_subscriptions) {
    if (subscription.key != key || (receiver != nullptr && subscription.receiver != *receiver)) continue;
    for (std::size_t i = 0; i < subscription.tracks.size(); ++i)
      if (subscription.tracks[i].kind == kind) apply(id, subscription, i);
  }
}

void Subscriptions::forget(const ParticipantSid& participant) {
  std::erase_if(m_subscriptions, [&](const auto& each) {
    const bool gone = each.second.receiver == participant || each.second.key.publisher == participant;
    if (gone) (void)m_egress.remove(each.first);  // may have ended by itself
    return gone;
  });
  std::erase_if(m_wishes, [&](const auto& each) {
    return each.first.receiver == participant || each.first.key.publisher == participant;
  });
  for (std::set<Muted>* const muted : {&m_muted, &m_silent})
    std::erase_if(*muted, [&](const Muted& each) { return each.key.publisher == participant; });
  std::erase_if(m_sending, [&](const auto& each) { return each.first.publisher == participant; });
  std::erase_if(m_sizes, [&](const auto& each) { return each.first.publisher == participant; });
  m_lines.erase(participant);
}

Subscriptions::Wish Subscriptions::wishOf(const Subscription& subscription, media::MediaKind kind) const {
  const auto found = m_wishes.find({subscription.receiver, subscription.key, kind});
  return found == m_wishes.end() ? Wish{} : found->second;
}

bool Subscriptions::isSent(const Subscription& subscription, media::MediaKind kind) const {
  return wishOf(subscription, kind).enabled && !m_muted.contains({subscription.key, kind});
}

/// Of the layers of a track, that which its place needs.
std::size_t Subscriptions::wantedLayer(const Subscription& subscription, const Track& track) const {
  const auto known = m_sizes.find(subscription.key);
  if (track.layers.size() < 2 || known == m_sizes.end()) return 0;
  const std::array sizes{known->second, media::halfOf(known->second)};
  return media::layerFor(wishOf(subscription, track.kind).place, sizes);
}

media::TrackFeed* Subscriptions::feedFor(const Subscription& subscription, const Track& track) const {
  if (track.layers.empty() || !isSent(subscription, track.kind)) return nullptr;
  if (track.kind == media::MediaKind::Audio) return track.layers.front();
  const std::size_t layer = std::max(wantedLayer(subscription, track), subscription.allowed);
  if (layer >= track.layers.size()) return nullptr;
  // What its publisher has paused is made up for by a smaller one.
  const auto flows = [this](const media::TrackFeed* feed) { return !m_resting.contains(feed); };
  const auto first = track.layers.begin() + static_cast<std::ptrdiff_t>(layer);
  const auto found = std::find_if(first, track.layers.end(), flows);
  return found != track.layers.end() ? *found : *first;
}

/// The egress sends the track's feed, or nothing. A feed of another encoding than was agreed is left out: its
/// receiver subscribes anew when it is told of the track.
void Subscriptions::apply(const std::string& id, Subscription& subscription, std::size_t track) {
  media::TrackFeed* const feed = feedFor(subscription, subscription.tracks[track]);
  if (std::exchange(subscription.tracks[track].sent, feed) == feed) return;
  if (const auto switched = m_egress.switchTo(id, track, feed); !switched.ok() && feed != nullptr)
    (void)m_egress.switchTo(id, track, nullptr);
}

void Subscriptions::look(periodic::TimePoint now, const FeedRates& rates) {
  std::map<ParticipantSid, Ids> receivers;
  m_resting.clear();
  for (const auto& [id, subscription] : m_subscriptions) {
    receivers[subscription.receiver].push_back(id);
    for (const Track& track : subscription.tracks)
      for (const media::TrackFeed* feed : track.layers)
        if (rates.rests(*feed)) m_resting.insert(feed);
  }
  for (const auto& [receiver, ids] : receivers) {
    divide(now, m_lines[receiver], ids, rates);
    judge(now, ids, rates);
  }
}

/// What is not known of the one size follows from the other.
PictureDemand Subscriptions::demandOf(const Subscription& subscription, const Track& track,
                                      const FeedRates& rates) const {
  PictureDemand demand{wishOf(subscription, track.kind).priority, {}, wantedLayer(subscription, track), 0};
  for (const media::TrackFeed* feed : track.layers)
    demand.layers.push_back(rates.of(*feed).value_or(net::BitRate()));
  if (demand.layers.size() == 2) {
    net::BitRate &large = demand.layers[0], &small = demand.layers[1];
    if (large.isZero()) large = net::BitRate::perSecond(small.bits() * 4);
    if (small.isZero()) small = net::BitRate::perSecond(large.bits() / 4);
  }
  demand.now = std::min(std::max(demand.wanted, subscription.allowed), demand.layers.size());
  return demand;
}

void Subscriptions::divide(periodic::TimePoint now, ReceiverLine& line, const Ids& ids,
                           const FeedRates& rates) {
  std::vector<ReceiverLine::Connection> connections;
  for (const std::string& id : ids) connections.push_back(connectionOf(id, m_subscriptions.at(id), rates));
  const auto division = line.divide(now, connections);
  // What is gone by now is not there at the next look either.
  if (division.raised) (void)m_egress.tryRate(ids[division.raised->connection], division.raised->rate);
  if (division.probe) (void)m_egress.probe(ids[division.probe->connection], division.probe->rate);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Subscription& subscription = m_subscriptions.at(ids[i]);
    subscription.allowed = division.layers[i];
    for (std::size_t track = 0; track < subscription.tracks.size(); ++track)
      apply(ids[i], subscription, track);
  }
}

ReceiverLine::Connection Subscriptions::connectionOf(const std::string& id, const Subscription& subscription,
                                                     const FeedRates& rates) const {
  const auto rateOf = [&](const media::TrackFeed* feed) {
    return feed != nullptr ? rates.of(*feed).value_or(net::BitRate()) : net::BitRate();
  };
  ReceiverLine::Connection connection{.name = id};
  if (const auto figures = m_egress.figures(id); figures.ok()) {
    connection.carries = figures.value().carries;
    connection.probed = figures.value().probed;
  }
  for (const Track& track : subscription.tracks) {
    const net::BitRate sent = rateOf(track.sent);
    (track.kind == media::MediaKind::Audio ? connection.sound : connection.pictures) = sent;
    if (track.kind == media::MediaKind::Video && !track.layers.empty() && isSent(subscription, track.kind))
      connection.demand = demandOf(subscription, track, rates);
  }
  return connection;
}

}  // namespace tactus::conference
