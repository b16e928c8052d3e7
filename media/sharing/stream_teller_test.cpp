// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/stream_teller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <vector>

namespace tactus::media {
namespace {

/// Notes what it is told, and calls the test's function with it.
class Told final : public GovernedStream {
 public:
  LoadFigures load() const override {
    if (onLoad) onLoad();
    LoadFigures figures;
    figures.nominalRate = 25;
    return figures;
  }
  void setThinning(Thinning next) override {
    const std::lock_guard lock(m_mutex);
    frequencies.push_back(next.frequency);
  }
  void setService(StreamService) override {
    const std::lock_guard lock(m_mutex);
    ++services;
  }
  void setHeld(bool next) override {
    if (onHeld) onHeld(next);
  }
  std::function<void()> onLoad;
  std::function<void(bool)> onHeld;
  std::vector<double> frequencies;
  int services = 0;

 private:
  std::mutex m_mutex;
};

TEST(StreamTeller, TellsTheNewestOrderOnceOfEachKind) {
  StreamTeller teller;
  Told one, two;
  teller.add(1, one);
  teller.add(2, two);
  teller.post(1, {.thinning = Thinning{.frequency = 0.5}});
  teller.post(1, {.service = StreamService{}});
  teller.post(1, {.thinning = Thinning{.frequency = 0.25}});
  teller.post(9, {.held = true});  // nobody
  EXPECT_TRUE(one.frequencies.empty());
  teller.deliver();
  teller.deliver();
  EXPECT_EQ(one.frequencies, std::vector<double>{0.25});
  EXPECT_EQ(one.services, 1);
  EXPECT_EQ(two.services, 0);
}

TEST(StreamTeller, AsksAllStreams) {
  StreamTeller teller;
  Told one, two;
  teller.add(1, one);
  teller.add(2, two);
  const auto figures = teller.ask();
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures.at(2).nominalRate, 25);
  teller.remove(1);
  EXPECT_EQ(teller.ask().size(), 1u);
}

TEST(StreamTeller, AStreamMayRemoveItselfAndOthersWhileItIsTold) {
  StreamTeller teller;
  Told one, two;
  one.onHeld = [&](bool) {
    teller.remove(2);
    teller.remove(1);
    teller.post(1, {.service = StreamService{}});
  };
  teller.add(1, one);
  teller.add(2, two);
  teller.post(1, {.held = true});
  teller.post(2, {.service = StreamService{}});
  teller.deliver();
  EXPECT_EQ(two.services, 0);
  EXPECT_EQ(one.services, 0);
  EXPECT_TRUE(teller.ask().empty());
}

TEST(StreamTeller, AStreamThatTakesLongHoldsUpNeitherItsCallersNorTheRemovalOfOthers) {
  Told slow, other;
  StreamTeller teller;
  std::promise<void> entered, leave;
  slow.onHeld = [&](bool) {
    entered.set_value();
    leave.get_future().wait();
  };
  teller.start();
  teller.add(1, slow);
  teller.add(2, other);
  teller.post(1, {.held = true});
  entered.get_future().wait();
  teller.post(1, {.thinning = Thinning{}});
  teller.remove(2);
  EXPECT_EQ(teller.ask().size(), 1u);
  // The stream itself is not gone before the call of it has ended.
  std::atomic<bool> left{false};
  std::thread removal([&] {
    teller.remove(1);
    EXPECT_TRUE(left);
  });
  while (!teller.ask().empty()) std::this_thread::yield();
  left = true;
  leave.set_value();
  removal.join();
  EXPECT_TRUE(slow.frequencies.empty());  // its order went with it
}

TEST(StreamTeller, OfAStreamThatIsAskedTheRemovalWaits) {
  Told stream;
  StreamTeller teller;
  std::promise<void> entered, leave;
  std::atomic<bool> left{false};
  stream.onLoad = [&] {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  };
  teller.add(1, stream);
  std::thread asks([&] { (void)teller.ask(); });
  entered.get_future().wait();
  std::thread removal([&] {
    teller.remove(1);
    EXPECT_TRUE(left);
  });
  leave.set_value();
  removal.join();
  asks.join();
}

}  // namespace
}  // namespace tactus::media
