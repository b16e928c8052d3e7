// SPDX-License-Identifier: Apache-2.0
// What a call of ours was told of its packets behind a line of tc(8), in lines that
// tests/integration/record_feedback.py wrote. The estimator of that day set the rate; what this one believes
// is compared with the line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/net/estimator/bandwidth_estimator.h"

namespace tactus::net {
namespace {

using std::chrono::microseconds;

struct Told {
  double at = 0;  // s since the first report
  BandwidthEstimate estimate;
};

/// "# a comment", "report NOW", "SENT BYTES ARRIVED" or "SENT BYTES lost"; instants in microseconds.
std::vector<Told> replay(const std::string& name, BandwidthEstimator estimator) {
  std::ifstream file(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "recordings" / name);
  EXPECT_TRUE(file) << name;
  std::vector<Told> told;
  std::vector<PacketOutcome> packets;
  std::int64_t now = 0;
  const auto end = [&] {
    if (packets.empty()) return;
    const auto& estimate = estimator.update(periodic::TimePoint(microseconds(now)), packets);
    told.push_back({static_cast<double>(now) / 1e6, estimate});
    packets.clear();
  };
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, arrived;
    words >> first;
    if (first.empty() || first == "#") continue;
    if (first == "report") {
      end();
      words >> now;
      continue;
    }
    PacketOutcome packet{periodic::TimePoint(microseconds(std::stoll(first))), 0, {}};
    words >> packet.bytes >> arrived;
    if (arrived != "lost") packet.arrived = microseconds(std::stoll(arrived));
    packets.push_back(packet);
  }
  end();
  return told;
}

template <typename Value>
double mean(const std::vector<Told>& told, double from, double until, Value value) {
  double sum = 0, count = 0;
  for (const Told& each : told)
    if (each.at >= from && each.at < until) sum += value(each.estimate), ++count;
  return sum / count;
}

double target(const BandwidthEstimate& told) {
  return static_cast<double>(told.target.bits());
}
double queueing(const BandwidthEstimate& told) {
  return periodic::inSeconds(told.queueing);
}

/// As who made the recordings: pictures of up to 800 kbit/s, and sound.
BandwidthEstimator estimatorOfACall() {
  return BandwidthEstimator({.least = BitRate::perSecond(92'000),
                             .most = BitRate::perSecond(832'000),
                             .start = BitRate::perSecond(1'000'000)});
}

/// Headers below RTP, RTCP and repetitions have the rest of the line.
constexpr double kShareOfRtp = 0.9;

TEST(RecordedFeedback, ALineThatFallsIsFollowedWithinASecond) {
  const auto told = replay("falls.txt", estimatorOfACall());
  const double before = kShareOfRtp * 700e3, after = kShareOfRtp * 300e3;
  EXPECT_NEAR(mean(told, 3, 9.5, target) / before, 1, 0.2);
  double least = 1e9;
  for (const Told& each : told)
    if (each.at < 11) least = std::min(least, target(each.estimate));
  EXPECT_LT(least, after);
  EXPECT_NEAR(mean(told, 11, 20, target) / after, 1, 0.2);
  EXPECT_LT(mean(told, 12, 20, queueing), 0.06);
}

TEST(RecordedFeedback, ALineThatRisesIsFoundAgainWithinFiveSeconds) {
  const auto told = replay("rises.txt", estimatorOfACall());
  const double before = kShareOfRtp * 300e3, after = kShareOfRtp * 700e3;
  EXPECT_NEAR(mean(told, 3, 8, target) / before, 1, 0.2);
  EXPECT_NEAR(mean(told, 13, 20, target) / after, 1, 0.2);
  EXPECT_LT(mean(told, 13, 20, queueing), 0.06);
}

TEST(RecordedFeedback, AFullQueueOfAnEncoderThatDoesNotObeyIsNoLongerPath) {
  const auto told = replay("overshoot.txt", estimatorOfACall());
  const double line = kShareOfRtp * 600e3;
  for (const Told& each : told) {
    if (each.at < 2 || each.at > 9) continue;
    EXPECT_LT(target(each.estimate), line) << each.at;
    EXPECT_GT(queueing(each.estimate), 0.1) << each.at;
  }
  EXPECT_GT(mean(told, 2, 9, target), 0.6 * line);
}

}  // namespace
}  // namespace tactus::net
