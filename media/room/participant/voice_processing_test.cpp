// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/voice_processing.h"

#include <gtest/gtest.h>

#include <string>

#include "media/room/participant/outgoing_track.h"

namespace tactus::media {
namespace {

using Kind = CaptureSource::Kind;

bool has(const std::string& elements, const std::string& part) {
  return elements.find(part) != std::string::npos;
}

TEST(VoiceProcessing, EachPartOfItIsDoneAlone) {
  const auto wanted = [](const VoiceProcessing& processing) {
    const std::string element = voiceElementOf(processing);
    return std::string(has(element, " echo-cancel=true ") ? "echo " : "") +
           (has(element, " noise-suppression=true ") ? "noise " : "") +
           (has(element, " gain-control=true ") ? "gain" : "");
  };
  EXPECT_EQ(wanted({.echo = true}), "echo ");
  EXPECT_EQ(wanted({.noise = true}), "noise ");
  EXPECT_EQ(wanted({.gain = true}), "gain");
  EXPECT_EQ(wanted(VoiceProcessing::speech()), "echo noise gain");
}

TEST(VoiceProcessing, AMicrophonesSoundIsTakenForSpeech) {
  const auto voiceOf = [](CaptureSource source) { return OutgoingTrack::audio("mic", source).voice; };
  EXPECT_EQ(voiceOf({Kind::Device, "headset"}), VoiceProcessing::speech());
  EXPECT_FALSE(voiceOf({Kind::Device, "headset", true}).any()) << "original";
  EXPECT_FALSE(voiceOf({Kind::Test}).any());
  EXPECT_FALSE(voiceOf({Kind::File, "film.mkv"}).any());
}

TEST(VoiceProcessing, OriginalSoundIsTheMicrophonesAlone) {
  std::vector<OutgoingTrack> tracks{OutgoingTrack::video("cam", {Kind::Device}),
                                    OutgoingTrack::audio("mic", {Kind::Device})};
  setOriginalSound(tracks, true);
  EXPECT_FALSE(tracks[0].source.original);
  EXPECT_FALSE(tracks[1].voice.any());
  setOriginalSound(tracks, false);
  EXPECT_EQ(tracks[1].voice, VoiceProcessing::speech());
}

TEST(VoiceProcessing, TheElementStandsBetweenTheDeviceAndTheEncoder) {
  const OutgoingTrack track = OutgoingTrack::audio("mic", {Kind::Device, "headset"});
  const std::string elements = elementsOf(track);
  const auto at = [&](const char* part) { return elements.find(part); };
  ASSERT_TRUE(has(elements, "channels=1 ! webrtcdsp name=voice ")) << elements;
  EXPECT_LT(at("pulsesrc"), at("webrtcdsp"));
  EXPECT_LT(at("webrtcdsp"), at("name=captured"));
  EXPECT_LT(at("name=captured"), at("opusenc"));
  EXPECT_FALSE(has(previewElementsOf(track), "webrtcdsp")) << "a device is tried as it is";
  OutgoingTrack original = track;
  original.voice = {};
  EXPECT_FALSE(has(elementsOf(original), "webrtcdsp"));
  EXPECT_FALSE(has(elementsOf(original), "channels=1 "));
}

}  // namespace
}  // namespace tactus::media
