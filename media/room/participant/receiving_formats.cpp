// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/receiving_formats.h"

namespace tactus::media {
namespace {

// For repetitions (RFC 4588) webrtcbin makes a payload type of its own, but for the first format alone.
constexpr const char* kVp8 = "application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000";
constexpr const char* kVp8Again =
    "application/x-rtp,media=video,encoding-name=RTX,payload=97,clock-rate=90000,apt=(string)96";
constexpr const char* kH264 =
    "application/x-rtp,media=video,encoding-name=H264,payload=102,clock-rate=90000,"
    "packetization-mode=(string)1,profile-level-id=(string)42e01f";
constexpr const char* kH264Again =
    "application/x-rtp,media=video,encoding-name=RTX,payload=103,clock-rate=90000,apt=(string)102";
constexpr const char* kOpus =
    "application/x-rtp,media=audio,encoding-name=OPUS,payload=111,clock-rate=48000,encoding-params=(string)2";
constexpr const char* kTransportWide =
    ",extmap-3=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

plugins::CapsPtr formats(const std::vector<const char*>& all) {
  std::string text;
  for (const char* each : all) text += (text.empty() ? "" : ";") + std::string(each) + kTransportWide;
  return plugins::CapsPtr(gst_caps_from_string(text.c_str()));
}

}  // namespace

plugins::CapsPtr pictureFormats(const std::vector<VideoEncoding>& encodings) {
  std::vector<const char*> all;
  for (const VideoEncoding each : encodings) all.push_back(each == VideoEncoding::Vp8 ? kVp8 : kH264);
  for (std::size_t i = 1; i < encodings.size(); ++i)
    all.push_back(encodings[i] == VideoEncoding::Vp8 ? kVp8Again : kH264Again);
  return formats(all);
}

plugins::CapsPtr soundFormats() {
  return formats({kOpus});
}

std::string encodingOf(GstPad* pad) {
  const plugins::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps) return "";
  const char* name = gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "encoding-name");
  return name != nullptr ? name : "";
}

}  // namespace tactus::media
