// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/placement.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

class Placed : public ::testing::Test {
 protected:
  std::optional<Shortfall> place(std::uint64_t number, int perSecond, Duration worst) {
    ReservationContract contract;
    contract.rate = Rate::perSecond(perSecond);
    contract.worst = worst;
    contract.service = ServiceClass::Guaranteed;
    const auto id = static_cast<ReservationId>(number);
    m_entries[id] = {id, contract, false, {}};
    return Placement(m_policy).place(m_entries, id);
  }
  ReservedPart& part(std::uint64_t number) {
    return m_entries.at(static_cast<ReservationId>(number)).parts.at(0);
  }
  AdmissionPolicy m_policy;
  ReservationEntries m_entries;
};

TEST_F(Placed, WhatDoesNotFitMovesNobody) {
  ASSERT_FALSE(place(1, 100, 5ms));
  const int level = part(1).level;
  const auto lacks = place(2, 10, 50ms);
  ASSERT_TRUE(lacks);
  EXPECT_EQ(lacks->reason, Shortfall::Reason::Capacity);
  EXPECT_EQ(lacks->cpu, 0);
  EXPECT_NEAR(lacks->load, 1.0, 1e-9);
  EXPECT_NEAR(lacks->others, 0.5, 1e-9);
  EXPECT_EQ(part(1).level, level);
  EXPECT_EQ(part(2).cpu, -1);
  EXPECT_FALSE(m_entries.at(static_cast<ReservationId>(2)).admitted);
}

TEST_F(Placed, LevelsAreAssignedOrLeftAsTheyAre) {
  ASSERT_FALSE(place(1, 10, 10ms));
  ASSERT_FALSE(place(2, 100, 1ms));
  part(1).level = part(2).level = 0;
  EXPECT_FALSE(Placement(m_policy).assignLevelsOn(m_entries, 0));
  EXPECT_GT(part(2).level, part(1).level);
  EXPECT_EQ(part(1).demand.level, part(1).level);
  const int before = part(1).level;
  part(2).demand.processing = 9ms;  // 1.0 together
  ASSERT_TRUE(Placement(m_policy).assignLevelsOn(m_entries, 0));
  EXPECT_EQ(part(1).level, before);
}

TEST_F(Placed, AChangedContractIsPlacedAgainWhereItWas) {
  m_policy.cpus = {0, 1};
  ASSERT_FALSE(place(1, 10, 10ms));
  ASSERT_FALSE(place(2, 10, 20ms));
  const auto id = static_cast<ReservationId>(2);
  const auto before = m_entries.at(id).parts;
  EXPECT_NE(part(1).cpu, part(2).cpu);
  m_entries.at(id).contract.worst = 50ms;
  EXPECT_TRUE(Placement(m_policy).placeAgain(m_entries, id, before));
  EXPECT_EQ(part(2).cpu, before[0].cpu);
  EXPECT_NEAR(shareOn(m_entries, before[0].cpu), 0.5, 1e-9);
  m_entries.at(id).contract.worst = 95ms;
  EXPECT_FALSE(Placement(m_policy).placeAgain(m_entries, id, before));
}

}  // namespace
}  // namespace tactus::periodic
