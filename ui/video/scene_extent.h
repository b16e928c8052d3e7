// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/video/tile_place.h"

class QQuickWindow;

namespace tactus::ui {

// Qt 6.4 makes a scene as large as the rounded logical size of its window. In pixels the scene is then larger
// or smaller than the window: the RHI stretches it by a fraction of a pixel, and the last rows and columns of
// the window may stay black. These functions tell the renderer of a window its real pixels, before each of
// its frames.

/// The RHI's: the viewport is the window, and a logical pixel has exactly the scale's pixels. For OpenGL, as
/// chooseVideoOutput() asks for. Render thread, from QSGNode::preprocess().
void correctRhiExtent(QQuickWindow& window, const TilePlace::Window& geometry);

/// The software scene graph's, on X11: the image that it draws on is larger than the window; the server clips
/// it. Elsewhere such an image would make the window larger: there it stays as Qt has it. GUI thread, from
/// QQuickWindow::afterAnimating().
void correctSoftwareExtent(QQuickWindow& window, const TilePlace::Window& geometry);

/// How large the image must be, in pixels: the software scene graph draws only those logical pixels that lie
/// in it as a whole.
[[nodiscard]] QSize softwareImageSize(const TilePlace::Window& geometry) noexcept;

}  // namespace tactus::ui
