// SPDX-License-Identifier: Apache-2.0
#version 440
layout(location = 0) in vec4 vertex;
layout(location = 1) in vec2 place;
layout(location = 0) out vec2 where;
layout(std140, binding = 0) uniform Block {
  mat4 position;
  mat4 toRgb;
  float opacity;
  int layoutKind;
};
out gl_PerVertex { vec4 gl_Position; };
void main() {
  where = place;
  gl_Position = position * vertex;
}
