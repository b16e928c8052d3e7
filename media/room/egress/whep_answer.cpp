// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/whep_answer.h"

#include <glib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/periodic/trace/format.h"
#include "media/room/media_format.h"

namespace tactus::media {
namespace {

/// The feedback that is answered.
constexpr std::string_view kFeedback[] = {"nack", "nack pli", "ccm fir", "transport-cc"};

bool sameWord(std::string_view one, std::string_view other) {
  return one.size() == other.size() && g_ascii_strncasecmp(one.data(), other.data(), one.size()) == 0;
}

/// The value of `key` among "a=1; b=2"; empty: it is not there.
std::string_view parameter(std::string_view parameters, std::string_view key) {
  while (!parameters.empty()) {
    const auto end = parameters.find(';');
    std::string_view entry = parameters.substr(0, end);
    parameters = end == std::string_view::npos ? std::string_view{} : parameters.substr(end + 1);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    const auto equals = entry.find('=');
    if (equals != std::string_view::npos && sameWord(entry.substr(0, equals), key))
      return entry.substr(equals + 1);
  }
  return {};
}

std::string_view orElse(std::string_view value, std::string_view otherwise) {
  return value.empty() ? otherwise : value;
}

/// RFC 6184, 8.2.2: profile and packetization must be the same; the level may differ. Constrained baseline
/// has several spellings (table 5).
bool decodesH264(std::string_view offered, std::string_view wanted) {
  const auto mode = [](std::string_view from) { return orElse(parameter(from, "packetization-mode"), "0"); };
  const auto profile = [](std::string_view from) {
    return orElse(parameter(from, "profile-level-id"), "42e01f").substr(0, 4);
  };
  const bool same = sameWord(profile(offered), profile(wanted));
  const bool baseline = isConstrainedBaseline(offered) && isConstrainedBaseline(wanted);
  return mode(offered) == mode(wanted) && (same || baseline);
}

bool decodes(const WhepCodec& codec, const TrackFormat& format) {
  if (!sameWord(codec.encoding, format.encoding) || codec.clockRate != format.clockRate) return false;
  if (format.channels != 0 && codec.channels != 0 && codec.channels != format.channels) return false;
  if (sameWord(format.encoding, "H264")) return decodesH264(codec.parameters, format.parameters);
  if (sameWord(format.encoding, "VP9"))
    return orElse(parameter(codec.parameters, "profile-id"), "0") ==
           orElse(parameter(format.parameters, "profile-id"), "0");
  return true;
}

std::string_view mediaOf(MediaKind kind) {
  return kind == MediaKind::Audio ? "audio" : "video";
}

RtpStreamTerms termsOf(const WhepMedia& media, std::uint8_t payloadType) {
  RtpStreamTerms terms{.payloadType = payloadType, .transportNumberId = media.transportNumberId};
  if (media.midId && !media.mid.empty()) {
    terms.midId = media.midId;
    terms.mid = media.mid;
  }
  return terms;
}

bool isTaken(std::span<const AgreedTrack> agreed, std::size_t section) {
  return std::any_of(agreed.begin(), agreed.end(),
                     [&](const AgreedTrack& track) { return track.section == section; });
}

/// The first free section that takes the track.
std::optional<AgreedTrack> place(const WhepOffer& offer, std::span<const AgreedTrack> agreed,
                                 const TrackFormat& format) {
  for (std::size_t section = 0; section < offer.media.size(); ++section) {
    const WhepMedia& media = offer.media[section];
    if (media.media != mediaOf(format.kind) || !media.receives || isTaken(agreed, section)) continue;
    if (media.protocol != "UDP/TLS/RTP/SAVPF") continue;
    for (const WhepCodec& codec : media.codecs) {
      if (!decodes(codec, format)) continue;
      AgreedTrack track{.section = section, .codec = codec, .stream = termsOf(media, codec.payloadType)};
      if (codec.retransmissionType) track.retransmission = termsOf(media, *codec.retransmissionType);
      return track;
    }
  }
  return std::nullopt;
}

/// Builds the answer line by line.
class AnswerText {
 public:
  void line(const std::string& text) {
    m_text += text;
    m_text += "\r\n";
  }
  /// Of at most 511 characters.
  template <typename... Values>
  void line(const char* shape, Values... values) {
    line(periodic::format(shape, values...));
  }
  [[nodiscard]] std::string take() && { return std::move(m_text); }

 private:
  std::string m_text;
};

std::string inHexadecimal(const CertificateFingerprint& fingerprint) {
  std::string text;
  for (const std::uint8_t each : fingerprint.bytes)
    text += periodic::format(text.empty() ? "%02X" : ":%02X", static_cast<unsigned>(each));
  return text;
}

void writeCodec(AnswerText& answer, const AgreedTrack& track) {
  const WhepCodec& codec = track.codec;
  const unsigned type = codec.payloadType;
  const std::string channels = codec.channels > 0 ? periodic::format("/%u", codec.channels) : std::string();
  answer.line("a=rtpmap:%u %s/%u%s", type, codec.encoding.c_str(), codec.clockRate, channels.c_str());
  // Parameters may be longer than a format of ours.
  if (!codec.parameters.empty()) answer.line(periodic::format("a=fmtp:%u ", type) + codec.parameters);
  for (const std::string_view each : kFeedback)
    if (std::find(codec.feedback.begin(), codec.feedback.end(), each) != codec.feedback.end())
      answer.line("a=rtcp-fb:%u %s", type, std::string(each).c_str());
  if (!track.retransmission) return;
  const unsigned again = track.retransmission->payloadType;
  answer.line("a=rtpmap:%u rtx/%u", again, codec.clockRate);
  answer.line("a=fmtp:%u apt=%u", again, type);
}

void writeSources(AnswerText& answer, const AgreedTrack& track, const AnswerTransport& transport) {
  const char* const name = transport.name.c_str();
  answer.line("a=msid:%s %s-%zu", name, name, track.section);
  if (track.retransmission)
    answer.line("a=ssrc-group:FID %u %u", track.stream.ssrc, track.retransmission->ssrc);
  answer.line("a=ssrc:%u cname:%s", track.stream.ssrc, name);
  if (track.retransmission) answer.line("a=ssrc:%u cname:%s", track.retransmission->ssrc, name);
}

void writeExtensions(AnswerText& answer, const RtpStreamTerms& stream) {
  if (stream.transportNumberId)
    answer.line("a=extmap:%u http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
                static_cast<unsigned>(*stream.transportNumberId));
  if (stream.midId)
    answer.line("a=extmap:%u urn:ietf:params:rtp-hdrext:sdes:mid", static_cast<unsigned>(*stream.midId));
}

void writeTransport(AnswerText& answer, const AnswerTransport& transport) {
  answer.line("a=ice-ufrag:%s", transport.iceUser.c_str());
  answer.line("a=ice-pwd:%s", transport.icePassword.c_str());
  answer.line("a=fingerprint:%s %s", transport.fingerprint.hash.c_str(),
              inHexadecimal(transport.fingerprint).c_str());
  answer.line(transport.active ? "a=setup:active" : "a=setup:passive");
}

void writeSection(AnswerText& answer, const WhepMedia& media, const AgreedTrack& track,
                  const AnswerTransport& transport) {
  const std::string again =
      track.retransmission ? periodic::format(" %u", static_cast<unsigned>(track.retransmission->payloadType))
                           : std::string();
  answer.line("m=%s 9 UDP/TLS/RTP/SAVPF %u%s", media.media.c_str(),
              static_cast<unsigned>(track.codec.payloadType), again.c_str());
  answer.line("c=IN IP4 0.0.0.0");
  writeTransport(answer, transport);
  if (!media.mid.empty()) answer.line("a=mid:%s", media.mid.c_str());
  answer.line("a=sendonly");
  answer.line("a=rtcp-mux");
  answer.line("a=rtcp-rsize");
  writeCodec(answer, track);
  writeExtensions(answer, track.stream);
  writeSources(answer, track, transport);
  for (const std::string& each : transport.candidates) answer.line("a=" + each);
  answer.line("a=end-of-candidates");
}

/// RFC 3264, 6: a section that is not taken has port 0, and repeats a format that was offered.
void writeRejected(AnswerText& answer, const WhepMedia& media) {
  const unsigned format = media.codecs.empty() ? 0 : media.codecs.front().payloadType;
  answer.line("m=" + media.media + " 0 " + media.protocol + periodic::format(" %u", format));
  answer.line("c=IN IP4 0.0.0.0");
  if (!media.mid.empty()) answer.line("a=mid:%s", media.mid.c_str());
  answer.line("a=inactive");
}

const AgreedTrack* trackOf(std::span<const AgreedTrack> tracks, std::size_t section) {
  const auto found = std::find_if(tracks.begin(), tracks.end(),
                                  [&](const AgreedTrack& track) { return track.section == section; });
  return found == tracks.end() ? nullptr : &*found;
}

}  // namespace

Result<std::vector<AgreedTrack>> agree(const WhepOffer& offer, std::span<const TrackFormat> tracks) {
  std::vector<AgreedTrack> agreed;
  for (const TrackFormat& format : tracks) {
    auto track = place(offer, agreed, format);
    if (!track)
      return Error{ErrorCode::Unsupported,
                   periodic::format("The offer does not take %s as %s at %u Hz%s%s.",
                                    std::string(mediaOf(format.kind)).c_str(), format.encoding.c_str(),
                                    format.clockRate, format.parameters.empty() ? "" : " with ",
                                    format.parameters.c_str())};
    agreed.push_back(std::move(*track));
  }
  return agreed;
}

std::string writeWhepAnswer(const WhepOffer& offer, std::span<const AgreedTrack> tracks,
                            const AnswerTransport& transport) {
  AnswerText answer;
  answer.line("v=0");
  answer.line("o=- 1 1 IN IP4 127.0.0.1");
  answer.line("s=-");
  answer.line("t=0 0");
  std::string bundle;
  for (std::size_t section = 0; section < offer.media.size(); ++section)
    if (trackOf(tracks, section) != nullptr && !offer.media[section].mid.empty())
      bundle += " " + offer.media[section].mid;
  if (!bundle.empty()) answer.line("a=group:BUNDLE" + bundle);
  answer.line("a=msid-semantic: WMS %s", transport.name.c_str());
  for (std::size_t section = 0; section < offer.media.size(); ++section) {
    const AgreedTrack* const track = trackOf(tracks, section);
    if (track != nullptr) {
      writeSection(answer, offer.media[section], *track, transport);
    } else {
      writeRejected(answer, offer.media[section]);
    }
  }
  return std::move(answer).take();
}

}  // namespace tactus::media
