// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/whep_offer.h"

#include <gst/sdp/gstsdpmessage.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::media {
namespace {

constexpr std::string_view kTransportNumbers =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
constexpr std::string_view kMid = "urn:ietf:params:rtp-hdrext:sdes:mid";
constexpr std::size_t kMostMedia = 32, kMostCandidates = 64;

struct FreeMessage {
  void operator()(GstSDPMessage* message) const noexcept { gst_sdp_message_free(message); }
};
using MessagePtr = std::unique_ptr<GstSDPMessage, FreeMessage>;

Error unsupported(std::string message) {
  return {ErrorCode::Unsupported, std::move(message)};
}

/// Null-safe: GstSDP has null for what a line leaves out.
std::string_view text(const gchar* value) {
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

std::optional<std::uint32_t> number(std::string_view digits, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value > most) return std::nullopt;
  return value;
}

/// The text before the first `separator`, and what follows it.
std::pair<std::string_view, std::string_view> split(std::string_view line, char separator) {
  const auto at = line.find(separator);
  if (at == std::string_view::npos) return {line, {}};
  return {line.substr(0, at), line.substr(at + 1)};
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  while (!line.empty()) {
    const auto [word, rest] = split(line, ' ');
    if (!word.empty()) found.push_back(word);
    line = rest;
  }
  return found;
}

/// What cannot stand in the answer, which repeats it: other characters than those of a token.
bool isToken(std::string_view name, std::size_t longest) {
  return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::strchr("\"(),/:;<=>?@[\\]", c) == nullptr;
  });
}

bool isIceText(std::string_view value, std::size_t shortest) {
  return value.size() >= shortest && value.size() <= 256 &&
         std::all_of(value.begin(), value.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
                  c == '/';
         });
}

/// The attributes of one media section, with those of the session for what it does not say itself.
class Attributes {
 public:
  Attributes(const GstSDPMessage* message, const GstSDPMedia* media) : m_message(message), m_media(media) {}

  template <typename Visit>
  void each(std::string_view key, Visit visit) const {
    for (guint i = 0; i < gst_sdp_media_attributes_len(m_media); ++i) {
      const GstSDPAttribute* attribute = gst_sdp_media_get_attribute(m_media, i);
      if (text(attribute->key) == key) visit(text(attribute->value));
    }
  }
  [[nodiscard]] bool has(std::string_view key) const {
    bool found = false;
    each(key, [&](std::string_view) { found = true; });
    return found;
  }
  [[nodiscard]] std::string_view own(const char* key) const {
    return text(gst_sdp_media_get_attribute_val(m_media, key));
  }
  [[nodiscard]] std::string_view orOfSession(const char* key) const {
    const auto value = own(key);
    return value.empty() ? text(gst_sdp_message_get_attribute_val(m_message, key)) : value;
  }

 private:
  const GstSDPMessage* m_message;
  const GstSDPMedia* m_media;
};

WhepCodec* codecOf(WhepMedia& media, std::uint32_t payloadType) {
  const auto found = std::find_if(media.codecs.begin(), media.codecs.end(),
                                  [&](const WhepCodec& codec) { return codec.payloadType == payloadType; });
  return found == media.codecs.end() ? nullptr : &*found;
}

/// "96 VP8/90000", "111 opus/48000/2".
void addCodec(WhepMedia& media, std::string_view map) {
  const auto [typeText, coding] = split(map, ' ');
  const auto [encoding, rates] = split(coding, '/');
  const auto [rateText, channelText] = split(rates, '/');
  const auto type = number(typeText, 127);
  const auto rate = number(rateText, 10'000'000);
  if (!type || !rate || !isToken(encoding, 32) || codecOf(media, *type) != nullptr) return;
  media.codecs.push_back({.payloadType = static_cast<std::uint8_t>(*type),
                          .encoding = std::string(encoding),
                          .clockRate = *rate,
                          .channels = number(channelText, 255).value_or(0)});
}

void addParameters(WhepMedia& media, std::string_view line) {
  const auto [typeText, parameters] = split(line, ' ');
  if (WhepCodec* codec = codecOf(media, number(typeText, 127).value_or(255)))
    codec->parameters = std::string(parameters);
}

void addFeedback(WhepMedia& media, std::string_view line) {
  const auto [typeText, what] = split(line, ' ');
  for (WhepCodec& codec : media.codecs)
    if (typeText == "*" || number(typeText, 127) == codec.payloadType) codec.feedback.emplace_back(what);
}

/// "3 urn:...", "3/recvonly urn:...".
void addExtension(WhepMedia& media, std::string_view line) {
  const auto [place, name] = split(line, ' ');
  const auto id = number(split(place, '/').first, 14);  // the one-byte form (RFC 8285, 4.2)
  if (!id || *id == 0) return;
  const std::string_view uri = split(name, ' ').first;
  if (uri == kTransportNumbers) media.transportNumberId = static_cast<std::uint8_t>(*id);
  if (uri == kMid) media.midId = static_cast<std::uint8_t>(*id);
}

/// "rtx" is no codec of its own, but how another's packets come again (RFC 4588, 8.6: apt).
void joinRetransmissions(WhepMedia& media) {
  for (const WhepCodec& each : media.codecs) {
    if (each.encoding != "rtx" || !each.parameters.starts_with("apt=")) continue;
    const auto apt = number(split(std::string_view(each.parameters).substr(4), ';').first, 127);
    WhepCodec* const repaired = apt ? codecOf(media, *apt) : nullptr;
    if (repaired != nullptr && repaired->encoding != "rtx") repaired->retransmissionType = each.payloadType;
  }
  std::erase_if(media.codecs, [](const WhepCodec& codec) { return codec.encoding == "rtx"; });
}

bool receives(const Attributes& attributes, const GstSDPMedia* media) {
  const bool bundledWithoutPort = attributes.has("bundle-only");
  if (gst_sdp_media_get_port(media) == 0 && !bundledWithoutPort) return false;
  return !attributes.has("sendonly") && !attributes.has("inactive");
}

WhepMedia readMedia(const Attributes& attributes, const GstSDPMedia* media) {
  WhepMedia read;
  read.media = std::string(text(gst_sdp_media_get_media(media)));
  read.protocol = std::string(text(gst_sdp_media_get_proto(media)));
  read.mid = std::string(attributes.own("mid"));
  read.receives = receives(attributes, media);
  attributes.each("rtpmap", [&](std::string_view line) { addCodec(read, line); });
  attributes.each("fmtp", [&](std::string_view line) { addParameters(read, line); });
  attributes.each("rtcp-fb", [&](std::string_view line) { addFeedback(read, line); });
  attributes.each("extmap", [&](std::string_view line) { addExtension(read, line); });
  joinRetransmissions(read);
  if (read.mid.size() > 16) read.midId.reset();  // longer than a one-byte element
  return read;
}

/// "sha-256 AB:CD:...".
std::optional<CertificateFingerprint> readFingerprint(std::string_view line) {
  auto [hash, digits] = split(line, ' ');
  CertificateFingerprint fingerprint;
  for (const char c : hash) fingerprint.hash += static_cast<char>(g_ascii_tolower(c));
  constexpr std::pair<std::string_view, std::size_t> kHashes[] = {
      {"sha-256", 32}, {"sha-384", 48}, {"sha-512", 64}};
  const auto known = std::find_if(std::begin(kHashes), std::end(kHashes),
                                  [&](const auto& each) { return each.first == fingerprint.hash; });
  if (known == std::end(kHashes) || digits.size() != 3 * known->second - 1) return std::nullopt;
  for (std::size_t at = 0; at < digits.size(); at += 3) {
    const int high = g_ascii_xdigit_value(digits[at]), low = g_ascii_xdigit_value(digits[at + 1]);
    if (high < 0 || low < 0 || (at + 2 < digits.size() && digits[at + 2] != ':')) return std::nullopt;
    fingerprint.bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return fingerprint;
}

Result<DtlsSetup> readSetup(std::string_view value) {
  if (value == "actpass") return DtlsSetup::Either;
  if (value == "active") return DtlsSetup::Active;
  if (value == "passive") return DtlsSetup::Passive;
  return unsupported("The offer does not say who begins the encryption (a=setup).");
}

/// The transport that all media share: that of the first section that is to receive.
Result<void> readTransport(const Attributes& attributes, WhepOffer& offer) {
  offer.iceUser = std::string(attributes.orOfSession("ice-ufrag"));
  offer.icePassword = std::string(attributes.orOfSession("ice-pwd"));
  if (!isIceText(offer.iceUser, 4) || !isIceText(offer.icePassword, 22))
    return unsupported("The offer has no valid ICE user name and password (a=ice-ufrag, a=ice-pwd).");
  auto fingerprint = readFingerprint(attributes.orOfSession("fingerprint"));
  if (!fingerprint)
    return unsupported("The offer has no fingerprint of a certificate by SHA-256, SHA-384 or SHA-512.");
  offer.fingerprint = std::move(*fingerprint);
  const auto setup = readSetup(attributes.orOfSession("setup"));
  if (!setup.ok()) return setup.error();
  offer.setup = setup.value();
  return {};
}

void addCandidates(const Attributes& attributes, WhepOffer& offer) {
  attributes.each("candidate", [&](std::string_view line) {
    const auto parts = words(line);
    constexpr std::size_t kLeastParts = 8, kLongest = 512;
    if (parts.size() < kLeastParts || line.size() > kLongest || offer.candidates.size() == kMostCandidates)
      return;
    const bool isUdp = parts[2] == "udp" || parts[2] == "UDP";
    // A name of mDNS (RFC 8828) is not looked up: the peer is found as it asks.
    if (isUdp && !parts[4].ends_with(".local")) offer.candidates.push_back("candidate:" + std::string(line));
  });
}

/// The media identifications of the bundle (RFC 9143).
std::set<std::string, std::less<>> bundleOf(const GstSDPMessage* message) {
  std::set<std::string, std::less<>> mids;
  for (guint i = 0;; ++i) {
    const gchar* const value = gst_sdp_message_get_attribute_val_n(message, "group", i);
    if (value == nullptr) return mids;
    const auto parts = words(value);
    if (!parts.empty() && parts.front() == "BUNDLE") mids.insert(parts.begin() + 1, parts.end());
  }
}

Result<void> checkMedia(const WhepOffer& offer, const std::set<std::string, std::less<>>& bundle) {
  std::set<std::string_view> mids;
  for (const WhepMedia& media : offer.media) {
    const bool named = !media.mid.empty() || offer.media.size() == 1;
    if (!media.mid.empty() && !isToken(media.mid, 64))
      return unsupported("A media section has an a=mid that is no token.");
    if (!named || (!media.mid.empty() && !mids.insert(media.mid).second))
      return unsupported("The media sections have no names of their own (a=mid).");
    if (media.receives && offer.media.size() > 1 && !bundle.contains(media.mid))
      return unsupported("The media are not in one bundle (a=group:BUNDLE).");
  }
  return {};
}

Result<MessagePtr> parse(std::string_view description) {
  if (description.empty() || description.size() > kLongestWhepOffer)
    return Error{ErrorCode::Corrupt, periodic::format("An offer has 1 to %zu bytes, not %zu.",
                                                      kLongestWhepOffer, description.size())};
  const Error noDescription{ErrorCode::Corrupt, "The offer is no session description (RFC 8866)."};
  const auto length = static_cast<gssize>(description.size());
  if (!description.starts_with("v=0") || !g_utf8_validate(description.data(), length, nullptr) ||
      description.find('\0') != std::string_view::npos)
    return noDescription;
  GstSDPMessage* made = nullptr;
  gst_sdp_message_new(&made);
  MessagePtr message(made);
  const auto* const data = reinterpret_cast<const guint8*>(description.data());
  if (gst_sdp_message_parse_buffer(data, static_cast<guint>(description.size()), made) != GST_SDP_OK)
    return noDescription;
  return message;
}

}  // namespace

Result<WhepOffer> readWhepOffer(std::string_view description) {
  auto parsed = parse(description);
  if (!parsed.ok()) return parsed.error();
  const GstSDPMessage* const message = parsed.value().get();
  const guint count = gst_sdp_message_medias_len(message);
  if (count == 0) return unsupported("The offer has no media section.");
  if (count > kMostMedia)
    return unsupported(
        periodic::format("The offer has %u media sections; %zu are the most.", count, kMostMedia));
  WhepOffer offer;
  for (guint i = 0; i < count; ++i) {
    const GstSDPMedia* const media = gst_sdp_message_get_media(message, i);
    const Attributes attributes(message, media);
    offer.media.push_back(readMedia(attributes, media));
    if (offer.media.back().receives && !attributes.has("rtcp-mux"))
      return unsupported("The offer wants a port of its own for RTCP (a=rtcp-mux is missing).");
    if (offer.media.back().receives && offer.iceUser.empty())
      if (const auto read = readTransport(attributes, offer); !read.ok()) return read.error();
    addCandidates(attributes, offer);
  }
  if (offer.iceUser.empty()) return unsupported("The offer wants to receive nothing.");
  if (const auto checked = checkMedia(offer, bundleOf(message)); !checked.ok()) return checked.error();
  return offer;
}

}  // namespace tactus::media
