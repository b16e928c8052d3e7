// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/options.h"
#include "ui/video/video_output.h"

namespace tactus::app {

/// Why no window can be opened here; empty when one can. Asks the display itself, without Qt, which would
/// abort.
[[nodiscard]] std::string displayRefusal();
/// Before the QGuiApplication is made.
void nameApplication();
/// Runs the windows until the program is told to quit. Ends the process with ExitCode::NoDisplay and a
/// sentence if the display goes away. Main thread.
void runEvents();
[[nodiscard]] ui::VideoOutput outputOf(VideoOutputWish wish);

}  // namespace tactus::app
