// SPDX-License-Identifier: Apache-2.0
// Subscribers in a real browser.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/net/link/link_task_fixture.h"
#include "media/room/chromium_fixture.h"
#include "media/room/egress/encoded_feed_fixture.h"
#include "media/room/egress/lossy_relay_fixture.h"
#include "media/room/egress/webrtc_subscriber_fixture.h"
#include "media/room/egress/whep_egress.h"
#include "media/room/egress/whep_page_fixture.h"

namespace tactus::media {
namespace {

class WhepChromium : public testing::Test {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }

  /// `relay`: the only way to the subscriber.
  void start(net::LinkTask* link, EncodedFeed& pictures, LossyRelay* relay = nullptr) {
    egress =
        WhepEgress::start(
            {.certificate = DtlsCertificate::generate().value(), .link = link, .addresses = {"127.0.0.1"}})
            .value();
    page = std::make_unique<WhepPage>([this, relay, &pictures](const std::string& offer) {
      auto answer = egress->subscribe({{.feed = &pictures}, {.feed = tone.get()}},
                                      relay != nullptr ? withoutCandidates(offer) : offer);
      EXPECT_TRUE(answer.ok()) << answer.error().message << "\n" << offer;
      if (!answer.ok()) return std::string();
      const std::lock_guard lock(m_mutex);
      m_id = answer.value().id;
      return relay != nullptr ? relay->standInFor(answer.value().description) : answer.value().description;
    });
    chromium = std::make_unique<Chromium>(
        page->address(), std::vector<std::string>{"--autoplay-policy=no-user-gesture-required"});
  }
  static std::string withoutCandidates(std::string offer) {
    for (auto at = offer.find("a=candidate"); at != std::string::npos; at = offer.find("a=candidate"))
      offer.erase(at, offer.find('\n', at) + 1 - at);
    return offer;
  }
  std::string id() {
    const std::lock_guard lock(m_mutex);
    return m_id;
  }
  bool shows(const std::string& colour, const std::string& other) const {
    return page->number(colour) > 150 && page->number(other) < 100;
  }

  const std::unique_ptr<EncodedFeed> red = EncodedFeed::pictures("red"), blue = EncodedFeed::pictures("blue"),
                                     tone = EncodedFeed::sound();
  std::unique_ptr<WhepEgress> egress;
  std::unique_ptr<WhepPage> page;
  std::unique_ptr<Chromium> chromium;

 private:
  std::mutex m_mutex;
  std::string m_id;
};

TEST_F(WhepChromium, SeesHearsAndFollowsToAnotherSource) {
  start(nullptr, *red);
  EXPECT_TRUE(eventually([&] { return page->number("frames") >= 25; })) << page->report();
  EXPECT_TRUE(eventually([&] { return shows("red", "blue"); })) << page->report();
  EXPECT_TRUE(eventually([&] { return page->number("energy") > 0.001; })) << page->report();
  ASSERT_TRUE(egress->switchTo(id(), 0, blue.get()).ok());
  EXPECT_TRUE(eventually([&] { return shows("blue", "red"); })) << page->report();
  const double before = page->number("frames");
  EXPECT_TRUE(eventually([&] { return page->number("frames") >= before + 25; })) << page->report();
  EXPECT_TRUE(eventually([&] { return egress->figures(id()).value().roundTrip.has_value(); }));
  const auto figures = egress->figures(id()).value();
  EXPECT_GT(figures.delivery.arrived, 25u);
  EXPECT_EQ(figures.rtcpUnreadable, 0u);
}

TEST_F(WhepChromium, SeesAllThoughEachTwentiethPacketIsLost) {
  const auto snow = EncodedFeed::pictures("snow");  // of many packets each
  LossyRelay relay(20);
  start(nullptr, *snow, &relay);
  EXPECT_TRUE(eventually([&] { return page->number("again") >= 20; })) << page->report();
  const double before = page->number("frames");
  EXPECT_TRUE(eventually([&] { return page->number("frames") >= before + 50; })) << page->report();
  EXPECT_GE(relay.lost(), 20);
  EXPECT_GE(egress->figures(id()).value().tracks[0].sent.repeated, 20u);
  EXPECT_GT(egress->figures(id()).value().delivery.missing, 0u);
  chromium.reset();  // before the relay
  egress.reset();    // before the pictures
}

TEST_F(WhepChromium, OverALinkItSeesAndHearsAsWell) {
  net::TestLink link(net::BitRate::perSecond(10'000'000));
  start(link.get(), *red);
  EXPECT_TRUE(eventually([&] { return page->number("frames") >= 25; })) << page->report();
  EXPECT_TRUE(eventually([&] { return page->number("energy") > 0.001; })) << page->report();
  egress.reset();  // before the link
}

}  // namespace
}  // namespace tactus::media
