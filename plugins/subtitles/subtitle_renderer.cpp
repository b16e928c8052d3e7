// SPDX-License-Identifier: Apache-2.0
#include "plugins/subtitles/subtitle_renderer.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tactus::plugins::subtitles {
namespace {

using periodic::Duration;

constexpr int kTopCentre = 2 | 4;  // VALIGN_TOP | HALIGN_CENTER

struct FreeScaler {
  void operator()(SwsContext* scaler) const noexcept { sws_freeContext(scaler); }
};

/// Rows and columns that one part of the overlay covers.
struct Band {
  int left, top, right, bottom;
  [[nodiscard]] bool meets(const Band& other) const { return top <= other.bottom && other.top <= bottom; }
  void include(const Band& other) {
    left = std::min(left, other.left);
    top = std::min(top, other.top);
    right = std::max(right, other.right);
    bottom = std::max(bottom, other.bottom);
  }
};

Band bandOf(const ASS_Image& image) {
  return {image.dst_x, image.dst_y, image.dst_x + image.w, image.dst_y + image.h};
}

/// Text above and below are two bands: what lies between costs nothing.
std::vector<Band> bandsOf(const ASS_Image* images) {
  std::vector<Band> bands;
  for (const ASS_Image* image = images; image != nullptr; image = image->next) {
    if (image->w <= 0 || image->h <= 0) continue;
    Band band = bandOf(*image);
    for (auto other = bands.begin(); other != bands.end();) {
      if (!other->meets(band)) {
        ++other;
        continue;
      }
      band.include(*other);
      other = bands.erase(other);
    }
    bands.push_back(band);
  }
  return bands;
}

/// One colour, by coverage.
void blend(const ASS_Image& image, OverlayPart& into) {
  const unsigned opacity = 255 - (image.color & 0xff);
  const unsigned red = image.color >> 24;
  const unsigned green = image.color >> 16 & 0xff;
  const unsigned blue = image.color >> 8 & 0xff;
  for (int y = 0; y < image.h; ++y) {
    const unsigned char* coverage = image.bitmap + static_cast<std::ptrdiff_t>(y) * image.stride;
    std::uint8_t* to =
        into.pixels.data() +
        (static_cast<std::ptrdiff_t>(image.dst_y - into.top + y) * into.width + (image.dst_x - into.left)) *
            4;
    for (int x = 0; x < image.w; ++x, to += 4) {
      const unsigned alpha = dividedBy255(coverage[x] * opacity);
      if (alpha == 0) continue;
      const unsigned rest = 255 - alpha;
      to[0] = dividedBy255(blue * alpha + to[0] * rest);
      to[1] = dividedBy255(green * alpha + to[1] * rest);
      to[2] = dividedBy255(red * alpha + to[2] * rest);
      to[3] = dividedBy255(255 * alpha + to[3] * rest);
    }
  }
}

Overlay overlayOf(const ASS_Image* images) {
  Overlay overlay;
  for (const Band& band : bandsOf(images)) {
    OverlayPart part{band.left, band.top, band.right - band.left, band.bottom - band.top, {}};
    part.pixels.resize(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height) * 4);
    for (const ASS_Image* image = images; image != nullptr; image = image->next)
      if (image->w > 0 && image->h > 0 && band.meets(bandOf(*image))) blend(*image, part);
    overlay.parts.push_back(std::move(part));
  }
  return overlay;
}

OverlayPart scaled(const OverlayPart& part, int width, int height) {
  OverlayPart result{0, 0, width, height, {}};
  result.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  if (width == part.width && height == part.height) {
    result.pixels = part.pixels;
    return result;
  }
  const std::unique_ptr<SwsContext, FreeScaler> scaler(
      sws_getContext(part.width, part.height, AV_PIX_FMT_BGRA, width, height, AV_PIX_FMT_BGRA, SWS_BILINEAR,
                     nullptr, nullptr, nullptr));
  const std::uint8_t* from[4]{part.pixels.data()};
  const int fromStride[4]{part.width * 4};
  std::uint8_t* to[4]{result.pixels.data()};
  const int toStride[4]{width * 4};
  if (scaler) sws_scale(scaler.get(), from, fromStride, 0, part.height, to, toStride);
  return result;
}

/// How a subtitle's plane lies over the picture. One of the film's own shape covers it. Else the film's bars
/// were cut off: a plane of the same width reaches beyond it above and below alike.
struct Placing {
  double scaleX, scaleY, offsetY;
};

Placing placingOf(const BitmapLine& line, const OverlayFrame& frame) {
  const double planeWidth = line.planeWidth > 0 ? line.planeWidth : frame.sourceWidth;
  const double planeHeight = line.planeHeight > 0 ? line.planeHeight : frame.sourceHeight;
  const double scaleX = frame.width / planeWidth;
  const double shape = planeWidth * frame.sourceHeight / (planeHeight * frame.sourceWidth);
  if (std::abs(shape - 1) < 0.02) return {scaleX, frame.height / planeHeight, 0};
  const double scaleY =
      static_cast<double>(frame.sourceWidth) / planeWidth * frame.height / frame.sourceHeight;
  return {scaleX, scaleY, (frame.height - planeHeight * scaleY) / 2};
}

Overlay overlayOf(const BitmapLine& line, const OverlayFrame& frame) {
  Overlay overlay;
  const Placing placing = placingOf(line, frame);
  for (const OverlayPart& part : line.parts) {
    const int width = std::clamp(static_cast<int>(std::lround(part.width * placing.scaleX)), 1, frame.width);
    const int height =
        std::clamp(static_cast<int>(std::lround(part.height * placing.scaleY)), 1, frame.height);
    OverlayPart placed = scaled(part, width, height);
    placed.left =
        std::clamp(static_cast<int>(std::lround(part.left * placing.scaleX)), 0, frame.width - width);
    placed.top = std::clamp(static_cast<int>(std::lround(part.top * placing.scaleY + placing.offsetY)), 0,
                            frame.height - height);
    overlay.parts.push_back(std::move(placed));
  }
  return overlay;
}

}  // namespace

SubtitleRenderer::SubtitleRenderer(ASS_Library* library) : m_renderer(ass_renderer_init(library)) {
  if (m_renderer)
    ass_set_fonts(m_renderer.get(), nullptr, "sans-serif", ASS_FONTPROVIDER_AUTODETECT, nullptr, 1);
}

void SubtitleRenderer::configure(const OverlayFrame& frame, const SubtitleLook& look) {
  m_frame = frame;
  m_look = look;
  m_configured = true;
  m_track = nullptr;
  if (!m_renderer) return;
  ass_set_frame_size(m_renderer.get(), frame.width, frame.height);
  ass_set_storage_size(m_renderer.get(), frame.sourceWidth, frame.sourceHeight);
  ass_set_pixel_aspect(m_renderer.get(), frame.pixelAspect);
  ass_set_font_scale(m_renderer.get(), look.scale);
  ass_set_line_position(m_renderer.get(), look.atTop ? 0 : 100 * look.raised);
  char none[] = "";
  ASS_Style style{};
  style.Name = style.FontName = none;
  style.Alignment = kTopCentre;
  ass_set_selective_style_override(m_renderer.get(), &style);
  ass_set_selective_style_override_enabled(m_renderer.get(),
                                           look.atTop ? ASS_OVERRIDE_BIT_ALIGNMENT : ASS_OVERRIDE_DEFAULT);
}

std::shared_ptr<const Overlay> SubtitleRenderer::draw(SubtitleTrack& track, Duration instant,
                                                      const OverlayFrame& frame, const SubtitleLook& look) {
  if (frame.width <= 0 || frame.height <= 0) return nullptr;
  if (!m_configured || frame != m_frame || look != m_look) configure(frame, look);
  if (std::exchange(m_track, &track) != &track) {
    m_drawn.reset();
    m_line = nullptr;
  }
  if (track.text() != nullptr) {
    drawText(track, instant);
  } else {
    drawBitmap(track.bitmapAt(instant));
  }
  return m_drawn;
}

void SubtitleRenderer::drawText(SubtitleTrack& track, Duration instant) {
  if (!m_renderer) return;
  int changed = 0;
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(instant).count();
  const ASS_Image* images = ass_render_frame(m_renderer.get(), track.text(), ms, &changed);
  if (images == nullptr) {
    m_drawn.reset();
  } else if (changed != 0 || !m_drawn) {
    m_drawn = std::make_shared<const Overlay>(overlayOf(images));
  }
}

void SubtitleRenderer::drawBitmap(const BitmapLine* line) {
  if (line == nullptr || line->parts.empty()) {
    m_drawn.reset();
  } else if (line != m_line || !m_drawn) {
    m_drawn = std::make_shared<const Overlay>(overlayOf(*line, m_frame));
  }
  m_line = line;
}

}  // namespace tactus::plugins::subtitles
