// SPDX-License-Identifier: Apache-2.0
#include "app/exit_code.h"

#include <gtest/gtest.h>

namespace tactus::app {
namespace {

TEST(ExitCode, TheWorstOfSeveralFilmsIsTold) {
  const ExitCode fromBest[] = {ExitCode::Played, ExitCode::PlayedWithViolations, ExitCode::BrokeOff,
                               ExitCode::CannotOpen, ExitCode::InternalError};
  for (std::size_t i = 0; i < std::size(fromBest); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_EQ(worse(fromBest[i], fromBest[j]), fromBest[i]) << i << ' ' << j;
      EXPECT_EQ(worse(fromBest[j], fromBest[i]), fromBest[i]) << i << ' ' << j;
    }
  }
}

}  // namespace
}  // namespace tactus::app
