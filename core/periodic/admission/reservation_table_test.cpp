// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/reservation_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

ReservationContract contract(std::string name, int perSecond, Duration worst,
                             ServiceClass service = ServiceClass::Guaranteed) {
  ReservationContract made;
  made.name = std::move(name);
  made.rate = Rate::perSecond(perSecond);
  made.worst = worst;
  made.service = service;
  return made;
}

AdmissionPolicy policy(std::vector<int> cpus = {0}) {
  AdmissionPolicy made;
  made.cpus = std::move(cpus);
  return made;
}

TEST(ReservationTable, AdmitsPlacesAndLists) {
  ReservationTable table(policy({0, 1}));
  const auto film = table.create(contract("film", 25, 10ms));
  const auto audio = table.create(contract("audio", 100, 1ms));
  ASSERT_TRUE(film.ok() && audio.ok());
  const auto list = table.list();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].contract.name, "film");
  EXPECT_TRUE(list[0].admitted);
  ASSERT_EQ(list[0].parts.size(), 1u);
  EXPECT_NE(list[0].parts[0].cpu, list[1].parts[0].cpu);  // worst-fit spreads
  EXPECT_NEAR(table.load(list[0].parts[0].cpu), 0.25, 1e-9);
  EXPECT_NEAR(table.load(list[1].parts[0].cpu), 0.1, 1e-9);
}

TEST(ReservationTable, ShorterPeriodsGetHigherLevelsAndOthersShift) {
  ReservationTable table(policy());
  const auto slow = table.create(contract("slow", 10, 5ms)).value();
  const int before = table.find(slow)->parts[0].level;
  const auto fast = table.create(contract("fast", 100, 1ms)).value();
  EXPECT_GT(table.find(fast)->parts[0].level, table.find(slow)->parts[0].level);
  EXPECT_EQ(table.find(fast)->parts[0].level, before);
  table.release(fast);
  EXPECT_EQ(table.find(slow)->parts[0].level, before);
}

TEST(ReservationTable, RefusalNamesTestProcessorShortfallAndOffers) {
  ReservationTable table(policy());
  ASSERT_TRUE(table.create(contract("Lecture", 100, 6500us)).ok());  // 0.65
  auto asked = contract("Film", 25, 12ms);                           // 0.30
  asked.typical = 5ms;                                               // 0.125 as statistical
  const auto refused = table.create(asked);
  ASSERT_FALSE(refused.ok());
  const auto& why = refused.error();
  EXPECT_EQ(why.code, ErrorCode::Refused);
  EXPECT_EQ(why.test, std::nullopt);  // the share kept free
  EXPECT_EQ(why.cpu, 0);
  EXPECT_NEAR(why.load, 0.95, 1e-9);
  EXPECT_NEAR(why.limit, 0.9, 1e-9);
  EXPECT_NE(
      why.sentence.find("Film needs 30 % of a processor at 25 packets a second; processor 0, the freest, has "
                        "25 % left of the 90 %"),
      std::string::npos)
      << why.sentence;
  ASSERT_EQ(why.offers.size(), 3u);
  for (const auto& offer : why.offers) {
    EXPECT_TRUE(table.wouldAdmit(offer.contract).ok()) << offer.sentence;
    EXPECT_NE(why.sentence.find(offer.sentence), std::string::npos) << why.sentence;
  }
  EXPECT_EQ(why.offers[0].kind, Offer::Kind::Statistical);
  EXPECT_EQ(table.list().size(), 1u);
}

TEST(ReservationTable, RefusalByExactAnalysisNamesTheResponseTime) {
  auto tight = policy();
  tight.capacity = 1;
  ReservationTable table(tight);
  ASSERT_TRUE(table.create(contract("a", 100, 5ms)).ok());
  const auto refused = table.create(contract("b", 70, 7ms));  // U = 0.99, not harmonic
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().test, AdmissionTest::ExactResponse);
  EXPECT_GT(refused.error().load, refused.error().limit);
}

TEST(ReservationTable, StatisticalReservesTheQuantile) {
  ReservationTable table(policy());
  auto asked = contract("film", 25, 40ms, ServiceClass::Statistical);
  asked.typical = 10ms;
  const auto id = table.create(asked);
  ASSERT_TRUE(id.ok());
  EXPECT_NEAR(table.load(0), 0.25, 1e-9);
}

TEST(ReservationTable, BandsAreForTheFirstScheme) {
  auto bands = policy();
  bands.scheme = PriorityScheme::Bands;
  ReservationTable table(bands);
  const auto fast = table.create(contract("fast", 100, 1ms, ServiceClass::Statistical)).value();
  const auto slow = table.create(contract("slow", 10, 5ms)).value();
  EXPECT_GT(table.find(slow)->parts[0].level, table.find(fast)->parts[0].level);
}

TEST(ReservationTable, ThreadsAreTasksOfTheirOwn) {
  ReservationTable table(policy({0, 1}));
  auto heavy = contract("4K", 25, 60ms);
  EXPECT_FALSE(table.create(heavy).ok());  // 1.5 processors
  heavy.threads = 2;
  heavy.deadline = 80ms;
  const auto id = table.create(heavy);
  ASSERT_TRUE(id.ok()) << id.error().sentence;
  const auto& parts = table.find(id.value())->parts;
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_NE(parts[0].cpu, parts[1].cpu);
  EXPECT_EQ(parts[0].demand.period, 80ms);
  EXPECT_NEAR(table.load(0), 0.75, 1e-9);
}

TEST(ReservationTable, RepacksWhenWorstFitSpreadTooWell) {
  ReservationTable table(policy({0, 1}));
  ASSERT_TRUE(table.create(contract("a", 10, 30ms)).ok());
  ASSERT_TRUE(table.create(contract("b", 10, 30ms)).ok());  // 0.3 on each
  const auto big = table.create(contract("c", 10, 85ms));   // fits once a and b share
  ASSERT_TRUE(big.ok());
  EXPECT_NEAR(std::max(table.load(0), table.load(1)), 0.85, 1e-9);
  EXPECT_NEAR(std::min(table.load(0), table.load(1)), 0.6, 1e-9);
}

TEST(ReservationTable, RefusedChangeLeavesTheOldContract) {
  ReservationTable table(policy());
  const auto id = table.create(contract("film", 25, 10ms)).value();
  EXPECT_FALSE(table.change(id, contract("film", 25, 39ms)).ok());
  EXPECT_EQ(table.find(id)->contract.worst, 10ms);
  EXPECT_TRUE(table.find(id)->admitted);
  EXPECT_TRUE(table.change(id, contract("film", 25, 20ms)).ok());
  EXPECT_NEAR(table.load(0), 0.5, 1e-9);
}

TEST(ReservationTable, ChangeStaysOnItsProcessor) {
  ReservationTable table(policy({0, 1}));
  const auto a = table.create(contract("a", 10, 10ms)).value();
  const auto b = table.create(contract("b", 10, 20ms)).value();
  const int cpu = table.find(b)->parts[0].cpu;
  ASSERT_TRUE(table.change(b, contract("b", 10, 40ms)).ok());
  EXPECT_EQ(table.find(b)->parts[0].cpu, cpu);
  EXPECT_NE(table.find(a)->parts[0].cpu, cpu);
}

TEST(ReservationTable, LosersWhenProcessorsGoAwayComeBackWithThem) {
  ReservationTable table(policy({0, 1}));
  const auto statistical = table.create(contract("s", 10, 60ms, ServiceClass::Statistical)).value();
  const auto guaranteed = table.create(contract("g", 10, 60ms)).value();
  const auto lost = table.setPolicy(policy({1}));
  EXPECT_EQ(lost, std::vector<ReservationId>{statistical});
  EXPECT_TRUE(table.find(guaranteed)->admitted);
  EXPECT_EQ(table.find(guaranteed)->parts[0].cpu, 1);
  EXPECT_FALSE(table.find(statistical)->admitted);
  EXPECT_TRUE(table.setPolicy(policy({0, 1})).empty());
  EXPECT_TRUE(table.find(statistical)->admitted);
}

TEST(ReservationTable, ReleaseLetsALoserIn) {
  ReservationTable table(policy({0, 1}));
  const auto a = table.create(contract("a", 10, 60ms)).value();
  const auto b = table.create(contract("b", 10, 60ms)).value();
  ASSERT_EQ(table.setPolicy(policy({0})).size(), 1u);
  table.release(a);
  EXPECT_TRUE(table.find(b)->admitted);
  table.release(b);
  table.release(b);  // unknown by now: nothing happens
  EXPECT_EQ(table.load(0), 0);
}

TEST(ReservationTable, NoProcessorLeftIsARefusal) {
  ReservationTable table(policy({0}));
  auto pinned = contract("pinned", 10, 1ms);
  pinned.cpus = {3};
  const auto refused = table.create(pinned);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence.find("none of the processors"), std::string::npos)
      << refused.error().sentence;
  EXPECT_EQ(table.setPolicy(policy({})).size(), 0u);
  EXPECT_FALSE(table.create(contract("any", 10, 1ms)).ok());
}

TEST(ReservationTable, TooFewLevelsIsARefusalThatSaysSo) {
  auto one = policy();
  one.levels = {1, 1};
  ReservationTable table(one);
  ASSERT_TRUE(table.create(contract("long", 10, 15ms)).ok());
  const auto refused = table.create(contract("short", 100, 1ms));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence.find("priority levels"), std::string::npos) << refused.error().sentence;
}

TEST(ReservationTable, BestEffortIsListedAndReservesNothing) {
  ReservationTable table(policy());
  const auto id = table.create(contract("file", 10, 0ms, ServiceClass::BestEffort));
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(table.load(0), 0);
  EXPECT_FALSE(table.find(id.value())->admitted);
}

TEST(ReservationTable, LowerFrequencyReservesLess) {
  ReservationTable table(policy());
  auto half = contract("film", 25, 20ms);
  half.frequency = 0.5;
  const auto id = table.create(half).value();
  EXPECT_NEAR(table.load(0), 0.25, 1e-9);
  EXPECT_EQ(table.find(id)->parts[0].demand.jitter, 0ns);
  half.frequency = 0.7;
  ASSERT_TRUE(table.change(id, half).ok());
  EXPECT_NEAR(table.load(0), 0.35, 1e-6);
  EXPECT_EQ(table.find(id)->parts[0].demand.jitter, 40ms);
}

TEST(ReservationTable, ThePreferredComesFirstWhereAllDeadlinesCanBeMetSo) {
  ReservationTable table(policy());
  const auto level = [&](ReservationId id) { return table.find(id)->parts[0].level; };
  auto asked = contract("film", 10, 8ms);
  asked.preferred = true;
  const auto film = table.create(asked).value();
  const auto other = table.create(contract("other", 30, 5ms)).value();
  EXPECT_GT(level(film), level(other));
  // One that cannot wait so long: rate-monotonic again, and nobody is refused for it.
  const auto sound = table.create(contract("sound", 200, 1ms)).value();
  EXPECT_GT(level(sound), level(film));
  EXPECT_GT(level(other), level(film));
  table.release(sound);
  EXPECT_GT(level(film), level(other));
  // It loses the preference, and later has it again, in place.
  asked.preferred = false;
  ASSERT_TRUE(table.change(film, asked).ok());
  EXPECT_GT(level(other), level(film));
  asked.preferred = true;
  ASSERT_TRUE(table.change(film, asked).ok());
  EXPECT_GT(level(film), level(other));
}

TEST(ReservationTable, WhoWorksAheadComesAfterWhoDoesNot) {
  ReservationTable table(policy());
  const auto level = [&](ReservationId id) { return table.find(id)->parts[0].level; };
  auto decode = contract("decode", 30, 5ms);
  decode.worksAhead = true;
  const auto ahead = table.create(decode).value();
  const auto display = table.create(contract("display", 10, 5ms)).value();
  EXPECT_GT(level(display), level(ahead));
  decode.preferred = true;
  ASSERT_TRUE(table.change(ahead, decode).ok());
  EXPECT_GT(level(ahead), level(display));
  // One that cannot wait behind it: rate-monotonic again.
  decode.preferred = false;
  ASSERT_TRUE(table.change(ahead, decode).ok());
  const auto slow = table.create(contract("slow", 10, 30ms)).value();
  EXPECT_GT(level(ahead), level(slow));
}

TEST(ReservationTable, AbsurdContractsAreRefusedByASentence) {
  ReservationTable table(policy());
  const auto refused = [&](auto change) {
    ReservationContract bad = contract("bad", 25, 10ms);
    change(bad);
    const auto result = table.create(bad);
    EXPECT_FALSE(result.ok());
    if (result.ok()) return std::string();
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    return result.error().sentence;
  };
  EXPECT_EQ(refused([](auto& c) { c.worst = 0ns; }),
            "bad declares a processing time that is not above zero and at most an hour.");
  EXPECT_EQ(refused([](auto& c) { c.worst = -5ms; }),
            "bad declares a processing time that is not above zero and at most an hour.");
  EXPECT_EQ(refused([](auto& c) { c.worst = 50ms; }), "bad cannot need 50 ms of processing within 40 ms.");
  EXPECT_FALSE(refused([](auto& c) { c.worst = 5h; }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.typical = 11ms; }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.deadline = -1ns; }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.frequency = std::nan(""); }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.frequency = 0; }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.frequency = std::numeric_limits<double>::infinity(); }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.workahead = 0; }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.threads = 0; }).empty());
  EXPECT_FALSE(refused([](auto& c) { c.cpus = {-1}; }).empty());
  EXPECT_TRUE(table.list().empty());
  EXPECT_EQ(table.change(static_cast<ReservationId>(99), contract("x", 1, 1ms)).error().code,
            ErrorCode::NotFound);
}

TEST(ReservationTable, WhoLeavesPacketsOutDisturbsOthersNoMoreThanBefore) {
  // Whole, all three fit. At 0.7 two packets in a row are possible, as they were: no reason to refuse
  // anybody.
  ReservationTable table(policy());
  const auto first = table.create(contract("first", 10, 27ms)).value();
  const auto second = table.create(contract("second", 10, 27ms)).value();
  const auto third = table.create(contract("third", 10, 27ms)).value();
  for (const auto id : {first, second, third}) {
    auto fewer = table.find(id)->contract;
    fewer.frequency = 0.7;
    fewer.worst = 28ms;
    EXPECT_TRUE(table.change(id, fewer).ok()) << fewer.name;
  }
  EXPECT_TRUE(table.create(contract("fourth", 10, 14ms)).ok());
}

}  // namespace
}  // namespace tactus::periodic
