// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/offer_search.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

ReservationContract film() {
  ReservationContract contract;
  contract.name = "Film";
  contract.rate = Rate::perSecond(20);
  contract.worst = 30ms;
  contract.typical = 20ms;
  contract.service = ServiceClass::Guaranteed;
  return contract;
}

double shareOf(const ReservationContract& contract) {
  return utilisation(demandsOf(contract));
}

TEST(OfferSearch, FindsTheLargestTwentiethThatFits) {
  int tries = 0;
  const auto offers = offersFor(film(), [&](const ReservationContract& contract) {
    ++tries;
    return shareOf(contract) <= 0.22;  // of 0.6
  });
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].kind, Offer::Kind::LowerFrequency);
  EXPECT_NEAR(offers[0].contract.frequency, 0.35, 1e-9);
  EXPECT_EQ(offers[0].sentence, "at 7 of its 20 packets a second");
  EXPECT_EQ(offers[1].kind, Offer::Kind::LowerRate);
  EXPECT_EQ(offers[1].sentence, "with a source of 7 packets a second");
  EXPECT_LE(tries, 11) << "bisection: five tries each, and the statistical one";
}

TEST(OfferSearch, AStatisticalReservationIsOfferedFirst) {
  const auto offers =
      offersFor(film(), [](const ReservationContract& contract) { return shareOf(contract) <= 0.4; });
  ASSERT_EQ(offers.size(), 3u);
  EXPECT_EQ(offers[0].kind, Offer::Kind::Statistical);
  EXPECT_EQ(offers[0].contract.service, ServiceClass::Statistical);
}

TEST(OfferSearch, WhereNothingFitsNothingIsOffered) {
  EXPECT_TRUE(offersFor(film(), [](const ReservationContract&) { return false; }).empty());
}

TEST(AdmissionRefusal, EachShortfallHasItsSentence) {
  using Reason = Shortfall::Reason;
  const auto sentence = [](const Shortfall& lacks) { return refusalOf(film(), lacks).sentence; };
  const std::string begin = "Film needs 60 % of a processor at 20 packets a second; ";
  EXPECT_EQ(sentence({}), begin + "none of the processors it names may be used.");
  EXPECT_EQ(sentence({Reason::Capacity, 1, 1.2, 0.9, 0.6, 0}),
            begin + "processor 1, the freest, has 30 % left of the 90 % that may be reserved.");
  EXPECT_EQ(sentence({Reason::TestFailed, 0, 0.0512, 0.05, 0, 0}),
            begin +
                "on processor 0 a packet could take 51.2 ms where 50.0 ms are allowed (exact response-time "
                "analysis).");
  EXPECT_EQ(sentence({Reason::TooFewLevels, 0, 3, 2, 0, 3}),
            begin + "the kernel grants 2 priority levels, too few to tell 3 tasks apart.");
}

TEST(AdmissionRefusal, OffersEndTheSentence) {
  AdmissionRefusal refusal = refusalOf(film(), {});
  const std::string before = refusal.sentence;
  addOffers(refusal, {});
  EXPECT_EQ(refusal.sentence, before);
  addOffers(refusal, {{Offer::Kind::LowerRate, film(), "a"},
                      {Offer::Kind::LowerRate, film(), "b"},
                      {Offer::Kind::LowerRate, film(), "c"}});
  EXPECT_EQ(refusal.sentence, before + " It would fit a, b or c.");
}

}  // namespace
}  // namespace tactus::periodic
