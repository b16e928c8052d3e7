// SPDX-License-Identifier: Apache-2.0
#include "app/qos_request.h"

#include <gtest/gtest.h>

#include <string>

namespace tactus::app {
namespace {

std::string fault(std::string_view line) {
  const auto request = qosRequestOf(line);
  return request.ok() ? "" : request.error().message;
}

TEST(QosRequest, ReadsAnActionForAWindow) {
  const auto request = qosRequestOf(R"({"window": "Camera", "frequency": 0.5, "size": 0.25, "weight": 4})");
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request.value().window, "Camera");
  EXPECT_EQ(request.value().action.frequency, 0.5);
  EXPECT_EQ(request.value().action.size, 0.25);
  EXPECT_EQ(request.value().action.weight, 4);
  EXPECT_FALSE(request.value().action.leastFrequency);
  EXPECT_FALSE(request.value().handles);
}

TEST(QosRequest, ReadsWhetherTheProgramHandlesViolations) {
  EXPECT_EQ(qosRequestOf(R"({"handle": true})").value().handles, true);
  EXPECT_EQ(qosRequestOf(R"({"handle": false})").value().handles, false);
}

TEST(QosRequest, SaysWhatIsWrong) {
  EXPECT_NE(fault("").find("The line is no JSON: "), std::string::npos);
  EXPECT_NE(fault("{\"window\": ").find("The line is no JSON: "), std::string::npos);
  EXPECT_EQ(fault("[1]"), "The line is no JSON object.");
  EXPECT_EQ(fault(R"({"window": "a", "colour": 1})"),
            "'colour' is unknown, or its value is of another type.");
  EXPECT_EQ(fault(R"({"window": 3, "size": 1})"), "'window' is unknown, or its value is of another type.");
  EXPECT_EQ(fault(R"({"window": "a", "size": "1"})"), "'size' is unknown, or its value is of another type.");
  EXPECT_EQ(fault(R"({"window": "a", "size": 2})"),
            "A limit of the size is above 0 and at most 1, and not 2.");
  EXPECT_EQ(fault(R"({"window": "a"})"), "An action names a frequency, a size, an f_min or a weight.");
  const std::string both = "A line has \"handle\" alone, or a \"window\" and what is to be done about it.";
  EXPECT_EQ(fault("{}"), both);
  EXPECT_EQ(fault(R"({"size": 1})"), both);
  EXPECT_EQ(fault(R"({"handle": true, "window": "a", "size": 1})"), both);
}

}  // namespace
}  // namespace tactus::app
