// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/room_media.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "conference/carriage/ingress_name.h"

namespace tactus::conference {
namespace {

constexpr const char* kSdp = "application/sdp";
constexpr unsigned kLook = 500;  // ms

std::string headerOf(const DoorRequest& request, const char* name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}

bool startsIgnoringCase(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [](char one, char other) { return g_ascii_tolower(one) == g_ascii_tolower(other); });
}

/// RFC 6750, 2.1; empty: there is none.
std::string bearerOf(const DoorRequest& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string value = headerOf(request, "authorization");
  return startsIgnoringCase(value, kScheme) ? value.substr(kScheme.size()) : std::string();
}

DoorAnswer refusal(unsigned status, const std::string& sentence) {
  return {status, "text/plain; charset=utf-8", {}, sentence + "\n"};
}

DoorAnswer refusal(const server::Refused& refused) {
  const bool locked = refused.reason == RefusalReason::Locked, full = refused.reason == RefusalReason::Full;
  return refusal(locked ? 423 : full ? 503 : 403, refused.message);
}

DoorAnswer refusal(const Error& error) {
  switch (error.code) {
    case ErrorCode::Corrupt:
      return refusal(400, error.message);
    case ErrorCode::NotFound:
      return refusal(404, error.message);
    case ErrorCode::InvalidArgument:
    case ErrorCode::Unsupported:
      return refusal(422, error.message);
    case ErrorCode::Refused:
    case ErrorCode::Unavailable:
      return refusal(503, error.message);
    default:
      return refusal(500, error.message);
  }
}

/// Absolute, as a browser needs it: `path` is below the token's.
std::string locationOf(const DoorRequest& request, const std::string& path) {
  return "/r/" + request.token + "/" + path;
}

std::optional<StreamName> publishedAt(const std::string& path) {
  for (const StreamName name : {StreamName::Camera, StreamName::Screen}) {
    const std::string endpoint = "whip/" + std::string(nameOf(name));
    if (path == endpoint || path.starts_with(endpoint + "/")) return name;
  }
  return std::nullopt;
}

media::WhipRequest whipRequestOf(const DoorRequest& request) {
  return {request.method, request.path, headerOf(request, "content-type"), request.body};
}

DoorAnswer answerOf(const DoorRequest& request, media::WhipResponse response) {
  DoorAnswer answer{static_cast<unsigned>(response.status), {}, {}, std::move(response.body)};
  for (auto& [header, value] : response.headers) {
    if (header == "Content-Type") {
      answer.contentType = std::move(value);
    } else {
      answer.headers.emplace_back(header, header == "Location" ? locationOf(request, value) : value);
    }
  }
  return answer;
}

std::vector<TrackSource> sourcesOf(const media::PublishOffer& offer) {
  std::vector<TrackSource> sources;
  for (const auto& each : offer.media)
    sources.push_back(each.format.kind == media::MediaKind::Audio ? TrackSource::Microphone
                                                                  : TrackSource::Camera);
  return sources;
}

/// Of a description, or of a setting.
template <typename Sized>
media::PictureSize sizeOf(const Sized& sized) {
  return {static_cast<int>(sized.width), static_cast<int>(sized.height)};
}

media::MediaKind mediaKindOf(TrackKind kind) {
  return kind == TrackKind::Audio ? media::MediaKind::Audio : media::MediaKind::Video;
}

}  // namespace

Result<std::unique_ptr<RoomMedia>> RoomMedia::start(const Options& options) {
  std::unique_ptr<RoomMedia> media(new RoomMedia);
  Result<void> opened;
  media->m_thread.call([&] { opened = media->open(options); });
  if (!opened.ok()) return opened.error();
  return media;
}

Result<void> RoomMedia::open(const Options& options) {
  auto certificate = media::DtlsCertificate::generate();
  if (!certificate.ok()) return certificate.error();
  auto egress = media::WhepEgress::start({.certificate = std::move(certificate).value(),
                                          .link = options.link,
                                          .addresses = options.addresses,
                                          .gone = [this](const std::string& id, const std::string&) {
                                            m_thread.post([this, id] {
                                              if (m_subscriptions) m_subscriptions->ended(id);
                                            });
                                          }});
  if (!egress.ok()) return egress.error();
  m_egress = std::move(egress).value();
  m_subscriptions = std::make_unique<Subscriptions>(*m_egress);
  Publications::Hooks hooks;
  hooks.begun = [this](const StreamKey& key, const auto& feeds) { m_subscriptions->follow(key, feeds); };
  hooks.ending = [this](const auto& feeds) {
    m_subscriptions->letGo(feeds);
    for (const media::TrackFeed* feed : feeds) m_rates.forget(*feed);
  };
  hooks.ingressEnded = [this](const auto& sid, LeaveReason reason) { noteEnd(sid, reason); };
  m_publications = std::make_unique<Publications>(m_thread, options.addresses, std::move(hooks));
  media::WhipIngest::prewarm();
  m_look = {m_thread.context(), kLook, [this] { divideLines(); }};
  return {};
}

RoomMedia::~RoomMedia() {
  m_thread.call([this] {
    m_look.stop();
    m_publications.reset();  // lets its feeds go
    m_subscriptions.reset();
    m_egress.reset();
  });
}

RouteHandler RoomMedia::answeredBy(Handler handler, const Room& room) {
  return [this, handler, whoOf = room.whoOf](const DoorRequest& request, const Reply& reply) {
    const auto who = whoOf(bearerOf(request));
    if (!who) {
      DoorAnswer answer = refusal(401, "The session of somebody in the room is needed as bearer token.");
      answer.headers.emplace_back("WWW-Authenticate", "Bearer");
      return reply(std::move(answer));
    }
    m_thread.post(
        [this, handler, request, reply, asking = *who] { reply((this->*handler)(asking, request)); });
  };
}

void RoomMedia::addTo(Routes& routes, const Room& room) {
  const auto publishing = answeredBy(&RoomMedia::publish, room);
  const auto byParticipantOrIngress = [this, publishing](const DoorRequest& request, const Reply& reply) {
    publishedAt(request.path) ? publishing(request, reply) : answerIngress(request, reply);
  };
  // RFC 9725, 4.1: whoever has the address may ask what can be done there.
  const auto options = [this](const DoorRequest& request, const Reply& reply) {
    if (!publishedAt(request.path)) return answerIngress(request, reply);
    m_thread.post([this, request, reply] { reply(publish({}, request)); });
  };
  routes.add("POST", "whip", [this, room](const DoorRequest& request, const Reply& reply) {
    beginIngress(room, request, reply);
  });
  for (const char* method : {"POST", "DELETE", "PATCH"}) routes.add(method, "whip/*", byParticipantOrIngress);
  for (const char* path : {"whip", "whip/*"}) routes.add("OPTIONS", path, options);
  routes.add("POST", "whep/*", answeredBy(&RoomMedia::subscribe, room));
  routes.add("DELETE", "whep/*", answeredBy(&RoomMedia::unsubscribe, room));
}

/// On the door's thread: what cannot be published makes no participant.
void RoomMedia::beginIngress(const Room& room, const DoorRequest& request, const Reply& reply) {
  const auto posted = media::postedOffer(whipRequestOf(request));
  if (const auto* const wrong = std::get_if<media::WhipResponse>(&posted))
    return reply(answerOf(request, *wrong));
  const auto begun = room.beginIngress(request.token, ingressName(request.query, bearerOf(request)),
                                       sourcesOf(std::get<media::PublishOffer>(posted)));
  if (const auto* const refused = std::get_if<server::Refused>(&begun)) return reply(refusal(*refused));
  m_thread.post([this, request, reply, sid = std::get<ParticipantSid>(begun)] {
    const auto response = m_publications->handleIngress(sid, whipRequestOf(request));
    if (response.status != 201) noteEnd(sid, LeaveReason::Left);
    reply(answerOf(request, response));
  });
}

void RoomMedia::answerIngress(const DoorRequest& request, const Reply& reply) {
  m_thread.post([this, request, reply] {
    reply(answerOf(request, m_publications->handleIngress(std::nullopt, whipRequestOf(request))));
  });
}

void RoomMedia::noteEnd(const ParticipantSid& ingress, LeaveReason reason) {
  const std::lock_guard lock(m_mutex);
  m_endedIngresses.push_back({ingress, reason});
}

std::vector<RoomMedia::EndedIngress> RoomMedia::takeEndedIngresses() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_endedIngresses, {});
}

DoorAnswer RoomMedia::publish(const ParticipantSid& who, const DoorRequest& request) {
  return answerOf(request, m_publications->handle(who, *publishedAt(request.path), whipRequestOf(request)));
}

DoorAnswer RoomMedia::subscribe(const ParticipantSid& who, const DoorRequest& request) {
  const auto key = StreamKey::parse(request.rest);
  if (!key) return refusal(404, "There is nothing here.");
  if (!startsIgnoringCase(headerOf(request, "content-type"), kSdp))
    return refusal(415, "The body of the request must be of type application/sdp.");
  const bool announced = std::any_of(m_published.begin(), m_published.end(),
                                     [&](const auto& each) { return each.second.key == *key; });
  const Publications::Feeds feeds = m_publications->feedsOf(*key);
  if (feeds.empty() && announced) {
    DoorAnswer answer = refusal(503, "The stream was announced, and has not begun yet.");
    answer.headers.emplace_back("Retry-After", "1");
    return answer;
  }
  auto subscribed = m_subscriptions->subscribe(who, *key, feeds, request.body);
  if (!subscribed.ok()) return refusal(subscribed.error());
  DoorAnswer answer{201, kSdp, {}, std::move(subscribed.value().description)};
  answer.headers.emplace_back("Location", locationOf(request, "whep/" + subscribed.value().id));
  return answer;
}

DoorAnswer RoomMedia::unsubscribe(const ParticipantSid& who, const DoorRequest& request) {
  const auto ended = m_subscriptions->unsubscribe(who, request.rest);
  return ended.ok() ? DoorAnswer{} : refusal(ended.error());
}

void RoomMedia::take(const RoomNews& news) {
  std::visit(
      [this](const auto& each) {
        using Each = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<Each, server::ParticipantLeft> ||
                      std::is_same_v<Each, server::TrackPublished> ||
                      std::is_same_v<Each, server::TrackMuted> || std::is_same_v<Each, SettingChanged> ||
                      std::is_same_v<Each, SendingChanged>)
          m_thread.post([this, each] { on(each); });
        else if constexpr (std::is_same_v<Each, server::TrackUnpublished>)
          m_thread.post([this, track = each.track] { m_published.erase(track); });
      },
      news);
}

void RoomMedia::on(const server::ParticipantLeft& left) {
  m_publications->forget(left.sid);
  m_subscriptions->forget(left.sid);
  std::erase_if(m_published, [&](const auto& each) { return each.second.key.publisher == left.sid; });
}

void RoomMedia::on(const server::TrackPublished& published) {
  const TrackDescription& track = published.track.description;
  const StreamKey key{published.sid, streamOf(track.source)};
  m_published[published.track.sid] = {key, kindOf(track.source)};
  m_subscriptions->setSilent(key, mediaKindOf(kindOf(track.source)), published.track.muted);
  if (kindOf(track.source) != TrackKind::Video) return;
  m_subscriptions->setSize(key, sizeOf(track));
  m_subscriptions->setSending(key, {});
}

/// A client that is muted sends nothing; an ingress hears nothing of the room.
void RoomMedia::on(const server::TrackMuted& muted) {
  const auto track = m_published.find(muted.track);
  if (track == m_published.end()) return;
  const auto& [key, kind] = track->second;
  m_subscriptions->setSilent(key, mediaKindOf(kind), muted.muted);
  if (m_publications->isIngress(key)) m_subscriptions->setMuted(key, mediaKindOf(kind), muted.muted);
}

void RoomMedia::on(const SettingChanged& changed) {
  const auto track = m_published.find(changed.track);
  if (track == m_published.end()) return;
  const TrackSetting& setting = changed.setting;
  m_subscriptions->setWish(changed.receiver, track->second.key, mediaKindOf(track->second.kind),
                           {setting.enabled, sizeOf(setting), setting.priority});
}

void RoomMedia::on(const SendingChanged& changed) {
  const auto track = m_published.find(changed.track);
  if (track != m_published.end() && track->second.kind == TrackKind::Video)
    m_subscriptions->setSending(track->second.key, changed.sending);
}

std::vector<PictureDelivery> RoomMedia::deliveries() {
  const std::lock_guard lock(m_mutex);
  return m_deliveries;
}

void RoomMedia::divideLines() {
  const auto now = periodic::MonotonicClock::now();
  m_publications->measure(now, m_rates);
  m_subscriptions->look(now, m_rates);
  auto deliveries = m_subscriptions->deliveries();
  const std::lock_guard lock(m_mutex);
  m_deliveries = std::move(deliveries);
}

}  // namespace tactus::conference
