// SPDX-License-Identifier: Apache-2.0
// Two hosts whose stream violates its contract, over real sockets. The jitter is as long as five periods, so
// that a busy machine breaks nothing; what a test breaks, it breaks by more.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/net/port/lossy_relay_fixture.h"
#include "core/net/port/port_fixture.h"
#include "core/periodic/qos/qos_events.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::QosAction;
using periodic::QosCause;
using periodic::QosEvent;
using periodic::QosEvents;
using periodic::Rate;
using Kind = QosEvent::Kind;

/// 50 buffers a second, and 25 at least: periods of 20, 30 and 40 ms.
StreamContract contractOf(TransportKind transport) {
  StreamContract contract;
  contract.transport = transport;
  contract.largestBuffer = 100;
  contract.rate = Rate::perSecond(50);
  contract.workahead = 16;
  contract.jitter = 100ms;
  contract.latency = 10s;
  contract.leastRate = Rate::perSecond(25);
  return contract;
}

/// What was told, in this order.
class Told {
 public:
  void add(const QosEvent& event) {
    const std::lock_guard lock(m_mutex);
    m_all.push_back(event);
    m_changed.notify_all();
  }
  using Test = std::function<bool(const QosEvent&)>;
  [[nodiscard]] std::optional<QosEvent> await(const Test& test) {
    std::unique_lock lock(m_mutex);
    std::optional<QosEvent> found;
    const auto look = [&] {
      for (const QosEvent& each : m_all)
        if (!found && test(each)) found = each;
      return found.has_value();
    };
    (void)m_changed.wait_for(lock, kPortsPatience, look);
    return found;
  }
  /// Periods of a port in ms, as they changed.
  [[nodiscard]] std::vector<double> periodsOf(const std::string& name) {
    const std::lock_guard lock(m_mutex);
    std::vector<double> periods{20};
    for (const QosEvent& each : m_all)
      if (each.name == name && (each.kind == Kind::Thinned || each.kind == Kind::Whole))
        periods.push_back(20 / each.frequency);
    return periods;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<QosEvent> m_all;
};

Told::Test toldBy(const std::string& name, QosCause cause) {
  return [=](const QosEvent& event) { return event.name == name && event.cause == cause; };
}

Told::Test toldBy(const std::string& name, Kind kind) {
  return [=](const QosEvent& event) { return event.name == name && event.kind == kind; };
}

Told::Test goesBy(const std::string& name, double period) {
  return [=](const QosEvent& event) {
    return event.name == name && (event.kind == Kind::Thinned || event.kind == Kind::Whole) &&
           std::abs(20 / event.frequency - period) < 1e-6;
  };
}

class PortJudges : public PortTest {
 protected:
  PortJudges() { m_qos = &m_events; }
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(PortTest::SetUp());
    m_events.watch("test", [this](const QosEvent& event) { m_told.add(event); });
  }
  void TearDown() override {
    m_pairs.clear();
    PortTest::TearDown();
  }

  /// A stream from a port "mic" there to a port "speaker" here.
  struct Pair {
    std::unique_ptr<Port> reader, writer;
    std::atomic<bool> slowSender{false}, slowReader{false};
    std::atomic<int> made{0}, taken{0};
  };
  Pair& pair(const StreamContract& contract, const std::string& suffix = "") {
    m_pairs.push_back(std::make_unique<Pair>());
    Pair& pair = *m_pairs.back();
    pair.reader = port(*m_here, "speaker" + suffix, PortType::Read, contract);
    pair.writer = port(*m_there, "mic" + suffix, PortType::Write, contract);
    expectOk(pair.reader->attach(ReadHandler([&pair](const StreamBuffer&) {
      // As long as twelve periods, of which the later buffers wait for more than the jitter.
      if (++pair.taken % 20 == 0 && pair.slowReader) std::this_thread::sleep_for(250ms);
    })));
    // A slow sender has a buffer each tenth period.
    expectOk(pair.writer->attach(WriteHandler([&pair](std::span<std::byte>) -> std::optional<std::size_t> {
      return ++pair.made % 10 != 0 && pair.slowSender ? 0 : 10;
    })));
    return pair;
  }
  void start(Pair& pair, std::optional<StreamAddress> by = {}) {
    const StreamAddress address = by ? *by : *m_here->networkAddress(pair.reader->name());
    expectOk(pair.writer->connect(address, pair.reader->token()));
    expectOk(pair.reader->await(StreamState::Connected, kPortsPatience));
    expectOk(pair.reader->start());
    expectOk(pair.writer->start());
  }
  Pair& slowSender(const std::string& suffix = "") {
    Pair& slow = pair(contractOf(TransportKind::Tcp), suffix);
    slow.slowSender = true;
    return slow;
  }
  /// Of the task of a port, in buffers a second.
  [[nodiscard]] double rateOfTask(const std::string& name) const {
    for (const auto& task : m_scheduler.report())
      if (task.contract.name == name) return task.contract.lbap.rate.perSecond();
    return 0;
  }

  Told m_told;
  QosEvents m_events;  // ends its threads, which tell m_told
  std::vector<std::unique_ptr<Pair>> m_pairs;
};

TEST_F(PortJudges, ASenderThatIsSlowerThanPromisedIsToldToBothSides) {
  Pair& slow = slowSender();
  start(slow);
  for (const char* name : {"speaker", "mic"}) {
    const auto told = m_told.await(toldBy(name, QosCause::Sender));
    ASSERT_TRUE(told) << name;
    EXPECT_EQ(told->stream, (name == std::string("mic") ? slow.writer : slow.reader)->query().stream);
    EXPECT_NE(told->stream, 0u);
  }
  EXPECT_TRUE(slow.reader->query().isViolated);
  EXPECT_TRUE(slow.writer->query().isViolated);
  EXPECT_TRUE(slow.writer->query().qosSentence.starts_with("mic: ")) << slow.writer->query().qosSentence;
}

TEST_F(PortJudges, AReaderWhoseHandlerTakesTooLongIsToldToBothSides) {
  Pair& slow = pair(contractOf(TransportKind::Tcp));
  slow.slowReader = true;
  start(slow);
  EXPECT_TRUE(m_told.await(toldBy("speaker", QosCause::Processor)));
  EXPECT_TRUE(m_told.await(toldBy("mic", QosCause::Processor)));
}

TEST_F(PortJudges, ANetworkThatLosesIsToldToBothSides) {
  Pair& lossy = pair(contractOf(TransportKind::Udp));
  LossyRelay relay(*m_here->networkAddress("speaker"), 4);
  start(lossy, relay.address());
  EXPECT_TRUE(m_told.await(toldBy("speaker", QosCause::Network)));
  EXPECT_TRUE(m_told.await(toldBy("mic", QosCause::Network)));
  EXPECT_GT(lossy.reader->query().figures.lost, 0u);
}

TEST_F(PortJudges, ThePeriodIsLengthenedWhileTheViolationLastsAndComesBack) {
  Pair& slow = slowSender();
  start(slow);
  for (const double period : {30, 40}) {
    ASSERT_TRUE(m_told.await(goesBy("mic", period)));
    ASSERT_TRUE(m_told.await(goesBy("speaker", period)));
  }
  slow.slowSender = false;
  ASSERT_TRUE(m_told.await(toldBy("mic", Kind::Recovered)));
  ASSERT_TRUE(m_told.await(toldBy("speaker", Kind::Recovered)));
  ASSERT_TRUE(m_told.await(toldBy("mic", Kind::Whole)));
  ASSERT_TRUE(m_told.await(toldBy("speaker", Kind::Whole)));
  const std::vector<double> periods = m_told.periodsOf("mic");
  for (std::size_t i = 1; i < periods.size(); ++i)
    EXPECT_NEAR(std::abs(periods[i] - periods[i - 1]), 10, 1e-6) << ::testing::PrintToString(periods);
}

TEST_F(PortJudges, AHandlerOfTheWriterActsInsteadOfTheDefault) {
  Pair& slow = slowSender();
  const auto half = [](const QosEvent& event) -> std::optional<QosAction> {
    if (event.kind != Kind::Violation) return std::nullopt;
    return QosAction{.frequency = 0.5};
  };
  m_events.attach("half", half, slow.writer->query().stream);
  start(slow);
  const auto told = m_told.await(goesBy("mic", 40));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->cause, QosCause::Handler);
  EXPECT_EQ(told->sentence, "mic: a period of 40 ms instead of 20 ms from now on, as 'half' asked.");
  ASSERT_TRUE(m_told.await(goesBy("speaker", 40)));
  EXPECT_EQ(m_told.periodsOf("mic"), (std::vector<double>{20, 40}));
  EXPECT_EQ(slow.reader->query().rate->perSecond(), 25);
}

TEST_F(PortJudges, AHandlerOfTheReaderIsFollowedByTheWriter) {
  Pair& slow = slowSender();
  const auto half = [](const QosEvent&) { return std::optional(QosAction{.frequency = 0.5}); };
  m_events.attach("half", half, slow.reader->query().stream);
  start(slow);
  const auto told = m_told.await(goesBy("mic", 40));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->sentence, "mic: a period of 40 ms instead of 20 ms from now on, as the other port asked.");
  EXPECT_EQ(m_told.periodsOf("mic"), (std::vector<double>{20, 40}));
}

TEST_F(PortJudges, ALongerPeriodIsThatOfItsStreamAlone) {
  StreamContract contract = contractOf(TransportKind::Tcp);
  const Rate least = Rate::perSecond(100, 3);
  contract.leastRate = least;
  Pair& slow = pair(contract);
  slow.slowSender = true;
  start(slow);
  ASSERT_TRUE(m_told.await(goesBy("speaker", 30)));  // it is told once both go by it
  for (Port* each : {slow.reader.get(), slow.writer.get()}) {
    EXPECT_EQ(each->query().rate->period(), least.period());
    EXPECT_NEAR(rateOfTask(each->name()), least.perSecond(), 1e-9);
  }
  expectOk(slow.writer->disconnect());
  expectOk(slow.reader->await(StreamState::Attached, kPortsPatience));
  for (Port* each : {slow.reader.get(), slow.writer.get()}) {
    EXPECT_EQ(each->query().rate, Rate::perSecond(50));
    EXPECT_EQ(rateOfTask(each->name()), 50);
    EXPECT_FALSE(each->query().isViolated);
  }
}

TEST_F(PortJudges, AWeightThatIsWantedIsThatOfTheFlowOnTheLink) {
  auto link = LinkTask::start(m_scheduler, {.name = "link", .rate = BitRate::perSecond(100'000'000)});
  ASSERT_TRUE(link.ok());
  const auto weightOf = [&](const std::string& name) {
    for (const FlowRow& row : link.value()->rows())
      if (row.spec.name == name) return row.spec.weight;
    return 0.0;
  };
  m_there = host("linked", link.value().get());
  for (const TransportKind transport : {TransportKind::Udp, TransportKind::Tcp}) {
    Pair& linked = pair(contractOf(transport), std::string(nameOf(transport)));
    start(linked);
    const std::string& name = linked.writer->name();
    EXPECT_EQ(weightOf(name), 1);
    expectOk(m_events.want({linked.writer->query().stream, "outside", {.weight = 4}}));
    const auto until = m_time.now() + kPortsPatience;
    while (weightOf(name) != 4 && m_time.now() < until) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(weightOf(name), 4);
  }
  m_pairs.clear();
  m_there.reset();
}

TEST_F(PortJudges, AHandlerThatBlocksHoldsUpNoOtherPort) {
  Pair &one = slowSender(), &other = slowSender("2");
  std::binary_semaphore goesOn{0};
  const auto blocks = m_events.attach(
      "blocks",
      [&](const QosEvent&) -> std::optional<QosAction> {
        goesOn.acquire();
        goesOn.release();
        return std::nullopt;
      },
      one.writer->query().stream);
  start(one);
  ASSERT_TRUE(m_told.await(toldBy("mic", Kind::Violation)));
  start(other);
  EXPECT_TRUE(m_told.await(goesBy("mic2", 30)));
  EXPECT_TRUE(m_told.await(goesBy("speaker2", 30)));
  EXPECT_EQ(m_told.periodsOf("mic"), (std::vector<double>{20})) << "it is the handler's to act";
  goesOn.release();
  m_events.unsubscribe(blocks);
}

TEST_F(PortJudges, AfterAHandlerHasThrownTheDefaultActs) {
  Pair& slow = slowSender();
  m_events.attach(
      "throws", [](const QosEvent&) -> std::optional<QosAction> { throw std::runtime_error("no idea"); },
      slow.writer->query().stream);
  start(slow);
  EXPECT_TRUE(m_told.await(goesBy("mic", 30)));
  EXPECT_EQ(m_events.complaints(),
            std::vector<std::string>{"The handler 'throws' failed (no idea) and gets no more events."});
}

TEST_F(PortJudges, AStreamWithoutARateIsNotJudged) {
  StreamContract contract = contractOf(TransportKind::Tcp);
  contract.rate.reset();
  contract.leastRate.reset();
  contract.reliable = true;
  Pair& unpaced = pair(contract);
  Pair& slow = slowSender("2");
  unpaced.slowSender = unpaced.slowReader = true;
  start(unpaced);
  start(slow);
  ASSERT_TRUE(m_told.await(goesBy("speaker2", 40)));
  EXPECT_FALSE(unpaced.reader->query().isViolated);
  EXPECT_EQ(unpaced.reader->query().rate, std::nullopt);
  EXPECT_EQ(unpaced.reader->query().qosSentence, "");
}

}  // namespace
}  // namespace tactus::net
