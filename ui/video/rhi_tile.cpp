// SPDX-License-Identifier: Apache-2.0
#include "ui/video/rhi_tile.h"

#include <private/qrhi_p.h>
#include <private/qsgtexture_p.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <QQuickWindow>
#include <QSGGeometryNode>
#include <QSGMaterial>
#include <QSGTexture>
#include <algorithm>
#include <array>
#include <cstring>

#include "ui/video/scene_extent.h"
#include "ui/video/yuv_matrix.h"

namespace tactus::ui {

PlanarTarget::PlanarTarget() : m_event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

PlanarTarget::~PlanarTarget() {
  if (m_waiting != nullptr) gst_buffer_unref(m_waiting);
  if (m_event >= 0) close(m_event);
}

void PlanarTarget::onFormat(const plugins::PictureFormat& picture, const GstVideoInfo& info) {
  const std::lock_guard lock(m_mutex);
  m_info = info;
  m_orientation = picture.orientation;
}

bool PlanarTarget::presentPlanar(GstBuffer* buffer, periodic::TimePoint) noexcept {
  if (!visible()) return false;
  GstBuffer* replaced = gst_buffer_ref(buffer);
  {
    const std::lock_guard lock(m_mutex);
    std::swap(m_waiting, replaced);
  }
  const std::uint64_t one = 1;
  (void)!write(m_event, &one, sizeof one);
  if (replaced == nullptr) return false;
  gst_buffer_unref(replaced);
  return true;
}

void PlanarTarget::clear() noexcept {
  m_cleared.store(true, std::memory_order_relaxed);
}

bool PlanarTarget::take(PlanarPicture& into) noexcept {
  const std::lock_guard lock(m_mutex);
  if (m_waiting == nullptr) return false;
  into = {std::exchange(m_waiting, nullptr), m_info, m_orientation};
  m_shown.fetch_add(1, std::memory_order_relaxed);
  return true;
}

namespace {

/// One plane as a texture of one or two 8-bit channels, uploaded on the render thread.
class PlaneTexture final : public QSGTexture {
 public:
  ~PlaneTexture() override { delete m_texture; }
  qint64 comparisonKey() const override { return reinterpret_cast<qint64>(this); }
  QSize textureSize() const override { return m_size; }
  bool hasAlphaChannel() const override { return false; }
  bool hasMipmaps() const override { return false; }
  QRhiTexture* rhiTexture() const override { return m_texture; }

  /// `channels` of 8 bits: 1, 2 or 4.
  void set(const std::uint8_t* data, int stride, QSize size, int channels) {
    const int row = size.width() * channels;
    m_pixels.resize(row * size.height());
    for (int y = 0; y < size.height(); ++y) {
      std::memcpy(m_pixels.data() + static_cast<qsizetype>(y) * row,
                  data + static_cast<std::ptrdiff_t>(y) * stride, static_cast<std::size_t>(row));
    }
    m_rebuild = m_rebuild || size != m_size || channels != m_channels;
    m_size = size;
    m_channels = channels;
    m_dirty = true;
  }

  void commitTextureOperations(QRhi* rhi, QRhiResourceUpdateBatch* updates) override {
    if (!m_dirty || m_size.isEmpty()) return;
    if (m_rebuild || m_texture == nullptr) {
      delete m_texture;
      const auto format = m_channels == 4   ? QRhiTexture::RGBA8
                          : m_channels == 2 ? QRhiTexture::RG8
                                            : QRhiTexture::R8;
      m_texture = rhi->newTexture(format, m_size);
      m_texture->create();
      m_rebuild = false;
    }
    QRhiTextureSubresourceUploadDescription pixels(m_pixels.constData(),
                                                   static_cast<quint32>(m_pixels.size()));
    updates->uploadTexture(m_texture, QRhiTextureUploadEntry(0, 0, pixels));
    m_dirty = false;
  }

 private:
  QRhiTexture* m_texture = nullptr;
  QByteArray m_pixels;
  QSize m_size;
  int m_channels = 1;
  bool m_rebuild = true;
  bool m_dirty = false;
};

/// How the shader reads the textures; the values are the shader's.
enum class Layout : int { Planar = 0, SemiPlanar = 1, Bgrx = 2 };

int planesOf(Layout layout) noexcept {
  return layout == Layout::Planar ? 3 : layout == Layout::SemiPlanar ? 2 : 1;
}

class YuvMaterial final : public QSGMaterial {
 public:
  YuvMaterial() {
    for (auto& plane : planes) {
      plane.setFiltering(QSGTexture::Linear);
      plane.setHorizontalWrapMode(QSGTexture::ClampToEdge);
      plane.setVerticalWrapMode(QSGTexture::ClampToEdge);
    }
  }
  QSGMaterialType* type() const override {
    static QSGMaterialType kind;
    return &kind;
  }
  int compare(const QSGMaterial* other) const override { return this == other ? 0 : this < other ? -1 : 1; }
  QSGMaterialShader* createShader(QSGRendererInterface::RenderMode) const override;

  mutable std::array<PlaneTexture, 3> planes;
  QMatrix4x4 toRgb;
  Layout layout = Layout::Planar;
};

class YuvShader final : public QSGMaterialShader {
 public:
  YuvShader() {
    setShaderFileName(VertexStage, QStringLiteral(":/tactus/shaders/yuv.vert.qsb"));
    setShaderFileName(FragmentStage, QStringLiteral(":/tactus/shaders/yuv.frag.qsb"));
  }
  bool updateUniformData(RenderState& state, QSGMaterial* material, QSGMaterial*) override {
    // mat4 position; mat4 toRgb; float opacity; int layout (std140).
    auto& yuv = *static_cast<YuvMaterial*>(material);
    char* data = state.uniformData()->data();
    const QMatrix4x4 matrix = state.combinedMatrix();
    std::memcpy(data, matrix.constData(), 64);
    std::memcpy(data + 64, yuv.toRgb.constData(), 64);
    const float opacity = state.opacity();
    const int kind = static_cast<int>(yuv.layout);
    std::memcpy(data + 128, &opacity, 4);
    std::memcpy(data + 132, &kind, 4);
    return true;
  }
  void updateSampledImage(RenderState& state, int binding, QSGTexture** texture, QSGMaterial* material,
                          QSGMaterial*) override {
    auto& yuv = *static_cast<YuvMaterial*>(material);
    // Samplers beyond the layout's planes get its last one, which the shader does not read there.
    const int index = std::min(binding - 1, planesOf(yuv.layout) - 1);
    auto& plane = yuv.planes[static_cast<std::size_t>(index)];
    plane.commitTextureOperations(state.rhi(), state.resourceUpdateBatch());
    *texture = &plane;
  }
};

QSGMaterialShader* YuvMaterial::createShader(QSGRendererInterface::RenderMode) const {
  return new YuvShader;
}

ColorMatrix matrixOf(const GstVideoInfo& info) {
  switch (info.colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return ColorMatrix::Bt709;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return ColorMatrix::Bt2020;
    case GST_VIDEO_COLOR_MATRIX_BT601:
      return ColorMatrix::Bt601;
    default:
      return GST_VIDEO_INFO_HEIGHT(&info) >= 720 ? ColorMatrix::Bt709 : ColorMatrix::Bt601;
  }
}

class RhiTileNode final : public QSGGeometryNode {
 public:
  /// `window` outlives its nodes.
  explicit RhiTileNode(QQuickWindow& window)
      : m_drawnIn(window), m_geometry(QSGGeometry::defaultAttributes_TexturedPoint2D(), 4) {
    setGeometry(&m_geometry);
    setMaterial(&m_material);
    setFlag(UsePreprocess);
  }

  /// Qt has just told the renderer the rounded size of the window.
  void preprocess() override { correctRhiExtent(m_drawnIn, m_window); }

  void setPicture(const PlanarPicture& picture) {
    GstVideoFrame frame;
    if (gst_video_frame_map(&frame, &picture.info, picture.buffer, GST_MAP_READ) == FALSE) return;
    switch (GST_VIDEO_INFO_FORMAT(&picture.info)) {
      case GST_VIDEO_FORMAT_NV12:
        m_material.layout = Layout::SemiPlanar;
        break;
      case GST_VIDEO_FORMAT_I420:
        m_material.layout = Layout::Planar;
        break;
      default:
        m_material.layout = Layout::Bgrx;
        break;
    }
    m_material.toRgb =
        yuvToRgb(matrixOf(picture.info), picture.info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255);
    for (int i = 0; i < planesOf(m_material.layout); ++i) {
      const QSize size(GST_VIDEO_FRAME_COMP_WIDTH(&frame, i), GST_VIDEO_FRAME_COMP_HEIGHT(&frame, i));
      const int channels = m_material.layout == Layout::Bgrx                   ? 4
                           : m_material.layout == Layout::SemiPlanar && i == 1 ? 2
                                                                               : 1;
      m_material.planes[static_cast<std::size_t>(i)].set(
          static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, i)),
          GST_VIDEO_FRAME_PLANE_STRIDE(&frame, i), size, channels);
    }
    gst_video_frame_unmap(&frame);
    m_orientation = picture.orientation;
    markDirty(DirtyMaterial);
  }

  void setPlace(const TilePlace& place, QSizeF shape) {
    m_window = place.window();
    const QRectF rect = place.onTile(place.fitted(shape));
    // Corners of the upright picture, and where in the stored one they lie: turned back, mirrored back.
    static constexpr float kX[4] = {0, 0, 1, 1};
    static constexpr float kY[4] = {0, 1, 0, 1};
    auto* vertices = m_geometry.vertexDataAsTexturedPoint2D();
    for (int i = 0; i < 4; ++i) {
      float u = m_orientation.mirrored ? 1 - kX[i] : kX[i];
      float v = kY[i];
      for (int turn = 0; turn < m_orientation.degrees; turn += 90) std::tie(u, v) = std::pair(v, 1 - u);
      vertices[i].set(static_cast<float>(rect.x() + static_cast<double>(kX[i]) * rect.width()),
                      static_cast<float>(rect.y() + static_cast<double>(kY[i]) * rect.height()), u, v);
    }
    markDirty(DirtyGeometry);
  }

 private:
  QQuickWindow& m_drawnIn;
  TilePlace::Window m_window;
  QSGGeometry m_geometry;
  YuvMaterial m_material;
  plugins::Orientation m_orientation;
};

}  // namespace

QSGNode* updateRhiNode(QSGNode* old, QQuickWindow& window, const TilePlace& place, PlanarTarget& target,
                       bool& drawn) {
  auto* node = static_cast<RhiTileNode*>(old);
  if (target.takeCleared()) {
    delete node;
    node = nullptr;
  }
  PlanarPicture picture;
  if (target.take(picture)) {
    if (node == nullptr) node = new RhiTileNode(window);
    node->setPicture(picture);
    gst_buffer_unref(picture.buffer);
    drawn = true;
  }
  if (node != nullptr) node->setPlace(place, target.pictureSize());
  return node;
}

}  // namespace tactus::ui
