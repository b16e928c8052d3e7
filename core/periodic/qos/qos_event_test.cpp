// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/qos_event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string_view>

namespace tactus::periodic {
namespace {

std::string fault(const QosAction& action) {
  const auto valid = validate(action);
  return valid.ok() ? "" : valid.error().message;
}

TEST(QosAction, IsRefusedWithTheNumbersOutOfRange) {
  EXPECT_EQ(fault({.frequency = 0.5}), "");
  EXPECT_EQ(fault({.frequency = 1, .size = 0.25, .leastFrequency = 0, .weight = 1000}), "");
  EXPECT_EQ(fault({.frequency = 0}), "A limit of the frequency is above 0 and at most 1, and not 0.");
  EXPECT_EQ(fault({.size = 1.5}), "A limit of the size is above 0 and at most 1, and not 1.5.");
  EXPECT_EQ(fault({.leastFrequency = -1}), "f_min is a share, from 0 to 1, and not -1.");
  EXPECT_EQ(fault({.weight = 0}), "A weight is above 0 and at most 1000, and not 0.");
  EXPECT_FALSE(validate({.frequency = std::nan("")}).ok());
  EXPECT_FALSE(validate({.weight = std::nan("")}).ok());
  EXPECT_EQ(fault({}), "An action names a frequency, a size, an f_min or a weight.");
}

TEST(QosCause, ThatOfAStreamBetweenHostsHasAName) {
  EXPECT_EQ(nameOf(QosCause::Network), "network");
  EXPECT_EQ(nameOf(QosCause::Sender), "sender");
  EXPECT_EQ(nameOf(QosCause::Processor), "processor");
}

TEST(QosEvent, EachKindHasANameOfItsOwn) {
  using Kind = QosEvent::Kind;
  std::set<std::string_view> names;
  for (const Kind kind : {Kind::Violation, Kind::Recovered, Kind::Thinned, Kind::LastRung, Kind::Whole,
                          Kind::Refused, Kind::Admitted, Kind::Smaller, Kind::Limited})
    names.insert(nameOf(kind));
  EXPECT_EQ(names.size(), 9u);
  EXPECT_EQ(nameOf(Kind::Limited), "limited");
}

}  // namespace
}  // namespace tactus::periodic
