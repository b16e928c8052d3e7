// SPDX-License-Identifier: Apache-2.0
#include "app/headless.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <optional>

#include "app/network_report.h"
#include "app/screening.h"

namespace tactus::app {
namespace {

using periodic::MonotonicClock;
using periodic::TimePoint;

/// How often a refusal of the governor is looked for, which wakes nobody.
constexpr int kLookForRefusals = 200;  // ms

/// For poll(), in ms; -1 = for ever. Nothing once the time is up.
std::optional<int> timeoutUntil(std::optional<TimePoint> until) {
  if (!until) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - MonotonicClock::now()).count();
  if (left <= 0) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>(left, 1'000'000));
}

using Screenings = std::vector<std::unique_ptr<Screening>>;

/// One for each --tile, or one for all files.
Screenings screeningsOf(const Options& options, Runtime& runtime) {
  Screenings all;
  if (!options.items.empty())
    all.push_back(std::make_unique<Screening>(Programme{options.items, std::nullopt}, options, runtime));
  for (const auto& tile : options.tiles) {
    media::WindowTerms terms = tile.terms;
    terms.name = tile.name();
    all.push_back(std::make_unique<Screening>(Programme{{tile.item}, std::move(terms)}, options, runtime));
  }
  return all;
}

enum class Waited { Look, TimeUp, Signal, NothingLeft };

/// Until one of the screenings that play has something to tell, or it is time to look for refusals.
Waited wait(const Screenings& all, bool moreToBegin, int signals, std::optional<TimePoint> until,
            bool strict) {
  std::vector<pollfd> waits{{signals, POLLIN, 0}};
  for (const auto& each : all)
    if (each->playing()) waits.push_back({each->descriptor(), POLLIN, 0});
  if (waits.size() == 1 && !moreToBegin) return Waited::NothingLeft;
  auto timeout = timeoutUntil(until);
  if (!timeout) return Waited::TimeUp;
  if (strict && (*timeout < 0 || *timeout > kLookForRefusals)) timeout = kLookForRefusals;
  const int ready = poll(waits.data(), waits.size(), *timeout);
  if (ready < 0 && errno != EINTR) return Waited::TimeUp;
  return ready > 0 && waits[0].revents != 0 ? Waited::Signal : Waited::Look;
}

/// Ends what still plays, and tells it all.
ExitCode report(const Screenings& all, const Options& options, Runtime& runtime) {
  for (const auto& each : all) each->keepWindowState();
  for (const auto& each : all) each->end();
  RunReport told;
  told.display = "virtual display";
  ExitCode outcome = ExitCode::Played;
  if (runtime.network()) told.network = runtime.network()();
  if (violationsOf(told.network) > 0) outcome = ExitCode::PlayedWithViolations;
  for (const auto& each : all) {
    outcome = worse(outcome, each->outcome());
    auto played = each->takePlayed();
    std::move(played.begin(), played.end(), std::back_inserter(told.items));
  }
  return runtime.print(std::move(told), options, outcome);
}

}  // namespace

ExitCode runHeadless(const Options& options, Runtime& runtime, int signals) {
  std::optional<TimePoint> until;
  if (options.duration) until = MonotonicClock::now() + *options.duration;
  const auto all = screeningsOf(options, runtime);
  std::size_t begun = 0;
  // Where each must fit beside those before it, it begins when it is known what these take.
  const auto mayBegin = [&] {
    return begun < all.size() && (!options.strict || begun == 0 || all[begun - 1]->settled());
  };
  Waited waited = Waited::Look;
  while (waited == Waited::Look) {
    while (mayBegin()) all[begun++]->begin();
    waited = wait(all, begun < all.size(), signals, until, options.strict);
    for (const auto& each : all)
      if (waited == Waited::Look && each->playing()) each->look();
  }
  const ExitCode outcome = report(all, options, runtime);
  return waited == Waited::Signal && outcome != ExitCode::InternalError ? ExitCode::Interrupted : outcome;
}

}  // namespace tactus::app
