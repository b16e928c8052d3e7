// SPDX-License-Identifier: Apache-2.0
#include "ui/models/load_model.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QTest>

namespace tactus::ui {
namespace {

/// A model of a machine that has so much memory for films.
class LoadModelTest : public ::testing::Test {
 protected:
  static std::optional<periodic::MemoryShare::Reading> read(double bytes) {
    return periodic::MemoryShare::Reading{bytes / 0.9, 0};
  }
  QString memoryWith(periodic::MemoryShare::Read machine, double promised) {
    periodic::Scheduler scheduler(m_time, *m_gate, m_trace, false, std::move(machine));
    periodic::QosEvents events;
    LoadModel model(scheduler, events, [] { return std::vector<FilmLoad>(); });
    EXPECT_TRUE(promised <= 0 || scheduler.memory()->hold({"'film'", promised}).ok());
    model.refresh();
    return model.memory();
  }

  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog m_trace;
};

TEST_F(LoadModelTest, SaysWhatWasPromisedAndWhatIsLeft) {
  EXPECT_EQ(memoryWith([] { return read(5.5e9); }, 412e6), "Memory: 412 MB promised, 5.1 GB left");
  EXPECT_EQ(memoryWith([] { return read(800e6); }, 0), "Memory: 0 MB promised, 800 MB left");
}

TEST_F(LoadModelTest, SaysNothingOfWhatIsLeftWhereThatCannotBeRead) {
  EXPECT_EQ(memoryWith([] { return std::nullopt; }, 2e9), "Memory: 2.0 GB promised");
}

TEST_F(LoadModelTest, TheHistoryTellsOfStreamsAndOfTasks) {
  int arguments = 0;
  const QCoreApplication application(arguments, nullptr);
  periodic::Scheduler scheduler(m_time, *m_gate, m_trace);
  periodic::QosEvents events;
  LoadModel model(scheduler, events, [] { return std::vector<FilmLoad>(); });
  periodic::TaskContract contract;
  contract.name = "too much";
  contract.processing = 2 * contract.lbap.rate.period();
  const auto task = scheduler.adopt(contract, 0);
  ASSERT_TRUE(task.ok());
  ASSERT_TRUE(QTest::qWaitFor([&] { return model.history().size() == 1; }));
  EXPECT_TRUE(model.history().front().contains("too much"));
  events.publish({.sentence = "'Film' is in time again."});
  ASSERT_TRUE(QTest::qWaitFor([&] { return model.history().size() == 2; }));
  EXPECT_TRUE(model.history().front().endsWith("'Film' is in time again."));
}

}  // namespace
}  // namespace tactus::ui
