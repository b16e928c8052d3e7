// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/own_room.h"
#include "app/runtime.h"
#include "conference/attendance.h"
#include "ui/windows/call_window.h"

namespace tactus::app {

/// The calls of this program, each in a window of its own, and the rooms that it has for them. GUI thread.
class CallWindows {
 public:
  struct Requests {
    std::function<void()> load;                               ///< the load window is to be shown, or to go
    std::function<void()> film;                               ///< a window for a film is wanted
    std::function<void()> closed;                             ///< one of them has gone
    std::function<std::vector<ui::CallModel::Film>()> films;  ///< that play in this program
  };
  /// chooseVideoOutput() comes first. Options and `runtime` outlive it.
  CallWindows(const Options& options, Runtime& runtime, ui::OutputChoice output, Requests requests);

  /// A window that joins as the command line says, and with what is chosen on a page before if it does not
  /// say all. An empty link: a room of its own is opened, and ends with the window.
  [[nodiscard]] Result<void> open(const std::string& link);
  [[nodiscard]] bool empty() const { return m_calls.empty(); }
  /// What the load window shows of them.
  [[nodiscard]] std::vector<ui::FilmLoad> loads() const;
  /// What the call has come to that was the last to end, or, if none has ended, of the first; absent: nobody
  /// has joined any.
  [[nodiscard]] std::optional<conference::AttendanceReport> report();

 private:
  struct Call {
    std::unique_ptr<OwnRoom> room;  // may be null; goes after its window
    std::unique_ptr<ui::CallWindow> window;
  };
  [[nodiscard]] ui::CallWindow::Options optionsOf(const std::string& link) const;
  void forget(ui::CallWindow* window);

  const Options& m_options;
  Runtime& m_runtime;
  const ui::OutputChoice m_output;
  const Requests m_requests;
  std::vector<Call> m_calls;
  std::optional<conference::AttendanceReport> m_ended;
};

}  // namespace tactus::app
