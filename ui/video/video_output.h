// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace tactus::ui {

enum class VideoOutput { Auto, Software, Rhi };

struct OutputChoice {
  VideoOutput output = VideoOutput::Software;
  QString reason;  ///< "software scene graph: the GL renderer is llvmpipe"
};

/// Chooses the scene graph for this process: Auto takes RHI where a real GL renderer answers, else software
/// (on llvmpipe a picture costs six to twenty-five times as much). Call once, on the GUI thread, after
/// QGuiApplication and before the first window.
[[nodiscard]] OutputChoice chooseVideoOutput(VideoOutput wanted);

/// What GL says it is, empty when there is none. GUI thread.
[[nodiscard]] QString glRenderer();

/// Whether that renderer draws on the CPU.
[[nodiscard]] bool isSoftwareRenderer(const QString& renderer);

}  // namespace tactus::ui
