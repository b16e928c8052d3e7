// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: hosts with ports on this machine, over real sockets. No test depends on how fast anything is.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/net/port/port_host.h"
#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/trace/trace.h"

namespace tactus::net {

/// As long as a test waits for what must happen.
inline constexpr periodic::Duration kPortsPatience = std::chrono::seconds(30);

/// How two ports find each other, and what carries their data.
struct PortWay {
  const char* name;
  bool overUnix;
  TransportKind transport;
};

class PortTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tactus-ports-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
    m_here = host("here");
    m_there = host("there");
    ASSERT_TRUE(m_here && m_there);
  }
  void TearDown() override {
    m_here.reset();
    m_there.reset();
    std::filesystem::remove_all(m_folder);
  }

  [[nodiscard]] std::unique_ptr<PortHost> host(const std::string& name, LinkTask* link = nullptr) {
    PortHost::Options options;
    options.local = StreamAddress::Unix{m_folder + "/" + name};
    options.network = StreamAddress::Tcp{"127.0.0.1", 0};
    options.link = link;
    options.qos = m_qos;
    auto started = PortHost::start(m_scheduler, options);
    EXPECT_TRUE(started.ok()) << (started.ok() ? "" : started.error().message);
    return started.ok() ? std::move(started).value() : nullptr;
  }
  [[nodiscard]] static std::unique_ptr<Port> port(PortHost& host, const std::string& name, PortType type,
                                                  const StreamContract& contract,
                                                  std::optional<std::string> token = {}) {
    auto made = host.create(name, type, contract, std::move(token));
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return made.ok() ? std::move(made).value() : nullptr;
  }
  [[nodiscard]] static StreamAddress addressOf(const PortHost& host, const std::string& name, bool overUnix) {
    return overUnix ? *host.localAddress(name) : *host.networkAddress(name);
  }
  static void expectOk(const Result<void>& result) {
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  }

  std::string m_folder;
  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog m_trace;
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace};
  periodic::QosEvents* m_qos = nullptr;  // of the hosts
  std::unique_ptr<PortHost> m_here, m_there;
};

/// Writes buffers of growing numbers and of changing length, then ends the stream.
class CountingWriter {
 public:
  explicit CountingWriter(std::uint32_t last) : m_last(last) {}
  [[nodiscard]] static std::size_t lengthOf(std::uint32_t number, std::size_t largest) {
    return 4 + number * 7919 % (largest - 3);
  }
  [[nodiscard]] std::optional<std::size_t> operator()(std::span<std::byte> room) {
    if (m_next == m_last) return std::nullopt;
    const std::size_t length = lengthOf(m_next, room.size());
    std::memset(room.data(), static_cast<int>(m_next & 0xFF), length);
    std::memcpy(room.data(), &m_next, 4);
    ++m_next;
    return length;
  }

 private:
  std::uint32_t m_next = 0, m_last;
};

/// Expects what a CountingWriter writes.
class CountingReader {
 public:
  explicit CountingReader(std::size_t largest) : m_largest(largest) {}
  void operator()(const StreamBuffer& buffer) {
    const std::lock_guard lock(m_mutex);
    std::uint32_t number = 0;
    if (buffer.bytes.size() >= 4) std::memcpy(&number, buffer.bytes.data(), 4);
    bool good = number == m_seen && buffer.bytes.size() == CountingWriter::lengthOf(number, m_largest);
    for (std::size_t i = 4; i < buffer.bytes.size(); ++i)
      good = good && buffer.bytes[i] == std::byte(number & 0xFF);
    m_bad += good ? 0 : 1;
    ++m_seen;
    m_changed.notify_all();
  }
  [[nodiscard]] bool await(std::uint32_t seen) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, kPortsPatience, [&] { return m_seen >= seen; });
  }
  [[nodiscard]] std::uint32_t seen() {
    const std::lock_guard lock(m_mutex);
    return m_seen;
  }
  [[nodiscard]] std::uint32_t bad() {
    const std::lock_guard lock(m_mutex);
    return m_bad;
  }

 private:
  std::size_t m_largest;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::uint32_t m_seen = 0, m_bad = 0;
};

/// A reader "speaker" here and a writer "mic" there, of one contract.
class PortPairTest : public PortTest {
 protected:
  explicit PortPairTest(const StreamContract& contract)
      : m_contract(contract), m_counted(contract.largestBuffer) {}
  void SetUp() override {
    PortTest::SetUp();
    makePorts();
  }
  void TearDown() override {
    m_reader.reset();
    m_writer.reset();
    PortTest::TearDown();
  }
  void makePorts() {
    m_reader = port(*m_here, "speaker", PortType::Read, m_contract);
    m_writer = port(*m_there, "mic", PortType::Write, m_contract);
    ASSERT_TRUE(m_reader && m_writer);
  }
  /// The writer ends the stream after so many buffers.
  void attach(std::uint32_t buffers = UINT32_MAX) {
    expectOk(m_reader->attach(ReadHandler([this](const StreamBuffer& buffer) { m_counted(buffer); })));
    expectOk(m_writer->attach(WriteHandler(CountingWriter(buffers))));
  }
  [[nodiscard]] Result<void> connect() {
    return m_writer->connect(*m_here->networkAddress("speaker"), m_reader->token());
  }
  void connectAndStart() {
    expectOk(connect());
    expectOk(m_reader->await(StreamState::Connected, kPortsPatience));
    expectOk(m_reader->start());
    expectOk(m_writer->start());
  }

  const StreamContract m_contract;
  CountingReader m_counted;
  std::unique_ptr<Port> m_reader, m_writer;
};

}  // namespace tactus::net
