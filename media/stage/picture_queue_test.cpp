// SPDX-License-Identifier: Apache-2.0
#include "media/stage/picture_queue.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

/// A decoder of 25 pictures a second that takes 10 ms for one and is done with it after `response`.
periodic::TaskReport decoder(periodic::Duration response) {
  periodic::TaskReport report;
  report.contract.lbap = {periodic::Rate::perSecond(25), 10};
  report.reserved = true;
  periodic::ReservedPart part;
  part.demand.processing = 10ms;
  part.response = response;
  report.parts = {part};
  return report;
}

TEST(PictureQueue, HoldsWhatArrivesWithinTheDecodersDelayAndAPeriod) {
  // W = 1, + ceil(25/s * (40 - 10) ms) = 1 by the decoder's jitter, + ceil(25/s * 40 ms) = 1, + 2 to spare.
  EXPECT_EQ(picturesToQueue(decoder(30ms), 1'000'000), 5u);
  // A response of 90 ms: ceil(25/s * 80 ms) = 2.
  EXPECT_EQ(picturesToQueue(decoder(90ms), 1'000'000), 6u);
}

TEST(PictureQueue, HoldsAtMostTwelve) {
  EXPECT_EQ(picturesToQueue(decoder(2s), 1'000'000), 12u);
}

TEST(PictureQueue, IsSizedOnlyForADecoderWithAReservation) {
  gst_init(nullptr, nullptr);
  const plugins::ElementPtr element(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("queue", nullptr))));
  PictureQueue queue;
  queue.fit(decoder(30ms), 1000);
  EXPECT_EQ(queue.size().pictures, 0);
  queue.attach(element.get());
  auto unreserved = decoder(90ms);
  unreserved.reserved = false;
  queue.fit(unreserved, 1000);
  EXPECT_EQ(queue.size().pictures, 5);
  queue.fit(decoder(90ms), 1000);
  EXPECT_EQ(queue.size().pictures, 6);
  EXPECT_EQ(queue.size().bytes, 6000u);
  guint most = 0;
  g_object_get(element.get(), "max-size-buffers", &most, nullptr);
  EXPECT_EQ(most, 6u);
}

}  // namespace
}  // namespace tactus::media
