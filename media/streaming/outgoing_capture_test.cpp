// SPDX-License-Identifier: Apache-2.0
// What GStreamer's test sources bring in the place of a camera and a microphone, encoded and sent.
#include "media/streaming/outgoing_capture.h"

#include <gtest/gtest.h>

#include "media/playback/test_films.h"
#include "media/streaming/capture_fixture.h"

namespace tactus::media::testing {
namespace {

using net::BitRate;
using net::TransportKind;
using plugins::av::Cancellation;
using Device = OutgoingCapture::Device;
using Options = OutgoingCapture::Options;

Device pictures(BitRate rate = OutgoingCapture::camera().rate) {
  return {"", rate, "videotestsrc is-live=true"};
}
Device sound(BitRate rate = OutgoingCapture::microphone().rate) {
  return {"", rate, "audiotestsrc is-live=true"};
}

std::unique_ptr<OutgoingCapture> opened(const Options& options) {
  auto capture = OutgoingCapture::open(options, Cancellation());
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return capture.ok() ? std::move(capture).value() : nullptr;
}

Error refusal(const Options& options, const Cancellation& cancellation = {}) {
  const auto capture = OutgoingCapture::open(options, cancellation);
  EXPECT_FALSE(capture.ok());
  return capture.ok() ? Error{} : capture.error();
}

TEST(OutgoingCapture, PicturesAndSoundLeaveEncodedInOneTransportStream) {
  const auto capture = opened({.camera = pictures(), .microphone = sound()});
  ASSERT_TRUE(capture);
  const auto packets = packetsOf(fileOf("captured.ts", takeFrom(*capture, 200'000)));
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_GT(packets.at(AV_CODEC_ID_H264), 5);
  EXPECT_GT(packets.at(AV_CODEC_ID_OPUS), 5);
  EXPECT_EQ(capture->problem(), "");
}

TEST(OutgoingCapture, SoundAloneLeaves) {
  const auto capture = opened({.microphone = sound()});
  ASSERT_TRUE(capture);
  const auto packets = packetsOf(fileOf("captured sound.ts", takeFrom(*capture, 50'000)));
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_GT(packets.at(AV_CODEC_ID_OPUS), 20);
}

TEST(OutgoingCapture, TheStreamBeginsOnceItIsWantedWithAKeyframe) {
  const auto capture = opened({.camera = pictures()});
  ASSERT_TRUE(capture);
  const auto path = fileOf("captured pictures.ts", takeFrom(*capture, 100'000));
  const auto cancellation = std::make_shared<Cancellation>();
  auto source = plugins::av::openFile(path.string(), cancellation);
  ASSERT_TRUE(source.ok());
  const auto film = plugins::av::Demuxer::open(std::move(source).value(), "captured", cancellation);
  ASSERT_TRUE(film.ok()) << film.error().message;
  const auto read = film.value()->read();
  ASSERT_EQ(read.outcome, plugins::av::Demuxer::Outcome::Packet);
  EXPECT_NE(read.packet->flags & AV_PKT_FLAG_KEY, 0);
}

TEST(OutgoingCapture, ItsContractIsThatOfItsRates) {
  const auto capture =
      opened({.transport = TransportKind::Udp, .microphone = sound(BitRate::perSecond(64'000))});
  ASSERT_TRUE(capture);
  const auto contract = capture->contract();
  EXPECT_TRUE(net::validate(contract).ok());
  EXPECT_EQ(contract.transport, TransportKind::Udp);
  EXPECT_EQ(contract.largestBuffer, 1128u);  // 200 bytes and a quarter, and four packets
}

TEST(OutgoingCapture, ADeviceThatEndsEndsTheStream) {
  Device short_ = sound();
  short_.source = "audiotestsrc is-live=true num-buffers=20";
  const auto capture = opened({.microphone = short_});
  ASSERT_TRUE(capture);
  (void)takeFrom(*capture, 10'000'000);
  std::byte none[188];
  EXPECT_EQ(capture->write(none), std::nullopt);
  EXPECT_EQ(capture->problem(), "The capture ended.");
}

TEST(OutgoingCapture, ACameraThatThereIsNotIsNamed) {
  const Error error = refusal({.camera = OutgoingCapture::camera("/dev/no-camera")});
  EXPECT_EQ(error.code, ErrorCode::NotFound);
  EXPECT_EQ(error.message, "The camera does not work: Cannot identify device '/dev/no-camera'.");
}

TEST(OutgoingCapture, WithoutADeviceThereIsNothingToSend) {
  const Error error = refusal({});
  EXPECT_EQ(error.code, ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message, "There is no camera and no microphone to send.");
}

TEST(OutgoingCapture, ItsStartIsCancelled) {
  Cancellation cancellation;
  cancellation.raise();
  Device silent = sound();
  silent.source = "appsrc is-live=true";  // nothing ever comes of it
  EXPECT_EQ(refusal({.microphone = silent}, cancellation).message, "The capture was cancelled.");
}

}  // namespace
}  // namespace tactus::media::testing
