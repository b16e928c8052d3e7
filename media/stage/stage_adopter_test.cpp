// SPDX-License-Identifier: Apache-2.0
#include "media/stage/stage_adopter.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/periodic/kernel/kernel_class.h"
#include "media/stage/bound_task.h"
#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

/// The test's own thread plays a streaming thread that enters and leaves.
class StageAdopterTest : public testing::Test {
 protected:
  StageAdopterTest() {
    gst_init(nullptr, nullptr);
    owner.reset(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("identity", nullptr))));
  }
  void tell(GstStreamStatusType type) {
    const plugins::MessagePtr message(
        gst_message_new_stream_status(GST_OBJECT(owner.get()), type, owner.get()));
    adopter.onStreamStatus(message.get());
  }
  void enter() { tell(GST_STREAM_STATUS_TYPE_ENTER); }
  void leave() { tell(GST_STREAM_STATUS_TYPE_LEAVE); }
  static periodic::TaskContract decoding(const char* name = "decoder") {
    periodic::TaskContract contract;
    contract.name = name;
    contract.stage = periodic::Stage::VideoDecode;
    return contract;
  }
  /// A thread that comes, decodes so many packets and goes.
  void decode(int packets, const char* name = "decoder") {
    enter();
    const auto task = adopter.takeOver(decoding(name));
    ASSERT_TRUE(task);
    for (int i = 0; i < packets; ++i) {
      task->pass();
      task->complete();
    }
    leave();
  }

  periodic::KernelTime time;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler{time, *gate, trace};
  StageAdopter adopter{scheduler, ""};
  plugins::ElementPtr owner;
};

TEST_F(StageAdopterTest, AThreadBecomesWhatItsFirstPacketSays) {
  enter();
  ASSERT_EQ(adopter.report().size(), 1u);
  EXPECT_EQ(adopter.report().front().contract.stage, periodic::Stage::Source);
  const auto task = adopter.takeOver(decoding());
  EXPECT_EQ(adopter.takeOver(decoding()), task) << "it is one already";
  ASSERT_EQ(adopter.report().size(), 1u);
  EXPECT_EQ(adopter.report().front().contract.stage, periodic::Stage::VideoDecode);
  leave();
}

TEST_F(StageAdopterTest, AWindowsServiceHoldsForGovernedStagesAndSoundIsPreferred) {
  using periodic::ServiceClass;
  adopter.setService({.service = ServiceClass::BestEffort, .aboveOrdinary = false, .quantile = 0.8});
  for (const periodic::StageRow& row : periodic::kStages) {
    enter();
    const auto task = adopter.takeOver(periodic::contractOf(row.stage));
    ASSERT_TRUE(task) << row.name;
    const auto contract = task->contract();
    EXPECT_EQ(contract.service, row.governed ? ServiceClass::BestEffort : row.service) << row.name;
    EXPECT_EQ(contract.aboveOrdinary, !row.governed) << row.name;
    EXPECT_EQ(contract.preferred, row.sound) << row.name;
    EXPECT_EQ(contract.quantile, row.stage == periodic::Stage::VideoDecode ? 0.8 : 0.95) << row.name;
    leave();
  }
}

TEST_F(StageAdopterTest, ReportsOfEndedThreadsAreSummedByName) {
  for (int i = 0; i < 5; ++i) decode(3);
  decode(2, "another");
  const auto reports = adopter.report();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].statistics.packets, 15u);
  EXPECT_EQ(reports[0].statistics.laxity.count, 15u);
  EXPECT_EQ(reports[1].statistics.packets, 2u);
  EXPECT_EQ(adopter.counters(periodic::Stage::VideoDecode).packets, 17u);
}

TEST_F(StageAdopterTest, ABoundTaskBelongsToOneThread) {
  BoundTask bound(adopter);
  EXPECT_FALSE(bound.isHere());
  enter();
  EXPECT_TRUE(bound.bind(decoding()));
  EXPECT_TRUE(bound.isHere());
  EXPECT_FALSE(bound.bind(decoding())) << "the same task";
  std::thread([&] { EXPECT_FALSE(bound.isHere()); }).join();
  leave();
}

TEST_F(StageAdopterTest, AThreadThatReturnsWithItsOldIdHasAnotherTask) {
  BoundTask bound(adopter);
  enter();
  EXPECT_TRUE(bound.bind(decoding()));
  const auto retired = bound.get();
  leave();
  enter();
  EXPECT_FALSE(bound.isHere());
  EXPECT_TRUE(bound.bind(decoding()));
  EXPECT_NE(bound.get(), retired);
  leave();
}

}  // namespace
}  // namespace tactus::media
