// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/subscriptions.h"

#include <algorithm>

#include "media/room/egress/whep_offer.h"

namespace tactus::conference {
namespace {

/// Of the feeds, those of which the offer takes the kind: who receives without sound gets none.
Result<Subscriptions::Feeds> takenBy(std::string_view offer, const Subscriptions::Feeds& feeds) {
  const auto read = media::readWhepOffer(offer);
  if (!read.ok()) return read.error();
  Subscriptions::Feeds taken;
  for (media::TrackFeed* feed : feeds) {
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
    subscription.tracks.push_back({feed->format().kind, feed});
  }
  auto answer = m_egress.subscribe(tracks, offer);
  if (!answer.ok()) return answer;
  const auto& [id, made] = *m_subscriptions.emplace(answer.value().id, std::move(subscription)).first;
  for (std::size_t i = 0; i < made.tracks.size(); ++i)
    if (!isSent(made, made.tracks[i].kind)) apply(id, made, i);
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
      Track& track = subscription.tracks[i];
      const auto found = std::find_if(feeds.begin(), feeds.end(),
                                      [&](auto* feed) { return feed->format().kind == track.kind; });
      track.feed = found == feeds.end() ? nullptr : *found;
      apply(id, subscription, i);
    }
  }
}

void Subscriptions::letGo(const Feeds& feeds) {
  for (auto& [id, subscription] : m_subscriptions)
    for (Track& track : subscription.tracks)
      if (std::find(feeds.begin(), feeds.end(), track.feed) != feeds.end()) track.feed = nullptr;
  for (media::TrackFeed* feed : feeds) m_egress.forget(*feed);
}

void Subscriptions::setEnabled(const ParticipantSid& receiver, const StreamKey& key, media::MediaKind kind,
                               bool enabled) {
  const Disabled which{receiver, key, kind};
  const bool changed = enabled ? m_disabled.erase(which) > 0 : m_disabled.insert(which).second;
  if (!changed) return;
  for (const auto& [id, subscription] : m_subscriptions) {
    if (subscription.receiver != receiver || subscription.key != key) continue;
    for (std::size_t i = 0; i < subscription.tracks.size(); ++i)
      if (subscription.tracks[i].kind == kind) apply(id, subscription, i);
  }
}

void Subscriptions::setMuted(const StreamKey& key, media::MediaKind kind, bool muted) {
  const bool changed = muted ? m_muted.insert({key, kind}).second : m_muted.erase({key, kind}) > 0;
  if (!changed) return;
  for (const auto& [id, subscription] : m_subscriptions) {
    if (subscription.key != key) continue;
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
  std::erase_if(m_disabled, [&](const Disabled& each) {
    return each.receiver == participant || each.key.publisher == participant;
  });
  std::erase_if(m_muted, [&](const Muted& each) { return each.key.publisher == participant; });
}

bool Subscriptions::isSent(const Subscription& subscription, media::MediaKind kind) const {
  return !m_disabled.contains({subscription.receiver, subscription.key, kind}) &&
         !m_muted.contains({subscription.key, kind});
}

/// The egress sends the track's feed, or nothing. A feed of another encoding than was agreed is left out: its
/// receiver subscribes anew when it is told of the track.
void Subscriptions::apply(const std::string& id, const Subscription& subscription, std::size_t track) {
  const Track& each = subscription.tracks[track];
  media::TrackFeed* const feed = isSent(subscription, each.kind) ? each.feed : nullptr;
  if (const auto switched = m_egress.switchTo(id, track, feed); !switched.ok() && feed != nullptr)
    (void)m_egress.switchTo(id, track, nullptr);
}

}  // namespace tactus::conference
