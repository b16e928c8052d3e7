// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/periodic/task/task_contract.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

template <typename Which>
std::vector<Stage> stagesThat(Which which) {
  std::vector<Stage> stages;
  for (const StageRow& row : kStages)
    if (which(row)) stages.push_back(row.stage);
  return stages;
}

TEST(Stage, EachRowStandsAtItsStagesIndexUnderANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    EXPECT_EQ(&rowOf(static_cast<Stage>(i)), &kStages[i]);
    EXPECT_EQ(kStages[i].stage, static_cast<Stage>(i));
    EXPECT_TRUE(names.insert(kStages[i].name).second) << kStages[i].name;
  }
  EXPECT_EQ(nameOf(Stage::VideoDecode), "video decode");
  EXPECT_EQ(nameOf(Stage::Forward), "forward");
  EXPECT_EQ(nameOf(Stage::Other), "other");
}

TEST(Stage, PicturesOfAFilmAreGovernedAndItsSoundIsPreferred) {
  EXPECT_EQ(stagesThat([](const StageRow& row) { return row.governed; }),
            (std::vector{Stage::VideoDecode, Stage::VideoDisplay}));
  EXPECT_EQ(stagesThat([](const StageRow& row) { return row.sound; }),
            (std::vector{Stage::AudioDecode, Stage::Audio}));
}

TEST(Stage, OnlyAGovernedStageShedsAndNeverOneOfSound) {
  for (const StageRow& row : kStages) {
    if (row.shedding == Shedding::Nothing) continue;
    EXPECT_TRUE(row.governed) << row.name;
    EXPECT_FALSE(row.sound) << row.name;
  }
  EXPECT_EQ(rowOf(Stage::VideoDecode).shedding, Shedding::BeforeDecoding);
  EXPECT_EQ(rowOf(Stage::VideoDisplay).shedding, Shedding::BeforeDisplay);
}

TEST(Stage, AContractBeginsWithTheRowsFirstGuess) {
  const TaskContract source = contractOf(Stage::Source);
  EXPECT_EQ(source.stage, Stage::Source);
  EXPECT_EQ(source.name, "source");
  EXPECT_EQ(source.service, ServiceClass::Statistical);
  EXPECT_EQ(source.lbap, LbapContract{Rate::perSecond(10)});
  EXPECT_EQ(source.processing, 1ms);
  for (const StageRow& row : kStages) EXPECT_TRUE(validate(contractOf(row.stage)).ok()) << row.name;
}

TEST(Stage, AContractThatNamesNoStageAsksForWhatOtherAsksFor) {
  const TaskContract none;
  const TaskContract other = contractOf(Stage::Other);
  EXPECT_EQ(none.stage, Stage::Other);
  EXPECT_EQ(none.lbap, other.lbap);
  EXPECT_EQ(none.service, other.service);
  EXPECT_EQ(none.processing, other.processing);
}

}  // namespace
}  // namespace tactus::periodic
