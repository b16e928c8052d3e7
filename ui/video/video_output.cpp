// SPDX-License-Identifier: Apache-2.0
#include "ui/video/video_output.h"

#include <QDir>
#include <QFile>
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

namespace {

bool hasGpuDevice() {
  return !QDir(QStringLiteral("/dev/dri"))
              .entryList({QStringLiteral("renderD*"), QStringLiteral("card*")}, QDir::System)
              .isEmpty() ||
         QFile::exists(QStringLiteral("/dev/nvidia0"));
}

}  // namespace

OutputChoice chooseVideoOutput(VideoOutput wanted) {
  OutputChoice choice{wanted, QStringLiteral("as asked for")};
  if (wanted == VideoOutput::Auto) {
    // Making a GL context on the CPU costs more than the rest of the start; without a GPU's device the answer
    // is known.
    const QString renderer = hasGpuDevice() ? glRenderer() : QString();
    choice.output = isSoftwareRenderer(renderer) ? VideoOutput::Software : VideoOutput::Rhi;
    choice.reason = renderer.isEmpty() ? QStringLiteral("there is no GPU")
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
