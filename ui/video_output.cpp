// SPDX-License-Identifier: Apache-2.0
#include "ui/video_output.h"

#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QQuickWindow>

namespace tactus::ui {

QString glRenderer() {
  QOpenGLContext context;
  if (!context.create()) return {};
  QOffscreenSurface surface;
  surface.setFormat(context.format());
  surface.create();
  if (!surface.isValid() || !context.makeCurrent(&surface)) return {};
  const auto* name = reinterpret_cast<const char*>(context.functions()->glGetString(GL_RENDERER));
  const QString renderer = QString::fromUtf8(name != nullptr ? name : "");
  context.doneCurrent();
  return renderer;
}

bool isSoftwareRenderer(const QString& renderer) {
  for (const auto* name : {"llvmpipe", "softpipe", "swrast", "software"}) {
    if (renderer.contains(QLatin1String(name), Qt::CaseInsensitive)) return true;
  }
  return renderer.isEmpty();
}

OutputChoice chooseVideoOutput(VideoOutput wanted) {
  OutputChoice choice{wanted, QStringLiteral("as asked for")};
  if (wanted == VideoOutput::Auto) {
    const QString renderer = glRenderer();
    choice.output = isSoftwareRenderer(renderer) ? VideoOutput::Software : VideoOutput::Rhi;
    choice.reason = renderer.isEmpty() ? QStringLiteral("there is no GL renderer")
                                       : QStringLiteral("the GL renderer is %1").arg(renderer);
  }
  const bool software = choice.output == VideoOutput::Software;
  // Qt waits so long after an update before it draws the next; its 5 ms are late enough to be seen in the
  // intervals.
  if (software && !qEnvironmentVariableIsSet("QT_QPA_UPDATE_IDLE_TIME"))
    qputenv("QT_QPA_UPDATE_IDLE_TIME", "2");
  choice.reason =
      (software ? QStringLiteral("software scene graph: ") : QStringLiteral("RHI: ")) + choice.reason;
  QQuickWindow::setGraphicsApi(software ? QSGRendererInterface::Software : QSGRendererInterface::OpenGL);
  return choice;
}

}  // namespace tactus::ui
