// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/join_option.h"
#include "app/room_option.h"
#include "app/stream_place.h"
#include "app/tile_option.h"
#include "core/net/link/bit_rate.h"
#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "plugins/av/hardware_wish.h"

namespace tactus::app {

enum class Command { Play, Headless, Send, Host, Join, Doctor, Help, Version };
enum class ReportFormat { Text, Json };
enum class VideoOutputWish { Auto, Software, Rhi };

/// A stream that leaves or comes. Plain data.
struct StreamOption {
  TileOption source;  ///< what is sent; of a stream that comes: its place, and its window's terms
  StreamPlace place;
};

/// The command line as values. Plain data.
struct Options {
  Command command = Command::Play;
  std::string topic;  ///< of Help: the subcommand that it is about; empty = the program
  std::vector<std::string> items;
  std::vector<TileOption> tiles;       ///< instead of items
  std::vector<StreamOption> sent;      ///< of Send
  std::vector<StreamOption> received;  ///< played instead of items
  RoomOption room;                     ///< of Host
  JoinOption join;                     ///< of Join
  bool headless = false;               ///< of Join
  std::optional<net::BitRate> linkRate;
  media::Priority priority = media::Priority::Normal;  ///< of streams without terms that are sent
  bool loadWindow = false;
  std::optional<periodic::Duration> duration;
  ReportFormat reportFormat = ReportFormat::Text;
  std::string reportFile;  ///< empty = stdout
  bool report = false;
  periodic::KernelClass strongest = periodic::KernelClass::Fifo;
  VideoOutputWish videoOutput = VideoOutputWish::Auto;
  double volume = 1.0;
  double speed = 1.0;
  double start = 0.0;  ///< seconds
  bool muted = false;
  bool paused = false;
  bool fullScreen = false;
  bool loop = false;
  bool audio = true;
  bool video = true;
  bool stats = false;
  std::string audioTarget;
  std::vector<std::string> subtitles;
  std::string traceFile;
  bool shedding = true;
  bool grid = false;      ///< all in one window
  bool strict = false;    ///< a tile that does not fit beside those before it is not played
  std::string qosSocket;  ///< path; empty = none
  int decoderThreads = 0;
  plugins::av::HardwareWish hardware = plugins::av::HardwareWish::Any;
  int width = 0;
  int height = 0;           ///< of the window; 0 = the film's
  std::optional<int> x, y;  ///< of the first window; the others go beside it
};

/// Parses everything after argv[0]. A subcommand is one only as the first argument, so that a film may have
/// its name. --help and --version win over every mistake after them. The error is one sentence that names the
/// offending argument. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] Result<Options> parseOptions(const std::vector<std::string>& arguments);

/// The text of --help, of the program or of one of its subcommands.
[[nodiscard]] std::string helpText(const std::string& topic = {});

}  // namespace tactus::app
