// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/traffic_class.h"

#include <gtest/gtest.h>

#include <array>

namespace tactus::net {
namespace {

TEST(TrafficClass, IsTheTableOfRfc8837) {
  struct Row {
    Carries carries;
    std::array<int, 4> dscp;  // very low, low, medium, high
  };
  constexpr std::array<Row, 4> kTable{{{Carries::Audio, {8, 0, 46, 46}},
                                       {Carries::InteractiveVideo, {8, 0, 36, 34}},
                                       {Carries::Video, {8, 0, 28, 26}},
                                       {Carries::Data, {8, 0, 10, 18}}}};
  for (const Row& row : kTable)
    for (int priority = 0; priority < 4; ++priority)
      EXPECT_EQ(trafficClassOf(row.carries, static_cast<SendPriority>(priority)),
                row.dscp[static_cast<std::size_t>(priority)] << 2);
}

}  // namespace
}  // namespace tactus::net
