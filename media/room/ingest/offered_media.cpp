// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/offered_media.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "media/room/media_format.h"

namespace tactus::media {
namespace {

constexpr std::size_t kMostCandidates = 16;
constexpr std::size_t kMostSources = 4;
constexpr std::string_view kTransportWide =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
constexpr std::array<std::string_view, 4> kFeedback{"nack", "nack pli", "ccm fir", "transport-cc"};

Error wrong(std::string sentence) {
  return {ErrorCode::InvalidArgument, std::move(sentence)};
}

std::string orEmpty(const char* text) {
  return text != nullptr ? text : "";
}

/// All values of one attribute of the section.
std::vector<std::string> valuesOf(const GstSDPMedia& media, std::string_view name) {
  std::vector<std::string> values;
  for (guint i = 0; i < gst_sdp_media_attributes_len(&media); ++i) {
    const GstSDPAttribute* each = gst_sdp_media_get_attribute(&media, i);
    if (each->key != nullptr && name == each->key) values.push_back(orEmpty(each->value));
  }
  return values;
}

std::string valueOf(const GstSDPMessage& session, const GstSDPMedia& media, const char* name) {
  const char* own = gst_sdp_media_get_attribute_val(&media, name);
  return orEmpty(own != nullptr ? own : gst_sdp_message_get_attribute_val(&session, name));
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) found.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

bool consistsOf(std::string_view text, std::string_view others, std::size_t shortest, std::size_t longest) {
  return text.size() >= shortest && text.size() <= longest &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return g_ascii_isalnum(c) || others.find(c) != std::string_view::npos; });
}

/// "sha-256 " and 32 bytes in hexadecimal, with colons between (RFC 8122, 5).
bool isFingerprint(std::string_view text) {
  constexpr std::string_view kHash = "sha-256 ";
  constexpr std::size_t kCharacters = 32 * 3 - 1;
  if (!text.starts_with(kHash)) return false;
  text.remove_prefix(kHash.size());
  if (text.size() != kCharacters) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i % 3 == 2 ? text[i] != ':' : !g_ascii_isxdigit(text[i])) return false;
  return true;
}

bool isAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  return inet_pton(AF_INET, text.c_str(), parsed.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), parsed.data()) == 1;
}

/// The part of a candidate that ICE needs (RFC 8839, 5.1), if it is one over UDP with an address: a name
/// would be looked up in a DNS on behalf of a stranger.
std::optional<std::string> readCandidate(const std::string& value) {
  const auto part = words(value);
  if (part.size() < 8 || !consistsOf(part[0], "+/", 1, 32) || part[1] != "1" || part[6] != "typ")
    return std::nullopt;
  const bool overUdp = part[2] == "udp" || part[2] == "UDP";
  const bool known = part[7] == "host" || part[7] == "srflx" || part[7] == "prflx" || part[7] == "relay";
  if (!overUdp || !known || !isAddress(part[4])) return std::nullopt;
  const auto priority = readNumber(part[3], std::numeric_limits<std::int32_t>::max());
  const auto port = readNumber(part[5], 65535);
  if (!priority || !port || *port == 0) return std::nullopt;
  return part[0] + " 1 udp " + std::to_string(*priority) + " " + part[4] + " " + std::to_string(*port) +
         " typ host";
}

std::optional<std::pair<std::uint32_t, std::string>> readSource(const std::string& value) {
  const auto part = words(value);
  constexpr std::string_view kName = "cname:";
  if (part.size() != 2 || !part[1].starts_with(kName)) return std::nullopt;
  const auto number = readNumber(part[0], std::numeric_limits<std::uint32_t>::max());
  const std::string name = part[1].substr(kName.size());
  if (!number || !consistsOf(name, "+/-_.@{}", 1, 255)) return std::nullopt;
  return std::pair{std::uint32_t{*number}, name};
}

void readSources(const GstSDPMedia& media, OfferedMedia& read) {
  const auto known = [&read](std::uint32_t number) {
    return std::any_of(read.sources.begin(), read.sources.end(),
                       [number](const auto& each) { return each.first == number; });
  };
  for (const auto& value : valuesOf(media, "ssrc"))
    if (auto source = readSource(value);
        source && read.sources.size() < kMostSources && !known(source->first))
      read.sources.push_back(std::move(*source));
  for (const auto& value : valuesOf(media, "ssrc-group")) {
    const auto part = words(value);
    if (part.size() != 3 || part[0] != "FID") continue;
    const auto first = readNumber(part[1], std::numeric_limits<std::uint32_t>::max());
    const auto second = readNumber(part[2], std::numeric_limits<std::uint32_t>::max());
    if (first && second && first != second && known(*first) && known(*second))
      read.retransmissionOf = std::pair{*first, *second};
  }
}

std::optional<int> transportWideId(const GstSDPMedia& media) {
  for (const auto& value : valuesOf(media, "extmap")) {
    const auto part = words(value);
    if (part.size() < 2 || part[1] != kTransportWide) continue;
    // The one-byte form has room for 1 to 14 (RFC 8285, 4.2).
    const auto number = readNumber(part[0].substr(0, part[0].find('/')), 14);
    if (number && *number > 0) return static_cast<int>(*number);
  }
  return std::nullopt;
}

/// How it is sent: over DTLS, RTP and RTCP on one port, from the publisher to us.
Result<void> checkTransport(const GstSDPMedia& media, const std::string& name) {
  if (const auto protocol = orEmpty(gst_sdp_media_get_proto(&media)); protocol != "UDP/TLS/RTP/SAVPF")
    return wrong("The " + name +
                 " of the offer is not sent as UDP/TLS/RTP/SAVPF, which is the only way taken.");
  if (gst_sdp_media_get_attribute_val(&media, "rtcp-mux") == nullptr)
    return wrong("The " + name + " of the offer lacks rtcp-mux: RTCP must use the port of RTP.");
  for (const char* direction : {"recvonly", "inactive"})
    if (gst_sdp_media_get_attribute_val(&media, direction) != nullptr)
      return wrong("The " + name + " of the offer is " + direction + "; who publishes must send.");
  return {};
}

Result<void> readIdentity(const GstSDPMessage& session, const GstSDPMedia& media, OfferedMedia& read,
                          const std::string& name) {
  read.fingerprint = valueOf(session, media, "fingerprint");
  if (!isFingerprint(read.fingerprint))
    return wrong("The " + name + " of the offer has no SHA-256 fingerprint of a certificate.");
  read.user = valueOf(session, media, "ice-ufrag");
  read.password = valueOf(session, media, "ice-pwd");
  if (!consistsOf(read.user, "+/", 4, 256) || !consistsOf(read.password, "+/", 22, 256))
    return wrong("The " + name + " of the offer has no valid user name and password of ICE.");
  read.setup = valueOf(session, media, "setup");
  if (read.setup != "actpass" && read.setup != "active" && read.setup != "passive")
    return wrong("The " + name + " of the offer does not say who begins with DTLS (setup).");
  read.mid = orEmpty(gst_sdp_media_get_attribute_val(&media, "mid"));
  if (!consistsOf(read.mid, "-_", 1, 32)) return wrong("The " + name + " of the offer has no valid mid.");
  return {};
}

}  // namespace

Result<OfferedMedia> readOfferedMedia(const GstSDPMessage& session, const GstSDPMedia& media) {
  OfferedMedia read;
  const std::string name = orEmpty(gst_sdp_media_get_media(&media));
  if (name != "audio" && name != "video")
    return wrong("The offer has media that are neither audio nor video; rooms take no others.");
  if (auto checked = checkTransport(media, name); !checked.ok()) return checked.error();
  if (auto identity = readIdentity(session, media, read, name); !identity.ok()) return identity.error();
  auto format = firstKnownFormat(media);
  if (!format)
    return wrong(name == "audio"
                     ? "The offer's audio is not Opus, which is all that rooms take."
                     : "The offer's video is neither VP8 nor H.264 in constrained baseline profile, "
                       "which are all that rooms take.");
  read.payload = format->payload;
  read.format = std::move(format->format);
  read.retransmission = retransmissionOf(media, read.payload);
  read.transportWideId = transportWideId(media);
  for (const auto& value : valuesOf(media, "rtcp-fb"))
    for (const std::string_view known : kFeedback)
      if (value == std::to_string(read.payload) + " " + std::string(known) ||
          value == "* " + std::string(known))
        if (std::find(read.feedback.begin(), read.feedback.end(), known) == read.feedback.end())
          read.feedback.emplace_back(known);
  for (const auto& value : valuesOf(media, "candidate"))
    if (auto candidate = readCandidate(value); candidate && read.candidates.size() < kMostCandidates)
      read.candidates.push_back(std::move(*candidate));
  readSources(media, read);
  return read;
}

}  // namespace tactus::media
