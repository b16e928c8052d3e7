// SPDX-License-Identifier: Apache-2.0
#include "ui/models/stats_text.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

TEST(StatsText, TellsThePromisedMemoryOfAFilmThatWasPromisedSome) {
  const auto gate = periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  media::PlayerStatistics statistics;
  EXPECT_FALSE(statsText(statistics, {}, *gate, "a screen").contains("memory"));
  statistics.memory = 356'614'144;
  EXPECT_TRUE(statsText(statistics, {}, *gate, "a screen").contains("\nmemory promised: 357 MB\n"));
}

}  // namespace
}  // namespace tactus::ui
