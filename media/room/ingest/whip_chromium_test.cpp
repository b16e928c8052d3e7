// SPDX-License-Identifier: Apache-2.0
// Publishers in a real browser, by HTTP.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "media/room/chromium_fixture.h"
#include "media/room/ingest/publishing_page_fixture.h"
#include "media/room/ingest/whip_endpoint.h"
#include "media/room/ingest/whip_ingest.h"
#include "media/room/packet_checks_fixture.h"

namespace tactus::media {
namespace {

/// A host of one endpoint, to which one publisher comes.
class WhipChromium : public testing::Test, private IngestListener {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }

  /// The page's thread uses the endpoint.
  void TearDown() override {
    m_browser.reset();
    m_page.reset();
  }

  /// The ingest, once the page has published; null if it does not.
  WhipIngest* published(const std::string& codec) {
    m_page = std::make_unique<PublishingPage>(m_endpoint);
    m_browser = std::make_unique<Chromium>(
        m_page->address(codec),
        std::vector<std::string>{"--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"});
    EXPECT_TRUE(becomesTrue([&] { return !m_page->said().empty(); }));
    EXPECT_TRUE(m_page->said().starts_with("posted 201")) << m_page->said();
    const std::lock_guard lock(m_mutex);
    return m_ingest.get();
  }
  static TrackFeed& feedOf(const WhipIngest& ingest, MediaKind kind) {
    return *ingest.feeds().at(ingest.feeds().at(0)->format().kind == kind ? 0 : 1);
  }
  void expectPicturesAndSound(WhipIngest& ingest, const std::string& decoding, const std::string& encoding) {
    TrackFeed& video = feedOf(ingest, MediaKind::Video);
    TrackFeed& audio = feedOf(ingest, MediaKind::Audio);
    EXPECT_EQ(video.format().encoding, encoding);
    DecodingConsumer pictures("application/x-rtp,media=video,clock-rate=90000,encoding-name=" + encoding,
                              decoding);
    SequenceCheck sound;
    video.add(pictures);
    audio.add(sound);
    video.requestKeyframe();
    EXPECT_TRUE(becomesTrue([&] { return pictures.pictures() >= 25; })) << pictures.pictures();
    EXPECT_TRUE(becomesTrue([&] { return sound.packets() >= 50; })) << sound.packets();
    video.remove(pictures);
    audio.remove(sound);
    EXPECT_TRUE(becomesTrue([&] { return ingest.query().state == IngestState::Live; }));
  }
  /// Reports in a row that told this state.
  int inARow(IngestState state) {
    const std::lock_guard lock(m_mutex);
    return m_state == state ? m_inARow : 0;
  }

  std::unique_ptr<PublishingPage> m_page;
  std::unique_ptr<Chromium> m_browser;

 private:
  void onIngest(const IngestReport& report) override {
    const std::lock_guard lock(m_mutex);
    m_inARow = report.state == m_state ? m_inARow + 1 : 1;
    m_state = report.state;
  }

  std::mutex m_mutex;
  IngestState m_state = IngestState::Connecting;
  int m_inARow = 0;
  std::unique_ptr<WhipIngest> m_ingest;
  WhipEndpoint m_endpoint{"/whip",
                          {.publish = [this](const std::string&, const std::string&,
                                             const PublishOffer& offer) -> Result<std::string> {
                             auto ingest = WhipIngest::create(offer, {.addresses = {"127.0.0.1"}}, this);
                             if (!ingest.ok()) return ingest.error();
                             const std::lock_guard lock(m_mutex);
                             m_ingest = std::move(ingest).value();
                             return m_ingest->answer();
                           },
                           .unpublish = [this](const std::string&) { m_ingest->stop(); },
                           .newSession = randomSessionName}};
};

TEST_F(WhipChromium, Vp8AndOpusDecodeAndTheSessionIsDeleted) {
  WhipIngest* ingest = published("VP8");
  ASSERT_NE(ingest, nullptr);
  expectPicturesAndSound(*ingest, "rtpvp8depay ! vp8dec", "VP8");
  for (const auto& track : ingest->query().tracks) EXPECT_EQ(track.lost, 0U);
  m_page->command("delete");
  EXPECT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Ended; }));
  EXPECT_EQ(ingest->query().end, IngestEnd::Stopped);
  EXPECT_TRUE(becomesTrue([&] { return m_page->said() == "deleted 200"; })) << m_page->said();
}

TEST_F(WhipChromium, H264Decodes) {
  WhipIngest* ingest = published("H264");
  ASSERT_NE(ingest, nullptr);
  expectPicturesAndSound(*ingest, "rtph264depay ! h264parse ! avdec_h264", "H264");
}

TEST_F(WhipChromium, WhoSendsNothingIsKeptAndWhoClosesIsNot) {
  WhipIngest* ingest = published("VP8");
  ASSERT_NE(ingest, nullptr);
  ASSERT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Live; }));
  m_page->command("silence");
  // A report a second: longer than a publisher of whom nothing is heard would be kept.
  EXPECT_TRUE(becomesTrue([&] { return inARow(IngestState::Silent) >= 20; }));
  m_page->command("close");
  EXPECT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Ended; }));
  EXPECT_EQ(ingest->query().end, IngestEnd::PeerLeft);
}

TEST_F(WhipChromium, KilledBrowserIsGivenUp) {
  WhipIngest* ingest = published("VP8");
  ASSERT_NE(ingest, nullptr);
  ASSERT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Live; }));
  m_browser->end();
  EXPECT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Ended; }));
  EXPECT_EQ(ingest->query().end, IngestEnd::ConnectionLost);
}

}  // namespace
}  // namespace tactus::media
