// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/whep_subscriber.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "media/room/egress/rtcp_feedback.h"
#include "media/room/egress/selected_path.h"
#include "media/room/egress/stream_numbers.h"

namespace tactus::media {

using periodic::MonotonicClock;

namespace {

constexpr guint kComponent = 1;
constexpr unsigned kHandshakeLook = 50, kReportPeriod = 1000, kProbeStep = 10;  // ms
constexpr std::size_t kMostHeld = 16;                                           // datagrams of a handshake
constexpr std::size_t kMostAsked = 256;  // packets that one RTCP packet gets again

}  // namespace

Result<std::unique_ptr<WhepSubscriber>> WhepSubscriber::create(const Surroundings& surroundings,
                                                               const WhepOffer& offer, std::vector<Leg> legs,
                                                               Over over) {
  std::unique_ptr<WhepSubscriber> made(new WhepSubscriber(surroundings, std::move(legs), std::move(over)));
  if (const auto prepared = made->prepare(offer); !prepared.ok()) return prepared.error();
  if (const auto gathered = made->gather(); !gathered.ok()) return gathered.error();
  made->take(offer);
  return made;
}

WhepSubscriber::WhepSubscriber(const Surroundings& surroundings, std::vector<Leg> legs, Over over)
    : m_surroundings(surroundings), m_over(std::move(over)) {
  for (Leg& each : legs) {
    chooseSsrcs(each.track);
    Track track{.agreed = each.track, .format = each.format, .leg = {}, .source = std::move(each.source)};
    track.leg = std::make_unique<EgressLeg>(m_channel, each.track, firstPosition(), std::move(each.flow));
    m_legs.push_back(std::move(track));
  }
}

WhepSubscriber::~WhepSubscriber() {
  for (Track& each : m_legs)
    for (const auto& source : {each.source, each.next})
      if (source != nullptr) source->remove(*each.leg);
  if (m_agent == nullptr) return;
  if (m_handshake != nullptr) m_handshake->close();
  nice_agent_attach_recv(m_agent.get(), m_stream, kComponent, m_surroundings.context, nullptr, nullptr);
  g_signal_handlers_disconnect_by_data(m_agent.get(), this);
  nice_agent_remove_stream(m_agent.get(), m_stream);
}

Result<void> WhepSubscriber::prepare(const WhepOffer& offer) {
  m_active = offer.setup == DtlsSetup::Passive;
  auto handshake =
      DtlsHandshake::create(m_surroundings.options->certificate,
                            m_active ? DtlsHandshake::Role::Client : DtlsHandshake::Role::Server,
                            offer.fingerprint, [this](Bytes datagram) { sendHandshake(datagram); });
  if (!handshake.ok()) return handshake.error();
  m_handshake = std::move(handshake).value();

  // libnice gives a path up once two of its checks of consent (RFC 7675) are lost, 5 s apart and never
  // repeated: on a line that loses packets that is often. Whether the peer is there is seen by its RTCP.
  m_agent.reset(
      nice_agent_new_full(m_surroundings.context, NICE_COMPATIBILITY_RFC5245, NICE_AGENT_OPTION_NONE));
  NiceAgent* const agent = m_agent.get();
  // UPnP costs 200 ms, and TCP is of no use to media that is late.
  g_object_set(agent, "upnp", FALSE, "ice-tcp", FALSE, "controlling-mode", FALSE, nullptr);
  for (const std::string& each : m_surroundings.options->addresses) {
    NiceAddress address;
    nice_address_init(&address);
    if (!nice_address_set_from_string(&address, each.c_str()))
      return Error{ErrorCode::InvalidArgument, "'" + each + "' is no address of IPv4 or IPv6."};
    nice_agent_add_local_address(agent, &address);
  }
  m_stream = nice_agent_add_stream(agent, 1);
  g_signal_connect(agent, "new-selected-pair-full", G_CALLBACK(&WhepSubscriber::pairSelected), this);
  nice_agent_attach_recv(agent, m_stream, kComponent, m_surroundings.context, &WhepSubscriber::received,
                         this);
  return {};
}

/// Host candidates are there at once: no server is asked for others.
Result<void> WhepSubscriber::gather() {
  const bool begun = nice_agent_gather_candidates(m_agent.get(), m_stream);
  GSList* const found =
      begun ? nice_agent_get_local_candidates(m_agent.get(), m_stream, kComponent) : nullptr;
  const bool any = found != nullptr;
  g_slist_free_full(found, reinterpret_cast<GDestroyNotify>(nice_candidate_free));
  if (!any) return Error{ErrorCode::Unavailable, "There is no network address to send from."};
  return {};
}

/// The subscriber's side of ICE; from now on it must be connected in time.
void WhepSubscriber::take(const WhepOffer& offer) {
  NiceAgent* const agent = m_agent.get();
  nice_agent_set_remote_credentials(agent, m_stream, offer.iceUser.c_str(), offer.icePassword.c_str());
  GSList* candidates = nullptr;
  for (const std::string& each : offer.candidates) {
    NiceCandidate* const read = nice_agent_parse_remote_candidate_sdp(agent, m_stream, ("a=" + each).c_str());
    if (read != nullptr) candidates = g_slist_append(candidates, read);
  }
  nice_agent_set_remote_candidates(agent, m_stream, kComponent, candidates);
  g_slist_free_full(candidates, reinterpret_cast<GDestroyNotify>(nice_candidate_free));
  for (Track& each : m_legs)
    if (each.source != nullptr) each.source->add(*each.leg);

  using std::chrono::milliseconds;
  const auto timeout = std::chrono::duration_cast<milliseconds>(m_surroundings.options->connectTimeout);
  m_handshakeTimer = {m_surroundings.context, kHandshakeLook, [this] {
                        m_handshake->handleTimeout();
                        lookAtHandshake();
                      }};
  m_connectTimer = {m_surroundings.context, static_cast<unsigned>(timeout.count()),
                    [this] { finish("The subscriber did not connect in time."); }};
}

std::string WhepSubscriber::answer(const WhepOffer& offer, const std::string& name) const {
  NiceAgent* const agent = m_agent.get();
  AnswerTransport transport{
      .fingerprint = m_surroundings.options->certificate.fingerprint(), .active = m_active, .name = name};
  gchar *user = nullptr, *password = nullptr;
  if (nice_agent_get_local_credentials(agent, m_stream, &user, &password)) {
    transport.iceUser = user;
    transport.icePassword = password;
  }
  g_free(user);
  g_free(password);
  GSList* const candidates = nice_agent_get_local_candidates(agent, m_stream, kComponent);
  for (const GSList* each = candidates; each != nullptr; each = each->next) {
    gchar* const line =
        nice_agent_generate_local_candidate_sdp(agent, static_cast<NiceCandidate*>(each->data));
    transport.candidates.emplace_back(line + std::string_view("a=").size());
    g_free(line);
  }
  g_slist_free_full(candidates, reinterpret_cast<GDestroyNotify>(nice_candidate_free));
  std::vector<AgreedTrack> tracks;
  for (const Track& each : m_legs) tracks.push_back(each.agreed);
  return writeWhepAnswer(offer, tracks, transport);
}

void WhepSubscriber::received(NiceAgent*, guint, guint, guint bytes, gchar* data, gpointer self) {
  auto& subscriber = *static_cast<WhepSubscriber*>(self);
  const std::span datagram(reinterpret_cast<std::byte*>(data), bytes);
  // RFC 7983, 7: which protocol a datagram is of.
  const unsigned first = datagram.empty() ? 0u : std::to_integer<unsigned>(datagram[0]);
  constexpr unsigned kFirstDtls = 20, kLastDtls = 63;
  if (first >= kFirstDtls && first <= kLastDtls) {
    subscriber.m_handshake->receive(datagram);
    subscriber.lookAtHandshake();
  } else if (isRtcp(datagram)) {
    subscriber.receiveRtcp(datagram);
  }
}

/// The peer's first flight comes before a pair is selected; without holding the answer it would have to wait
/// for a retransmission.
void WhepSubscriber::sendHandshake(Bytes datagram) {
  const auto sent = nice_agent_send(m_agent.get(), m_stream, kComponent, static_cast<guint>(datagram.size()),
                                    reinterpret_cast<const gchar*>(datagram.data()));
  if (sent < 0 && m_held.size() < kMostHeld) m_held.emplace_back(datagram.begin(), datagram.end());
}

void WhepSubscriber::pairSelected(NiceAgent*, guint, guint, NiceCandidate*, NiceCandidate*, gpointer self) {
  auto& subscriber = *static_cast<WhepSubscriber*>(self);
  subscriber.choosePath();
  const bool first = !subscriber.m_figures.connected && subscriber.m_held.empty();
  for (const auto& each : std::exchange(subscriber.m_held, {})) subscriber.sendHandshake(each);
  if (first && subscriber.m_active) {
    subscriber.m_handshake->start();
    subscriber.lookAtHandshake();
  }
}

void WhepSubscriber::choosePath() {
  if (auto path = selectedPath(m_agent.get(), m_stream, kComponent)) m_channel.setPath(std::move(path));
}

void WhepSubscriber::lookAtHandshake() {
  switch (m_handshake->state()) {
    case DtlsHandshake::State::Handshaking:
      return;
    case DtlsHandshake::State::Ready:
      if (!m_figures.connected) openMedia();
      return;
    case DtlsHandshake::State::Closed:
      return finish("The subscriber has closed the connection.");
    case DtlsHandshake::State::Failed:
      return finish(m_handshake->error().message);
  }
}

void WhepSubscriber::openMedia() {
  const SrtpKeys& keys = *m_handshake->keys();
  std::vector<std::uint32_t> ssrcs;
  for (const Track& each : m_legs) {
    ssrcs.push_back(each.agreed.stream.ssrc);
    if (each.agreed.retransmission) ssrcs.push_back(each.agreed.retransmission->ssrc);
  }
  auto sending = SrtpSession::create(keys.profile, keys.local, SrtpSession::Direction::Sends, ssrcs);
  auto receiving = SrtpSession::create(keys.profile, keys.remote, SrtpSession::Direction::Receives);
  if (!sending.ok()) return finish(sending.error().message);
  if (!receiving.ok()) return finish(receiving.error().message);
  m_receiving.emplace(std::move(receiving).value());
  choosePath();
  m_channel.open(std::move(sending).value());
  m_figures.connected = true;
  m_heard = MonotonicClock::now();
  m_handshakeTimer.stop();
  m_connectTimer.stop();
  m_reportTimer = {m_surroundings.context, kReportPeriod, [this] {
                     if (MonotonicClock::now() - m_heard > m_surroundings.options->silence)
                       return finish("The subscriber is not reached any more.");
                     sendReports();
                     lookAtPictures();
                   }};
  for (const Track& each : m_legs)
    if (each.source != nullptr && each.format.kind == MediaKind::Video) each.source->feed().requestKeyframe();
}

void WhepSubscriber::receiveRtcp(std::span<std::byte> packet) {
  if (!m_receiving) return;
  ++m_figures.rtcpPackets;
  const auto opened = m_receiving->unprotectRtcp(packet);
  const auto feedback = opened ? readRtcp(*opened) : Result<RtcpFeedback>(Error{});
  if (!feedback.ok()) {
    ++m_figures.rtcpUnreadable;
    return;
  }
  m_heard = MonotonicClock::now();
  act(feedback.value());
}

void WhepSubscriber::act(const RtcpFeedback& feedback) {
  const auto now = MonotonicClock::now();
  for (const ReceptionReport& report : feedback.reports) {
    Track* const track = trackOf(report.ssrc);
    if (track == nullptr) continue;
    track->figures.lostShare = report.lostShare;
    track->figures.lost = report.lost;
    if (const auto roundTrip = roundTripOf(report, m_surroundings.ntp->at(now)))
      m_figures.roundTrip = roundTrip;
  }
  std::size_t left = kMostAsked;
  for (const RetransmissionRequest& request : feedback.retransmissions) {
    Track* const track = trackOf(request.ssrc);
    if (track == nullptr || track->source == nullptr) continue;
    settle(*track);
    const auto some = std::span(request.sequences).first(std::min(left, request.sequences.size()));
    left -= some.size();
    track->source->repeat(*track->leg, some, now);
  }
  for (const std::uint32_t ssrc : feedback.keyframes)
    if (Track* const track = trackOf(ssrc)) requestKeyframe(*track);
  for (const TransportFeedback& each : feedback.transport) m_channel.told(each, now);
}

void WhepSubscriber::requestKeyframe(Track& track) {
  ++track.figures.keyframesAsked;
  if (track.leg->withholds()) return;  // lookAtPictures() asks in time
  settle(track);
  for (const auto& source : {track.source, track.next})
    if (source != nullptr) source->feed().requestKeyframe();
}

WhepSubscriber::Track* WhepSubscriber::trackOf(std::uint32_t ssrc) {
  const auto found =
      std::find_if(m_legs.begin(), m_legs.end(), [&](const Track& each) { return each.leg->ssrc() == ssrc; });
  return found == m_legs.end() ? nullptr : &*found;
}

void WhepSubscriber::lookAtPictures() {
  const auto now = MonotonicClock::now();
  for (Track& each : m_legs) {
    settle(each);
    if (each.next != nullptr) each.next->feed().requestKeyframe();
    if (each.source != nullptr && each.leg->wantsKeyframe(now)) each.source->feed().requestKeyframe();
  }
}

void WhepSubscriber::sendReports() {
  const auto now = MonotonicClock::now();
  for (const Track& each : m_legs) {
    auto report = each.leg->report(now, m_surroundings.ntp->at(now));
    if (!report) continue;
    report->name = "tactus";
    std::vector<std::byte> packet = writeSenderReport(*report);
    const std::size_t clear = packet.size();
    packet.resize(clear + kSrtpOverhead);
    if (const auto bytes = m_channel.sealRtcp(packet, clear))
      nice_agent_send(m_agent.get(), m_stream, kComponent, static_cast<guint>(*bytes),
                      reinterpret_cast<const gchar*>(packet.data()));
  }
}

void WhepSubscriber::settle(Track& track) {
  if (track.next == nullptr || !track.next->serves(*track.leg)) return;
  track.source->remove(*track.leg);
  track.source = std::move(track.next);
}

void WhepSubscriber::dropNext(Track& track) {
  if (track.next == nullptr) return;
  track.leg->await(nullptr);
  settle(track);  // it may have taken over before
  if (const auto next = std::exchange(track.next, nullptr)) next->remove(*track.leg);
}

void WhepSubscriber::switchTo(std::size_t track, std::shared_ptr<TrackFanout> source) {
  Track& changed = m_legs[track];
  dropNext(changed);
  if (changed.source == source) return;
  if (source != nullptr && changed.source != nullptr && changed.format.kind == MediaKind::Video) {
    changed.next = std::move(source);
    changed.next->addNext(*changed.leg);
    changed.next->feed().requestKeyframe();
    return;
  }
  if (changed.source != nullptr) changed.source->remove(*changed.leg);
  changed.source = std::move(source);
  if (changed.source == nullptr) return;
  changed.source->add(*changed.leg);
  if (changed.format.kind == MediaKind::Video) changed.source->feed().requestKeyframe();
}

void WhepSubscriber::forget(const TrackFeed& feed) {
  const auto isOf = [&](const auto& source) { return source != nullptr && &source->feed() == &feed; };
  for (Track& each : m_legs) {
    settle(each);
    if (isOf(each.next)) dropNext(each);
    if (!isOf(each.source)) continue;
    each.source->remove(*each.leg);
    each.source = std::move(each.next);
    if (each.source == nullptr) continue;
    each.source->add(*each.leg);
    each.source->feed().requestKeyframe();
  }
}

void WhepSubscriber::probe(net::BitRate rate) {
  m_channel.beginProbe(rate, MonotonicClock::now());
  m_probeTimer = {m_surroundings.context, kProbeStep, [this] { repeatForProbe(); }};
}

void WhepSubscriber::repeatForProbe() {
  const auto now = MonotonicClock::now();
  const auto due = m_channel.dueForProbe(now);
  if (!due) return m_probeTimer.stop();
  for (Track& each : m_legs) {
    settle(each);
    if (each.format.kind == MediaKind::Video && each.source != nullptr)
      return m_channel.repeatedForProbe(each.source->pad(*each.leg, *due, now));
  }
}

SubscriberFigures WhepSubscriber::figures() const {
  SubscriberFigures figures = m_figures;
  figures.delivery = m_channel.delivery();
  figures.carries = m_channel.carries();
  figures.probed = m_channel.probed();
  for (const Track& each : m_legs) {
    figures.tracks.push_back(each.figures);
    figures.tracks.back().sent = each.leg->figures();
    figures.tracks.back().withholds = each.leg->withholds();
  }
  return figures;
}

/// Nothing is sent any more, and the egress removes us soon.
void WhepSubscriber::finish(const std::string& reason) {
  m_channel.close();
  m_handshakeTimer.stop();
  m_connectTimer.stop();
  m_reportTimer.stop();
  m_probeTimer.stop();
  if (Over over = std::exchange(m_over, nullptr)) over(reason);
}

}  // namespace tactus::media
