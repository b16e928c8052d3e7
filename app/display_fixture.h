// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QTemporaryDir>
#include <cstdio>
#include <string>

#include "app/events.h"
#include "ui/video/video_output.h"

namespace tactus::app::testing {

/// The main() of tests with windows, which remember nothing of the user's. The first argument, "software" or
/// "rhi", chooses the output, which is one per process. Skipped (77) without a display.
inline int runOnDisplay(int argc, char** argv, ui::VideoOutput& output, ui::OutputChoice& choice) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc > 1 && std::string(argv[1]) == "rhi") output = ui::VideoOutput::Rhi;
  if (const std::string refusal = displayRefusal(); !refusal.empty()) {
    std::printf("skipped: %s\n", refusal.c_str());
    return 77;
  }
  const QTemporaryDir state;
  qputenv("XDG_STATE_HOME", state.path().toUtf8());
  QGuiApplication application(argc, argv);
  choice = ui::chooseVideoOutput(output);
  return RUN_ALL_TESTS();
}

}  // namespace tactus::app::testing
