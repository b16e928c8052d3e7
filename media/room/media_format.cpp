// SPDX-License-Identifier: Apache-2.0
#include "media/room/media_format.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tactus::media {
namespace {

constexpr unsigned kLargestPayload = 127;
constexpr std::size_t kLongestParameter = 512;  // H.264 parameter sets in Base64 are far shorter

struct KnownFormat {
  TrackKind kind;
  const char* media;     // of the m= line
  const char* mapping;   // value of rtpmap, in lower case
  const char* encoding;  // as TrackFormat calls it
  std::uint32_t clockRate;
  std::uint32_t channels;
};
constexpr KnownFormat kKnown[] = {{TrackKind::Video, "video", "vp8/90000", "VP8", 90000, 0},
                                  {TrackKind::Video, "video", "h264/90000", "H264", 90000, 0},
                                  {TrackKind::Audio, "audio", "opus/48000/2", "opus", 48000, 2}};

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// Of RFC 6184 (8.1), RFC 7587 (6.1) and RFC 7741 (6.1). Others are not passed on: the media stack takes
/// names of parameters for names of fields of its own.
constexpr std::array<std::string_view, 16> kParameters{"level-asymmetry-allowed",
                                                       "packetization-mode",
                                                       "profile-level-id",
                                                       "sprop-parameter-sets",
                                                       "max-fr",
                                                       "max-fs",
                                                       "minptime",
                                                       "useinbandfec",
                                                       "usedtx",
                                                       "stereo",
                                                       "sprop-stereo",
                                                       "cbr",
                                                       "maxplaybackrate",
                                                       "maxaveragebitrate",
                                                       "maxptime",
                                                       "sprop-maxcapturerate"};

bool isKnownParameter(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || text.size() > kLongestParameter) return false;
  const std::string_view value = text.substr(equals + 1);
  return std::find(kParameters.begin(), kParameters.end(), text.substr(0, equals)) != kParameters.end() &&
         !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
           return g_ascii_isalnum(c) || std::string_view("=,/+-").find(c) != std::string_view::npos;
         });
}

/// "a=1;b=2" of what we know in the value of an fmtp; each once.
std::string knownParameters(std::string_view text) {
  std::string known;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    std::string_view each = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (each.starts_with(' ')) each.remove_prefix(1);
    const std::string name(each.substr(0, each.find('=') + 1));
    if (isKnownParameter(each) && (";" + known).find(";" + name) == std::string::npos)
      known += (known.empty() ? "" : ";") + std::string(each);
  }
  return known;
}

const KnownFormat* knownAs(const GstSDPMedia& media, const std::string& mapping) {
  const char* name = gst_sdp_media_get_media(&media);
  for (const auto& known : kKnown)
    if (name != nullptr && std::string_view(name) == known.media && mapping == known.mapping) return &known;
  return nullptr;
}

}  // namespace

std::optional<unsigned> readNumber(std::string_view text, unsigned largest) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > largest) return std::nullopt;
  return number;
}

std::optional<std::string> valueFor(const GstSDPMedia& media, const char* attribute, int payload) {
  const std::string start = std::to_string(payload) + " ";
  for (guint i = 0; i < gst_sdp_media_attributes_len(&media); ++i) {
    const GstSDPAttribute* each = gst_sdp_media_get_attribute(&media, i);
    if (each->key == nullptr || each->value == nullptr || std::string_view(each->key) != attribute) continue;
    const std::string_view value = each->value;
    if (value.starts_with(start)) return std::string(value.substr(start.size()));
  }
  return std::nullopt;
}

bool isConstrainedBaseline(std::string_view parameters) {
  constexpr std::string_view kName = "profile-level-id=";
  const auto at = parameters.find(kName);
  if (at == std::string_view::npos) return false;
  const std::string_view id = parameters.substr(at + kName.size(), 6);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value, 16);
  if (error != std::errc() || end != id.data() + 6) return false;
  const unsigned profile = value >> 16;
  const unsigned constraints = value >> 8 & 0xFF;
  // constraint_set1: it also obeys Main; constraint_set0: it also obeys Baseline.
  return (profile == 0x42 && (constraints & 0x40) != 0) || (profile == 0x4D && (constraints & 0x80) != 0);
}

std::optional<NumberedFormat> firstKnownFormat(const GstSDPMedia& media) {
  for (guint i = 0; i < gst_sdp_media_formats_len(&media); ++i) {
    const char* text = gst_sdp_media_get_format(&media, i);
    const auto number = readNumber(text != nullptr ? text : "", kLargestPayload);
    if (!number) continue;
    const int payload = static_cast<int>(*number);
    const auto* known = knownAs(media, lowerCase(valueFor(media, "rtpmap", payload).value_or("")));
    if (known == nullptr) continue;
    const std::string parameters = knownParameters(valueFor(media, "fmtp", payload).value_or(""));
    if (std::string_view(known->encoding) == "H264" && !isConstrainedBaseline(parameters)) continue;
    return NumberedFormat{payload,
                          {known->kind, known->encoding, known->clockRate, known->channels, parameters}};
  }
  return std::nullopt;
}

std::optional<int> retransmissionOf(const GstSDPMedia& media, int payload) {
  for (guint i = 0; i < gst_sdp_media_formats_len(&media); ++i) {
    const char* text = gst_sdp_media_get_format(&media, i);
    const auto number = readNumber(text != nullptr ? text : "", kLargestPayload);
    if (!number) continue;
    const int other = static_cast<int>(*number);
    const std::string mapping = lowerCase(valueFor(media, "rtpmap", other).value_or(""));
    const std::string parameters = valueFor(media, "fmtp", other).value_or("");
    if (mapping == "rtx/90000" && parameters == "apt=" + std::to_string(payload)) return other;
  }
  return std::nullopt;
}

}  // namespace tactus::media
