// SPDX-License-Identifier: Apache-2.0
// A room with a speaker and a microphone, of PipeWire's nodes: what the speaker plays comes back into the
// microphone by a filter chain, as a wall reflects it.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "media/playback/test_films.h"
#include "media/room/participant/call_peer_fixture.h"
#include "media/room/participant/outgoing_call.h"
#include "plugins/call_output_fixture.h"
#include "plugins/pipewire_fixture.h"

namespace tactus::media::testing {
namespace {

using namespace std::chrono_literals;
using namespace plugins::testing;

constexpr const char* kSpeaker = "tactus_speaker";
constexpr const char* kAir = "tactus_air";
constexpr const char* kMicrophone = "tactus_air.monitor";
constexpr std::size_t kPhrase = 48'000 * 6;  // each voice says as much again and again

/// Words of one of flite's voices, six seconds of them.
Samples speech(const std::string& voice, const std::string& text) {
  const auto file =
      film("speech-" + voice + ".s16", {"-f", "lavfi", "-i", "flite=text='" + text + "':voice=" + voice,
                                        "-af", "apad", "-t", "6", "-ar", "48000", "-ac", "1", "-f", "s16le"});
  if (file.empty()) return {};
  const std::string bytes = bytesOf(file);
  Samples samples(bytes.size() / sizeof(std::int16_t));
  std::copy_n(bytes.data(), samples.size() * sizeof(std::int16_t), reinterpret_cast<char*>(samples.data()));
  samples.resize(kPhrase);
  return samples;
}

Samples theirVoice() {
  return speech(
      "slt",
      "The quarterly figures are better than anybody expected and we should tell the whole team before the "
      "weekend begins because they have worked very hard for it");
}

Samples ownVoice() {
  return speech(
      "rms",
      "I have been waiting for the delivery since Monday morning and nobody at the warehouse picks up the "
      "telephone so I will drive over there myself this afternoon");
}

Samples tone() {
  return toneOf(440, 0.3);
}

/// What a wall 6 m away gives back, and the room after it: 35 ms late, for 80 ms.
Samples reflection() {
  Samples response(48 * 115);
  std::minstd_rand numbers(7);
  std::uniform_real_distribution<double> noise(-1, 1);
  const std::size_t begin = 48 * 35;
  response[begin] = 9000;
  for (std::size_t i = begin + 1; i < response.size(); ++i)
    response[i] = static_cast<std::int16_t>(
        std::lround(900 * noise(numbers) * std::exp(-static_cast<double>(i - begin) / (48 * 15))));
  return response;
}

/// Says the same again and again, by an output of calls.
class Voice {
 public:
  Voice(const char* sink, Samples says) : m_output({.target = sink}), m_pusher(m_output, std::move(says)) {
    EXPECT_TRUE(within(kPatience, [this] { return m_output.figures().connected; })) << m_output.figures().why;
  }

 private:
  plugins::CallOutput m_output;
  plugins::testing::Pusher m_pusher;
};

/// A null sink, as long as it is there.
class Sink {
 public:
  explicit Sink(const std::string& name)
      : m_module(output("pactl load-module module-null-sink rate=48000 sink_name=" + name)) {
    (void)within(kPatience,
                 [&] { return std::system(("pactl list short sinks | grep -q " + name).c_str()) == 0; });
  }
  ~Sink() { vanish(); }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  void vanish() {
    if (!m_module.empty()) (void)!std::system(("pactl unload-module " + m_module).c_str());
    m_module.clear();
  }

 private:
  std::string m_module;
};

std::string roomConfiguration() {
  const auto wall = song("wall.wav", reflection());
  return fileOf("room.conf",
                "context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert\n"
                "  support.* = support/libspa-support }\n"
                "context.modules = [ { name = libpipewire-module-protocol-native }\n"
                "  { name = libpipewire-module-client-node } { name = libpipewire-module-adapter }\n"
                "  { name = libpipewire-module-filter-chain args = {\n"
                "    node.description = \"Room\"\n"
                "    filter.graph = { nodes = [ { type = builtin name = wall label = convolver\n"
                "      config = { filename = \"" +
                    wall.string() +
                    "\" } } ] }\n"
                    "    capture.props = { node.name = tactus_room_in audio.channels = 1 stream.capture.sink "
                    "= true\n"
                    "      target.object = tactus_speaker }\n"
                    "    playback.props = { node.name = tactus_room_out audio.channels = 1\n"
                    "      target.object = tactus_air } } } ]\n")
      .string();
}

/// Takes an element out of GStreamer's registry, until the scope ends.
class MissingElement {
 public:
  explicit MissingElement(const char* name) {
    gst_init(nullptr, nullptr);
    m_feature = gst_registry_lookup_feature(gst_registry_get(), name);
    if (m_feature != nullptr) gst_registry_remove_feature(gst_registry_get(), m_feature);
  }
  ~MissingElement() {
    if (m_feature == nullptr) return;
    gst_registry_add_feature(gst_registry_get(), m_feature);
    gst_object_unref(m_feature);
  }
  MissingElement(const MissingElement&) = delete;
  MissingElement& operator=(const MissingElement&) = delete;

 private:
  GstPluginFeature* m_feature = nullptr;
};

OutgoingTrack microphone(VoiceProcessing voice) {
  OutgoingTrack track = OutgoingTrack::audio("mic", {CaptureSource::Kind::Device, kMicrophone});
  track.voice = std::move(voice);
  return track;
}

class VoiceProcessingSound : public ::testing::Test {
 protected:
  /// A microphone's call, and what its other end hears.
  struct Heard {
    AnsweringPeer peer;
    std::mutex mutex;
    std::vector<std::string> notes;  // guarded by it
    std::unique_ptr<OutgoingCall> call;

    std::vector<std::string> told() {
      const std::lock_guard lock(mutex);
      return notes;
    }
    [[nodiscard]] std::uint64_t captured() const { return call->query().tracks.at(0).captured; }
    /// A tone comes unbroken from now on.
    bool hearsTone() {
      const std::size_t from = peer.samples().size();
      return within(2 * kPatience, [&] {
        const auto samples = peer.samplesFrom(from);
        const auto wanted = static_cast<std::size_t>(kUnbroken.count()) * 48;
        if (samples.size() < wanted) return false;
        std::vector<float> last(samples.end() - static_cast<std::ptrdiff_t>(wanted), samples.end());
        for (float& each : last) each /= 32768;
        const Tone tone = toneOf(last);
        return tone.unbroken && std::abs(tone.frequency - 440) < 10;
      });
    }
  };
  void SetUp() override {
    for (const char* program : {"pipewire", "wireplumber", "pactl", "ffmpeg"})
      if (!installed(program)) GTEST_SKIP() << program << " is not installed";
  }
  std::unique_ptr<Heard> connect(VoiceProcessing voice) {
    auto heard = std::make_unique<Heard>();
    const auto note = [&heard = *heard](const std::string& sentence) {
      const std::lock_guard lock(heard.mutex);
      heard.notes.push_back(sentence);
    };
    auto made = OutgoingCall::create(
        {.tracks = {microphone(std::move(voice))}, .addresses = {"127.0.0.1"}, .label = "me", .note = note},
        scheduler, nullptr);
    if (!made.ok()) return nullptr;
    heard->call = std::move(made).value();
    const auto offer = heard->call->offer();
    EXPECT_TRUE(offer.ok()) << (offer.ok() ? "" : offer.error().message);
    if (!offer.ok() || !heard->call->accept(heard->peer.answer(offer.value())).ok()) return nullptr;
    EXPECT_TRUE(comesTrue([&] { return !heard->peer.samples().empty(); }));
    return heard;
  }
  /// How loud that is which the others hear, in dB of full scale, while a phrase is said once.
  static std::vector<double> levels(const std::vector<Heard*>& all) {
    std::vector<std::size_t> from;
    for (const Heard* each : all) from.push_back(each->peer.samples().size());
    std::this_thread::sleep_for(6s);
    std::vector<double> levels;
    for (std::size_t i = 0; i < all.size(); ++i) {
      double energy = 1e-12;
      for (const std::int16_t sample : all[i]->peer.samplesFrom(from[i]))
        energy += std::pow(static_cast<double>(sample) / 32768, 2) / kPhrase;
      levels.push_back(10 * std::log10(energy));
    }
    return levels;
  }
  static std::string inWords(const std::vector<double>& levels) {
    std::string words;
    for (const double each : levels) words += std::to_string(each) + " dB ";
    return words;
  }

  periodic::KernelTime time;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler{time, *gate, trace};
};

TEST_F(VoiceProcessingSound, TheEchoOfTheOthersFallsAndTheOwnVoiceStays) {
  const Sink speaker(kSpeaker), air(kAir);
  const Child room({"pipewire", "-c", roomConfiguration()});
  VoiceProcessing all = VoiceProcessing::speech();
  all.monitorOf = kSpeaker;
  const auto plain = connect({}), echo = connect({.echo = true, .monitorOf = kSpeaker}), whole = connect(all);
  ASSERT_TRUE(plain && echo && whole);
  const auto heard = [&] { return levels({plain.get(), echo.get(), whole.get()}); };
  std::vector<double> last;
  {
    const Voice theirs(kSpeaker, theirVoice());
    EXPECT_TRUE(comesTrue([&] {
      last = heard();
      return last[0] > -30 && last[1] < last[0] - 20 && last[2] < last[0] - 20;
    })) << inWords(last);
    const Voice own(kAir, ownVoice());
    EXPECT_TRUE(comesTrue([&] {
      last = heard();
      return last[1] > -35 && last[2] > -35;
    })) << "both at once: "
        << inWords(last);
  }
  const Voice own(kAir, ownVoice());
  EXPECT_TRUE(comesTrue([&] {
    last = heard();
    return std::abs(last[1] - last[0]) < 3 && last[2] > last[0] - 3 && last[2] < last[0] + 10;
  })) << inWords(last);
  EXPECT_TRUE(echo->told().empty() && whole->told().empty());
}

TEST_F(VoiceProcessingSound, TheMicrophoneGoesOnWhenTheSpeakerVanishes) {
  Sink speaker(kSpeaker);
  const Sink air(kAir);
  const Voice own(kAir, tone());
  const auto call = connect({.echo = true, .monitorOf = kSpeaker});
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->hearsTone());
  speaker.vanish();
  const auto captured = call->captured();
  EXPECT_TRUE(call->hearsTone());
  EXPECT_GT(call->captured(), captured);
  EXPECT_NE(call->call->query().state, CallState::Ended);
}

TEST_F(VoiceProcessingSound, WithoutPipeWireThereIsNoReferenceWhichIsToldOnceAndTheMicrophoneGoesOn) {
  const Sink air(kAir);
  const Voice own(kAir, tone());
  const Setting pulse("PULSE_SERVER", std::string("unix:") + getenv("XDG_RUNTIME_DIR") + "/pulse/native");
  const EmptyRuntime nothing;
  const auto call = connect({.echo = true});
  ASSERT_TRUE(call);
  EXPECT_TRUE(within(kPatience, [&] { return !call->told().empty(); }));
  EXPECT_TRUE(call->hearsTone());
  std::this_thread::sleep_for(1s);  // it is looked for ten times a second
  EXPECT_EQ(call->told(),
            std::vector<std::string>{
                "The others may hear themselves: PipeWire does not tell what the speakers play, so "
                "its echo is not cancelled."});
}

TEST_F(VoiceProcessingSound, TheMicrophoneOutlivesTheDaemonOfTheReference) {
  const Sink air(kAir);
  const Voice own(kAir, tone());
  const Setting pulse("PULSE_SERVER", std::string("unix:") + getenv("XDG_RUNTIME_DIR") + "/pulse/native");
  PrivateSession session;
  ASSERT_TRUE(session.ready);
  const auto call = connect({.echo = true});
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->hearsTone());
  session.killDaemon();
  EXPECT_TRUE(within(kPatience, [&] { return !call->told().empty(); }));
  EXPECT_TRUE(call->hearsTone());
  session.start();
  ASSERT_TRUE(session.ready);
  EXPECT_TRUE(call->hearsTone());
  EXPECT_EQ(call->told().size(), 1U);
}

TEST_F(VoiceProcessingSound, WithoutItsElementTheSoundIsSentAsItIs) {
  const Sink air(kAir);
  const Voice own(kAir, tone());
  const MissingElement missing("webrtcdsp");
  const auto call = connect(VoiceProcessing::speech());
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->hearsTone());
  EXPECT_TRUE(within(kPatience, [&] { return !call->told().empty(); }));
  EXPECT_EQ(call->told(),
            std::vector<std::string>{
                "The microphone's sound is sent as it is: GStreamer's webrtcdsp is missing (package "
                "gstreamer1.0-plugins-bad)."});
}

}  // namespace
}  // namespace tactus::media::testing
