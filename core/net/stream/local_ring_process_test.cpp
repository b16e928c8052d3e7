// SPDX-License-Identifier: Apache-2.0
// The two ends of a ring in two threads, and in two processes.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "core/net/stream/descriptor_passing.h"
#include "core/net/stream/local_ring_fixture.h"
#include "core/net/stream/local_ring_reader.h"
#include "core/net/stream/local_ring_writer.h"

namespace tactus::net {
namespace {

constexpr std::uint64_t kRecords = 100'000;
constexpr std::size_t kSmallRing = 16384;  // so that both ends often wait

/// The sizes of a test's records: most are small, some are a large part of the ring.
std::size_t sizeOf(std::uint64_t number, std::size_t largest) {
  const std::uint64_t mixed = number * 0x9e3779b97f4a7c15 >> 32;
  return 1 + mixed % (number % 32 == 0 ? largest : 200);
}

/// False: nothing came in time, or the ring is broken.
bool writeOne(LocalRingWriter& writer, std::uint64_t number) {
  const std::size_t bytes = sizeOf(number, writer.largest());
  std::span<std::byte> room;
  while ((room = writer.room(bytes)).empty()) {
    if (writer.state() != RingState::Full) return false;
    if (writer.prepareWait() && !readable(writer.descriptor())) return false;
  }
  fillRecord(room, number);
  writer.commit(bytes);
  return true;
}

bool writeAll(const LocalRing& ring) {
  LocalRingWriter writer(ring);
  for (std::uint64_t number = 0; number < kRecords; ++number)
    if (!writeOne(writer, number)) return false;
  writer.close();
  return true;
}

/// Bytes of the next record; 0: none comes any more, or none came in time, as the state says.
std::size_t readOne(LocalRingReader& reader, std::span<std::byte> into) {
  std::size_t bytes = 0;
  while ((bytes = reader.take(into)) == 0 && reader.state() == RingState::Empty)
    if (reader.prepareWait() && !readable(reader.descriptor())) break;
  return bytes;
}

/// How many records came that are right.
std::uint64_t readAll(const LocalRing& ring, RingState& state) {
  LocalRingReader reader(ring);
  std::vector<std::byte> into(ring.capacity());
  std::uint64_t number = 0;
  while (const std::size_t bytes = readOne(reader, into)) {
    if (bytes != sizeOf(number, ring.capacity() - kRecordHeader)) break;
    if (!isRecord(std::span(into).first(bytes), number)) break;
    ++number;
  }
  state = reader.state();
  return number;
}

void inTwoThreads(const LocalRing& writers, const LocalRing& readers) {
  RingState state = RingState::Ok;
  std::uint64_t right = 0;
  bool wrote = false;
  std::thread reader([&] { right = readAll(readers, state); });
  std::thread writer([&] { wrote = writeAll(writers); });
  writer.join();
  reader.join();
  EXPECT_TRUE(wrote);
  EXPECT_EQ(right, kRecords);
  EXPECT_EQ(state, RingState::Ended);
}

TEST(LocalRingThreads, ShareOneMapping) {
  const LocalRing ring = LocalRing::create(kSmallRing).value();
  inTwoThreads(ring, ring);
}

TEST(LocalRingThreads, HaveAMappingEach) {
  const LocalRing ring = LocalRing::create(kSmallRing).value();
  const LocalRing other = LocalRing::open(copiesOf(ring), kSmallRing).value();
  inTwoThreads(ring, other);
}

/// A process that does `work` with its end of a socket, and ends with 0 if that was true; killed with us.
pid_t startProcess(int socket, const std::function<bool(int)>& work) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  _exit(getppid() == parent && work(socket) ? 0 : 1);
}

int statusOf(pid_t process) {
  int status = -1;
  return waitpid(process, &status, 0) == process ? status : -1;
}

bool sendRing(int socket, const LocalRing& ring) {
  return sendDescriptors(socket, std::as_bytes(std::span("ring")), ring.descriptors()).ok();
}

Result<LocalRing> receiveRing(int socket, std::size_t largest) {
  std::array<std::byte, 16> message{};
  auto received = receiveDescriptors(socket, message, LocalRing::kDescriptors);
  if (!received.ok()) return received.error();
  return LocalRing::open(std::move(received.value().descriptors), largest);
}

TEST(LocalRingProcesses, TheOneThatOpensWrites) {
  const auto [here, there] = socketPair(SOCK_STREAM);
  const pid_t child = startProcess(there.get(), [](int socket) {
    const auto ring = receiveRing(socket, kSmallRing);
    return ring.ok() && writeAll(ring.value());
  });
  ASSERT_GT(child, 0);
  const LocalRing ring = LocalRing::create(kSmallRing).value();
  ASSERT_TRUE(sendRing(here.get(), ring));
  RingState state = RingState::Ok;
  EXPECT_EQ(readAll(ring, state), kRecords);
  EXPECT_EQ(state, RingState::Ended);
  EXPECT_EQ(statusOf(child), 0);
}

TEST(LocalRingProcesses, TheOneThatOpensReads) {
  const auto [here, there] = socketPair(SOCK_SEQPACKET);
  const pid_t child = startProcess(there.get(), [](int socket) {
    const auto ring = receiveRing(socket, kSmallRing);
    RingState state = RingState::Ok;
    return ring.ok() && readAll(ring.value(), state) == kRecords && state == RingState::Ended;
  });
  ASSERT_GT(child, 0);
  const LocalRing ring = LocalRing::create(kSmallRing).value();
  ASSERT_TRUE(sendRing(here.get(), ring));
  EXPECT_TRUE(writeAll(ring));
  EXPECT_EQ(statusOf(child), 0);
}

/// Kills a writer after some records; what it committed is right, and then nothing comes.
void killWriter(const std::function<bool(LocalRingWriter&)>& work, std::uint64_t recordsBefore) {
  const auto [here, there] = socketPair(SOCK_STREAM);
  const LocalRing ring = LocalRing::create(kSmallRing).value();
  const pid_t child = startProcess(there.get(), [&](int socket) {
    const auto opened = receiveRing(socket, kSmallRing);
    if (!opened.ok()) return false;
    LocalRingWriter writer(opened.value());
    return work(writer);
  });
  ASSERT_GT(child, 0);
  ASSERT_TRUE(sendRing(here.get(), ring));
  LocalRingReader reader(ring);
  std::vector<std::byte> into(kSmallRing);
  std::uint64_t number = 0;
  const auto readRight = [&](std::size_t bytes) {
    return bytes == sizeOf(number, kSmallRing - kRecordHeader) &&
           isRecord(std::span(into).first(bytes), number);
  };
  for (; number < recordsBefore; ++number) ASSERT_TRUE(readRight(readOne(reader, into))) << number;
  ASSERT_EQ(kill(child, SIGKILL), 0);
  const int status = statusOf(child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  for (std::size_t bytes = 0; (bytes = reader.take(into)) > 0; ++number)
    ASSERT_TRUE(readRight(bytes)) << number;
  EXPECT_EQ(reader.state(), RingState::Empty);
  EXPECT_TRUE(reader.prepareWait());
}

TEST(LocalRingProcesses, AWriterKilledWhileItWritesLeavesWholeRecords) {
  for (std::uint64_t before = 100; before < 120; ++before)
    killWriter(
        [](LocalRingWriter& writer) {
          for (std::uint64_t number = 0;; ++number)
            if (!writeOne(writer, number)) return false;
        },
        before);
}

TEST(LocalRingProcesses, AWriterKilledInsideARecordLeavesNothingOfIt) {
  killWriter(
      [](LocalRingWriter& writer) {
        for (std::uint64_t number = 0; number < 10; ++number)
          if (!writeOne(writer, number)) return false;
        fillRecord(writer.room(100), 10);
        for (;;) pause();
      },
      10);
}

}  // namespace
}  // namespace tactus::net
