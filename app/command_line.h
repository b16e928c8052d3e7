// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to the parsing of options.

#include <CLI/CLI.hpp>  // slow to compile: in two sources and nowhere else
#include <memory>

#include "app/options.h"
#include "core/periodic/result.h"

namespace tactus::app {

/// Takes the way out of CLI11 that CLI11 itself has: an exception, which ends in parseOptions().
struct Refused {
  Error error;
};

/// The whole command line, with its help. `options` takes what is parsed, and outlives it. Thread-safe: yes.
/// Real-time-safe: no.
[[nodiscard]] std::unique_ptr<CLI::App> commandLine(Options& options);

}  // namespace tactus::app
