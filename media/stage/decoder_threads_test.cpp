// SPDX-License-Identifier: Apache-2.0
#include "media/stage/decoder_threads.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <latch>
#include <thread>

namespace tactus::media {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DecoderThreads, AsManyAsThePixelRateNeeds) {
  EXPECT_EQ(decoderThreadsFor(1280.0 * 720 * 30, 8), 1);
  EXPECT_EQ(decoderThreadsFor(1280.0 * 720 * 60, 8), 2);
  EXPECT_EQ(decoderThreadsFor(1920.0 * 1080 * 60, 8), 2);
  EXPECT_EQ(decoderThreadsFor(3840.0 * 2160 * 30, 8), 4);
}

TEST(DecoderThreads, NotMoreThanThereAreProcessors) {
  EXPECT_EQ(decoderThreadsFor(3840.0 * 2160 * 60, 2), 2);
  EXPECT_EQ(decoderThreadsFor(3840.0 * 2160 * 60, 0), 1);
}

TEST(DecoderThreads, ThreadsStartedByANamedThreadAreFoundByItsName) {
  const DecoderThreads threads("ttest-");
  const DecoderThreads others("ttest-");
  std::latch started(2);
  std::latch done(1);
  pid_t opener = 0;
  pid_t worker = 0;
  std::thread thread([&] {
    threads.nameThisThread();
    opener = gettid();
    std::thread inner([&] {
      worker = gettid();
      started.count_down();
      done.wait();
    });
    started.count_down();
    done.wait();
    inner.join();
  });
  started.wait();
  EXPECT_THAT(threads.find(), ::testing::UnorderedElementsAre(opener, worker));
  EXPECT_THAT(others.find(), IsEmpty());
  DecoderThreads::rename(opener, "video decode");
  EXPECT_THAT(threads.find(), ElementsAre(worker));
  done.count_down();
  thread.join();
}

}  // namespace
}  // namespace tactus::media
