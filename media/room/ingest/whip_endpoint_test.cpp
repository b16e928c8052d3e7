// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/whip_endpoint.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "media/room/ingest/publish_offers_fixture.h"

namespace tactus::media {
namespace {

/// An endpoint at /r/T/whip and what its hooks did.
class WhipEndpointTest : public testing::Test {
 protected:
  WhipEndpointTest()
      : m_endpoint(
            "/r/T/whip",
            {.publish = [this](const std::string& publisher, const std::string& session,
                               const PublishOffer& offer) -> Result<std::string> {
               if (m_refusal) return *m_refusal;
               m_done.push_back(publisher + " publishes " + session);
               m_media = offer.media.size();
               return std::string("the answer");
             },
             .unpublish = [this](const std::string& session) { m_done.push_back("end of " + session); },
             .newSession = [this] { return "s" + std::to_string(++m_sessions); }}) {}

  WhipResponse post(const std::string& publisher, std::string body = kChromiumOffer,
                    std::string type = "application/sdp") {
    return m_endpoint.handle({"POST", "/r/T/whip", std::move(type), std::move(body)}, publisher);
  }
  WhipResponse ask(const std::string& method, const std::string& path, const std::string& publisher) {
    return m_endpoint.handle({method, path, "", ""}, publisher);
  }
  static std::string headerOf(const WhipResponse& response, const std::string& name) {
    for (const auto& [key, value] : response.headers)
      if (key == name) return value;
    return "";
  }

  std::optional<Error> m_refusal;
  std::vector<std::string> m_done;
  std::size_t m_media = 0;
  int m_sessions = 0;
  WhipEndpoint m_endpoint;
};

TEST_F(WhipEndpointTest, OfferMakesASessionAndGetsTheAnswer) {
  const auto response = post("ann");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(headerOf(response, "Location"), "/r/T/whip/s1");
  EXPECT_EQ(headerOf(response, "Content-Type"), "application/sdp");
  EXPECT_EQ(response.body, "the answer");
  EXPECT_EQ(m_media, 2U);
  EXPECT_EQ(m_done, std::vector<std::string>{"ann publishes s1"});
}

TEST_F(WhipEndpointTest, DeleteEndsTheSessionOnce) {
  (void)post("ann");
  EXPECT_EQ(ask("DELETE", "/r/T/whip/s1", "ann").status, 200);
  EXPECT_EQ(ask("DELETE", "/r/T/whip/s1", "ann").status, 404);
  EXPECT_EQ(m_done, (std::vector<std::string>{"ann publishes s1", "end of s1"}));
}

TEST_F(WhipEndpointTest, SecondPostReplacesTheFirst) {
  (void)post("ann");
  (void)post("bob");
  EXPECT_EQ(headerOf(post("ann"), "Location"), "/r/T/whip/s3");
  EXPECT_EQ(m_done, (std::vector<std::string>{"ann publishes s1", "bob publishes s2", "ann publishes s3",
                                              "end of s1"}));
  EXPECT_EQ(ask("DELETE", "/r/T/whip/s1", "ann").status, 404);
  EXPECT_EQ(ask("DELETE", "/r/T/whip/s3", "ann").status, 200);
}

TEST_F(WhipEndpointTest, RefusedSecondPostLeavesTheFirstAlone) {
  (void)post("ann");
  m_refusal = Error{ErrorCode::Refused, "The room is full."};
  const auto response = post("ann");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "The room is full.\n");
  EXPECT_EQ(post("ann", "v=0\r\n").status, 422);
  EXPECT_EQ(m_done, std::vector<std::string>{"ann publishes s1"});
}

TEST_F(WhipEndpointTest, OthersSessionLooksLikeOneThatIsNotThere) {
  (void)post("ann");
  const auto others = ask("DELETE", "/r/T/whip/s1", "bob");
  const auto nobodys = ask("DELETE", "/r/T/whip/s9", "bob");
  EXPECT_EQ(others.status, 404);
  EXPECT_EQ(others.body, nobodys.body);
  EXPECT_EQ(others.headers, nobodys.headers);
  EXPECT_EQ(m_done.size(), 1U);
}

TEST_F(WhipEndpointTest, WrongContentTypeIs415AndSaysWhichIsRight) {
  for (const std::string type : {"", "text/plain", "application/sdpx", "application/trickle-ice-sdpfrag"}) {
    const auto response = post("ann", kChromiumOffer, type);
    EXPECT_EQ(response.status, 415) << type;
    EXPECT_EQ(headerOf(response, "Accept-Post"), "application/sdp");
  }
  EXPECT_EQ(post("ann", kChromiumOffer, "Application/SDP; charset=utf-8").status, 201);
}

TEST_F(WhipEndpointTest, BodyThatIsNoOfferIsRefusedWithASentence) {
  EXPECT_EQ(post("ann", "").status, 400);
  EXPECT_EQ(post("ann", "GET / HTTP/1.1").status, 400);
  EXPECT_EQ(post("ann", std::string(PublishOffer::kLargest + 1, 'v')).status, 413);
  const auto response = post("ann", "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n");
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.body, "The offer has 0 media; it must have one to three.\n");
  EXPECT_TRUE(m_done.empty());
}

TEST_F(WhipEndpointTest, ErrorsOfTheIngestAreTold) {
  const std::vector<std::pair<ErrorCode, int>> expected{{ErrorCode::Unavailable, 503},
                                                        {ErrorCode::Timeout, 504},
                                                        {ErrorCode::InvalidArgument, 422},
                                                        {ErrorCode::System, 500}};
  for (const auto& [code, status] : expected) {
    m_refusal = Error{code, "It does not work."};
    EXPECT_EQ(post("ann").status, status);
  }
}

TEST_F(WhipEndpointTest, TrickleAndOtherMethodsAre405) {
  (void)post("ann");
  for (const std::string method : {"PATCH", "GET", "HEAD", "PUT", "POST"}) {
    const auto response = ask(method, "/r/T/whip/s1", "ann");
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_EQ(headerOf(response, "Allow"), "DELETE, OPTIONS");
  }
  for (const std::string method : {"PATCH", "GET", "HEAD", "PUT", "DELETE"}) {
    const auto response = ask(method, "/r/T/whip", "ann");
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_EQ(headerOf(response, "Allow"), "POST, OPTIONS");
  }
}

TEST_F(WhipEndpointTest, OptionsSayWhatCanBePosted) {
  const auto response = ask("OPTIONS", "/r/T/whip", "");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(headerOf(response, "Accept-Post"), "application/sdp");
  EXPECT_EQ(headerOf(ask("OPTIONS", "/r/T/whip/s1", ""), "Allow"), "DELETE, OPTIONS");
}

TEST_F(WhipEndpointTest, OtherPathsAreNotThere) {
  for (const std::string path : {"/", "", "/r/T", "/r/T/whipx", "/r/X/whip"})
    EXPECT_EQ(ask("POST", path, "ann").status, 404) << path;
}

TEST_F(WhipEndpointTest, SessionThatEndedByItselfIsForgotten) {
  (void)post("ann");
  m_endpoint.forget("s1");
  EXPECT_EQ(ask("DELETE", "/r/T/whip/s1", "ann").status, 404);
  (void)post("ann");
  EXPECT_EQ(m_done, (std::vector<std::string>{"ann publishes s1", "ann publishes s2"}));
}

TEST(SessionName, CannotBeGuessed) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(randomSessionName());
  EXPECT_EQ(names.size(), 100U);
  for (const auto& name : names) {
    EXPECT_EQ(name.size(), 32U);
    EXPECT_EQ(name.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

}  // namespace
}  // namespace tactus::media
