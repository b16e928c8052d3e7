// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/publish_offer.h"

#include <algorithm>
#include <memory>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

using SdpPtr = std::unique_ptr<GstSDPMessage, plugins::Releaser<gst_sdp_message_free>>;

Error wrong(std::string sentence) {
  return {ErrorCode::InvalidArgument, std::move(sentence)};
}

/// Null if the bytes are no SDP.
SdpPtr parse(std::string_view sdp) {
  GstSDPMessage* message = nullptr;
  if (gst_sdp_message_new(&message) != GST_SDP_OK) return nullptr;
  SdpPtr owned(message);
  const auto* bytes = reinterpret_cast<const guint8*>(sdp.data());
  if (gst_sdp_message_parse_buffer(bytes, static_cast<guint>(sdp.size()), message) != GST_SDP_OK)
    return nullptr;
  return owned;
}

/// Two of the connection's media.
Result<void> checkPair(const OfferedMedia& first, const OfferedMedia& second) {
  const bool sameKind = first.format.kind == second.format.kind;
  if (sameKind && first.format.kind == MediaKind::Audio)
    return wrong("The offer has two media of audio; a connection carries one.");
  // Who receives them is switched from one to the other.
  if (sameKind && first.format.encoding != second.format.encoding)
    return wrong("The two media of video in the offer have different encodings; they must have the same.");
  if (first.mid == second.mid) return wrong("Two media of the offer have the mid " + first.mid + ".");
  const auto uses = [](const OfferedMedia& each, int payload) {
    return each.payload == payload || each.retransmission == payload;
  };
  // Two sizes of the same pictures may share them: they are told apart by their sources.
  if (!sameKind &&
      (uses(first, second.payload) || (second.retransmission && uses(first, *second.retransmission))))
    return wrong("Two media of the offer use the same payload type.");
  // Bundled, they are one connection (RFC 9143, 7.3.1).
  if (first.fingerprint != second.fingerprint || first.user != second.user ||
      first.password != second.password)
    return wrong("The media of the offer have different certificates or ICE users; they must be bundled.");
  return {};
}

Result<void> checkTogether(const std::vector<OfferedMedia>& media) {
  const auto pictures = std::count_if(media.begin(), media.end(), [](const OfferedMedia& each) {
    return each.format.kind == MediaKind::Video;
  });
  if (pictures > 2)
    return wrong("The offer has " + std::to_string(pictures) +
                 " media of video; a connection carries one, or one in two sizes.");
  for (std::size_t i = 0; i < media.size(); ++i)
    for (std::size_t j = i + 1; j < media.size(); ++j)
      if (auto pair = checkPair(media[i], media[j]); !pair.ok()) return pair;
  return {};
}

bool isBundled(const GstSDPMessage& session, const std::vector<OfferedMedia>& media) {
  const char* group = gst_sdp_message_get_attribute_val(&session, "group");
  if (group == nullptr) return false;
  const std::string names = std::string(group) + " ";
  return names.starts_with("BUNDLE ") && std::all_of(media.begin(), media.end(), [&](const auto& each) {
           return names.find(" " + each.mid + " ") != std::string::npos;
         });
}

void write(std::string& text, const OfferedMedia& media) {
  const std::string payload = std::to_string(media.payload);
  const auto line = [&text](const std::string& value) { text += "a=" + value + "\r\n"; };
  text += media.format.kind == MediaKind::Audio ? "m=audio" : "m=video";
  text += " 9 UDP/TLS/RTP/SAVPF " + payload;
  if (media.retransmission) text += " " + std::to_string(*media.retransmission);
  text += "\r\nc=IN IP4 0.0.0.0\r\n";
  line("mid:" + media.mid);
  line("ice-ufrag:" + media.user);
  line("ice-pwd:" + media.password);
  line("fingerprint:" + media.fingerprint);
  line("setup:" + media.setup);
  line("sendonly");
  line("rtcp-mux");
  const std::string channels = media.format.channels > 0 ? "/" + std::to_string(media.format.channels) : "";
  line("rtpmap:" + payload + " " + media.format.encoding + "/" + std::to_string(media.format.clockRate) +
       channels);
  if (!media.format.parameters.empty()) line("fmtp:" + payload + " " + media.format.parameters);
  for (const auto& feedback : media.feedback) line("rtcp-fb:" + payload + " " + feedback);
  if (media.retransmission) {
    const std::string number = std::to_string(*media.retransmission);
    line("rtpmap:" + number + " rtx/90000");
    line("fmtp:" + number + " apt=" + payload);
  }
  if (media.transportWideId)
    line("extmap:" + std::to_string(*media.transportWideId) +
         " http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01");
  if (media.retransmissionOf)
    line("ssrc-group:FID " + std::to_string(media.retransmissionOf->first) + " " +
         std::to_string(media.retransmissionOf->second));
  for (const auto& [number, name] : media.sources) line("ssrc:" + std::to_string(number) + " cname:" + name);
  for (const auto& candidate : media.candidates) line("candidate:" + candidate);
}

}  // namespace

Result<PublishOffer> readPublishOffer(std::string_view sdp) {
  if (sdp.size() > PublishOffer::kLargest)
    return wrong("The offer has " + std::to_string(sdp.size()) + " bytes; at most " +
                 std::to_string(PublishOffer::kLargest) + " are read.");
  if (!sdp.starts_with("v=0") || sdp.find('\0') != std::string_view::npos)
    return Error{ErrorCode::Corrupt, "The offer is not SDP."};
  const SdpPtr session = parse(sdp);
  if (!session) return Error{ErrorCode::Corrupt, "The offer is not SDP."};
  const guint count = gst_sdp_message_medias_len(session.get());
  if (count == 0 || count > PublishOffer::kMostMedia)
    return wrong("The offer has " + std::to_string(count) + " media; it must have one to three.");
  PublishOffer offer;
  for (guint i = 0; i < count; ++i) {
    auto media = readOfferedMedia(*session, *gst_sdp_message_get_media(session.get(), i));
    if (!media.ok()) return media.error();
    offer.media.push_back(std::move(media).value());
  }
  if (auto together = checkTogether(offer.media); !together.ok()) return together.error();
  if (count > 1 && !isBundled(*session, offer.media))
    return wrong("The media of the offer are not in one BUNDLE group.");
  return offer;
}

std::string sdpOf(const PublishOffer& offer) {
  std::string text = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE";
  for (const auto& media : offer.media) text += " " + media.mid;
  text += "\r\n";
  for (const auto& media : offer.media) write(text, media);
  return text;
}

}  // namespace tactus::media
