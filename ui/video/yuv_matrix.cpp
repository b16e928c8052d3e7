// SPDX-License-Identifier: Apache-2.0
#include "ui/video/yuv_matrix.h"

namespace tactus::ui {

QMatrix4x4 yuvToRgb(ColorMatrix matrix, bool fullRange) {
  float kr = 0.299f;
  float kb = 0.114f;
  if (matrix == ColorMatrix::Bt709) {
    kr = 0.2126f;
    kb = 0.0722f;
  } else if (matrix == ColorMatrix::Bt2020) {
    kr = 0.2627f;
    kb = 0.0593f;
  }
  const float kg = 1 - kr - kb;
  // Limited range: 16 ... 235 for luma, 16 ... 240 for chroma, of 255.
  const float lumaScale = fullRange ? 1.0f : 255.0f / 219.0f;
  const float chromaScale = fullRange ? 1.0f : 255.0f / 224.0f;
  const float lumaOffset = fullRange ? 0.0f : 16.0f / 255.0f;
  const float chromaOffset = 128.0f / 255.0f;
  const float redFromCr = 2 * (1 - kr) * chromaScale;
  const float blueFromCb = 2 * (1 - kb) * chromaScale;
  const float greenFromCb = -2 * (1 - kb) * kb / kg * chromaScale;
  const float greenFromCr = -2 * (1 - kr) * kr / kg * chromaScale;
  const auto offset = [&](float cb, float cr) { return -lumaScale * lumaOffset - (cb + cr) * chromaOffset; };
  return {lumaScale, 0,           redFromCr,   offset(0, redFromCr),
          lumaScale, greenFromCb, greenFromCr, offset(greenFromCb, greenFromCr),
          lumaScale, blueFromCb,  0,           offset(blueFromCb, 0),
          0,         0,           0,           1};
}

}  // namespace tactus::ui
