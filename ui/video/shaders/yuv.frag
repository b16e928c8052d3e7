// SPDX-License-Identifier: Apache-2.0
#version 440
layout(location = 0) in vec2 where;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Block {
  mat4 position;
  mat4 toRgb;
  float opacity;
  int layoutKind;
};
layout(binding = 1) uniform sampler2D luma;
layout(binding = 2) uniform sampler2D firstChroma;
layout(binding = 3) uniform sampler2D secondChroma;
void main() {
  if (layoutKind == 2) {
    color = vec4(texture(luma, where).bgr, 1.0) * opacity;
    return;
  }
  vec2 chroma = layoutKind == 1 ? texture(firstChroma, where).rg
                                : vec2(texture(firstChroma, where).r, texture(secondChroma, where).r);
  vec3 rgb = (toRgb * vec4(texture(luma, where).r, chroma, 1.0)).rgb;
  color = vec4(clamp(rgb, 0.0, 1.0), 1.0) * opacity;
}
