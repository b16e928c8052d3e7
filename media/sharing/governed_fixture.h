// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "media/sharing/load_governor.h"
#include "media/sharing/virtual_machine.h"

namespace tactus::media {

using namespace std::chrono_literals;
using periodic::TimePoint;

/// Films under the governor on a machine of two processors, in virtual time.
class Governed : public ::testing::Test {
 protected:
  using Entry = LoadGovernor::Entry;
  VirtualFilm& window(double load, WindowTerms terms, Entry entry = Entry::Admitted) {
    VirtualFilm& film = machine.add(load);
    ids.push_back(governor.add(film, std::move(terms), entry).value());
    return film;
  }
  /// A stream of a call, whose packets come `reach` seconds before they are shown.
  VirtualFilm& liveWindow(double load, double reach, WindowTerms terms) {
    VirtualFilm& stream = machine.add(load, reach);
    ids.push_back(governor.add(stream, std::move(terms)).value());
    return stream;
  }
  void run(Duration time) {
    for (const TimePoint until = now + time; now < until;) {
      now += interval;
      machine.pass(periodic::inSeconds(interval));
      server.used += seconds(machine.server.used);
      server.waited += seconds(machine.server.waited);
      m_turns += machine.server.turns * periodic::inSeconds(interval);
      server.turns = static_cast<std::uint64_t>(m_turns);
      governor.step(now);
    }
  }
  /// The window goes.
  void close(std::size_t i) {
    governor.remove(ids[i]);
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
    machine.films.erase(machine.films.begin() + static_cast<std::ptrdiff_t>(i));
  }
  VirtualFilm& film(std::size_t i) { return *machine.films[i]; }
  WindowState state(std::size_t i) { return *governor.window(ids[i]); }
  std::ptrdiff_t countOf(WindowStage stage) {
    const auto states = governor.windows();
    return std::count_if(states.begin(), states.end(), [&](const auto& each) { return each.stage == stage; });
  }
  Duration seconds(double rate) const { return periodic::fromSeconds(rate * periodic::inSeconds(interval)); }

  VirtualMachine machine;
  Duration interval = 200ms;
  ServerTimes server{Duration{1}, Duration{1}, 1};
  TimePoint now{1000s};
  QosEvents events;
  LoadGovernor governor{{.processors = 2,
                         .busy = [this] { return machine.use; },
                         .own = [this] { return machine.own; },
                         .server = [this] { return std::optional(server); }},
                        events};
  std::vector<std::uint64_t> ids;

 private:
  double m_turns = 0;
};

}  // namespace tactus::media
