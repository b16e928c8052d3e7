// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/whep_egress.h"

#include <gst/gst.h>
#include <openssl/rand.h>

#include <array>
#include <utility>

#include "core/periodic/trace/format.h"
#include "media/room/egress/track_fanout.h"
#include "media/room/egress/whep_answer.h"
#include "media/room/egress/whep_offer.h"
#include "media/room/egress/whep_subscriber.h"

namespace tactus::media {

using periodic::MonotonicClock;

namespace {

/// A keyframe of a large picture waits as a whole; sound does not wait.
constexpr std::size_t kPictureSlots = 256, kSoundSlots = 32;

net::ByteContract usualContract(MediaKind kind) {
  if (kind == MediaKind::Audio) return {net::BitRate::perSecond(128'000), 4'000};
  return {net::BitRate::perSecond(2'500'000), 150'000};
}

net::FlowSpec specOf(const EgressTrack& track, MediaKind kind, const std::string& name) {
  return {.name = name,
          .linkClass = kind == MediaKind::Audio ? net::LinkClass::Audio : net::LinkClass::Stream,
          .weight = track.weight,
          .contract = track.contract.value_or(usualContract(kind))};
}

/// 128 random bits.
std::string unguessable() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return {};
  std::string text;
  for (const unsigned each : bytes) text += periodic::format("%02x", each);
  return text;
}

Error unknown() {
  return {ErrorCode::NotFound, "There is no such subscriber."};
}

}  // namespace

Result<std::unique_ptr<WhepEgress>> WhepEgress::start(Options options) {
  GError* error = nullptr;
  if (!gst_init_check(nullptr, nullptr, &error)) {
    g_clear_error(&error);
    return Error{ErrorCode::System, "GStreamer could not be initialised."};
  }
  return std::unique_ptr<WhepEgress>(new WhepEgress(std::move(options)));
}

WhepEgress::WhepEgress(Options options)
    : m_options(std::move(options)),
      m_ntp(std::chrono::system_clock::now().time_since_epoch(), MonotonicClock::now()),
      m_thread("whep-egress") {}

WhepEgress::~WhepEgress() {
  m_thread.call([this] { m_subscribers.clear(); });
}

Result<WhepEgress::Answer> WhepEgress::subscribe(const std::vector<EgressTrack>& tracks,
                                                 std::string_view offer) {
  Result<Answer> answer(Error{});
  m_thread.call([&] { answer = subscribeHere(tracks, offer); });
  return answer;
}

Result<WhepEgress::Answer> WhepEgress::subscribeHere(const std::vector<EgressTrack>& tracks,
                                                     std::string_view text) {
  if (tracks.empty()) return Error{ErrorCode::InvalidArgument, "There is no track to subscribe to."};
  const auto offer = readWhepOffer(text);
  if (!offer.ok()) return offer.error();
  std::vector<TrackFormat> formats;
  for (const EgressTrack& each : tracks) formats.push_back(each.feed->format());
  auto agreed = agree(offer.value(), formats);
  if (!agreed.ok()) return agreed.error();

  const std::uint64_t serial = ++m_serial;
  std::vector<WhepSubscriber::Leg> legs;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const bool sound = formats[i].kind == MediaKind::Audio;
    const std::string name = periodic::format(
        "subscriber %llu, %s %zu", static_cast<unsigned long long>(serial), sound ? "sound" : "pictures", i);
    auto flow = EgressFlow::create(m_options.link, specOf(tracks[i], formats[i].kind, name),
                                   sound ? kSoundSlots : kPictureSlots);
    if (!flow.ok()) return Error{ErrorCode::Refused, flow.error().sentence};
    legs.push_back({.track = agreed.value()[i],
                    .format = formats[i],
                    .flow = std::move(flow).value(),
                    .source = fanoutOf(*tracks[i].feed)});
  }

  const std::string id = unguessable();
  if (id.empty()) return Error{ErrorCode::System, "There are no random numbers."};
  auto subscriber = WhepSubscriber::create({m_thread.context(), &m_options, &m_ntp}, offer.value(),
                                           std::move(legs), [this, id](const std::string& reason) {
                                             // Not here: the subscriber is on the stack.
                                             m_thread.post([this, id, reason] { over(id, reason); });
                                           });
  if (!subscriber.ok()) return subscriber.error();
  Answer answer{.id = id, .description = subscriber.value()->answer(offer.value(), "tactus")};
  m_subscribers.emplace(id, std::move(subscriber).value());
  return answer;
}

std::shared_ptr<TrackFanout> WhepEgress::fanoutOf(TrackFeed& feed) {
  std::erase_if(m_fanouts, [](const auto& each) { return each.second.expired(); });
  auto& known = m_fanouts[&feed];
  if (auto fanout = known.lock()) return fanout;
  auto fanout = std::make_shared<TrackFanout>(feed);
  known = fanout;
  return fanout;
}

void WhepEgress::over(const std::string& id, const std::string& reason) {
  if (m_subscribers.erase(id) > 0 && m_options.gone) m_options.gone(id, reason);
}

Result<void> WhepEgress::switchTo(const std::string& id, std::size_t track, TrackFeed* feed) {
  Result<void> result;
  m_thread.call([&] {
    const auto found = m_subscribers.find(id);
    if (found == m_subscribers.end() || track >= found->second->tracks()) {
      result = unknown();
      return;
    }
    if (feed == nullptr) return found->second->switchTo(track, nullptr);
    const TrackFormat format = feed->format();
    const TrackFormat& agreed = found->second->format(track);
    if (format.kind != agreed.kind || format.encoding != agreed.encoding ||
        format.clockRate != agreed.clockRate) {
      result = Error{ErrorCode::Unsupported,
                     "The subscriber takes " + agreed.encoding + ", not " + format.encoding + "."};
      return;
    }
    found->second->switchTo(track, fanoutOf(*feed));
  });
  return result;
}

Result<void> WhepEgress::remove(const std::string& id) {
  bool removed = false;
  m_thread.call([&] { removed = m_subscribers.erase(id) > 0; });
  if (!removed) return unknown();
  return {};
}

void WhepEgress::forget(TrackFeed& feed) {
  m_thread.call([&] {
    for (const auto& [id, subscriber] : m_subscribers) subscriber->forget(feed);
    m_fanouts.erase(&feed);
  });
}

Result<void> WhepEgress::withSubscriber(const std::string& id,
                                        const std::function<void(WhepSubscriber&)>& work) {
  Result<void> result(unknown());
  m_thread.call([&] {
    const auto found = m_subscribers.find(id);
    if (found == m_subscribers.end()) return;
    work(*found->second);
    result = {};
  });
  return result;
}

Result<void> WhepEgress::tryRate(const std::string& id, net::BitRate rate) {
  return withSubscriber(id, [rate](WhepSubscriber& subscriber) { subscriber.tryRate(rate); });
}

Result<void> WhepEgress::probe(const std::string& id, net::BitRate rate) {
  return withSubscriber(id, [rate](WhepSubscriber& subscriber) { subscriber.probe(rate); });
}

Result<SubscriberFigures> WhepEgress::figures(const std::string& id) {
  Result<SubscriberFigures> figures(unknown());
  m_thread.call([&] {
    if (const auto found = m_subscribers.find(id); found != m_subscribers.end())
      figures = found->second->figures();
  });
  return figures;
}

std::size_t WhepEgress::subscribers() {
  std::size_t count = 0;
  m_thread.call([&] { count = m_subscribers.size(); });
  return count;
}

}  // namespace tactus::media
