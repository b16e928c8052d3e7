// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/report.h"
#include "app/runtime.h"
#include "media/playback/player.h"

namespace tactus::app {

/// What one player of a headless run has to play.
struct Programme {
  std::vector<std::string> items;           ///< one after another
  std::optional<media::WindowTerms> terms;  ///< of a --tile, which is one item; its name is the label
};

/// One player of a headless run, from its first item to its last: waiting, then playing, then over. Main
/// thread.
///
/// With --loop, a tile goes back to its start and is reported once; a list of files is opened again from its
/// first and reported again.
class Screening {
 public:
  /// `options` and `runtime` must outlive it.
  Screening(Programme programme, const Options& options, Runtime& runtime);
  ~Screening();
  Screening(const Screening&) = delete;
  Screening& operator=(const Screening&) = delete;

  /// Makes the player and opens the first item that can be opened.
  void begin();
  /// Acts on what the player and the governor have said since the last look.
  void look();
  /// Keeps what the governor says of it now, for the report: before another screening gives up its share.
  void keepWindowState();
  /// The run is over: what plays counts as played.
  void end();

  [[nodiscard]] bool playing() const noexcept { return m_state == State::Playing; }
  /// The governor knows what it takes, or need not: the next one may begin.
  [[nodiscard]] bool settled() const;
  /// Readable when there is something to look at.
  [[nodiscard]] int descriptor() const noexcept;
  /// The worst so far.
  [[nodiscard]] ExitCode outcome() const noexcept { return m_outcome; }
  [[nodiscard]] std::vector<PlayedItem> takePlayed() { return std::move(m_played); }

 private:
  class Listener;
  enum class State { Waiting, Playing, Over };

  [[nodiscard]] Result<void> createPlayer();
  [[nodiscard]] bool openItem();
  [[nodiscard]] bool nextItem();
  void goOn();
  void fail(const Error& error, ExitCode code);
  void record(std::string outcome, ExitCode code);

  const Programme m_programme;
  const Options& m_options;
  Runtime& m_runtime;
  std::unique_ptr<Listener> m_listener;  // outlives the player
  std::unique_ptr<media::Player> m_player;
  State m_state = State::Waiting;
  std::size_t m_index = 0;  // the item that is opened, or is next
  std::uint64_t m_window = 0;
  std::optional<media::WindowState> m_windowState;
  periodic::TimePoint m_opened{};
  std::vector<PlayedItem> m_played;
  ExitCode m_outcome = ExitCode::Played;
};

}  // namespace tactus::app
