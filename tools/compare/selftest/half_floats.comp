// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

void main() {
    f16vec2 x = f16vec2(float16_t(a[gl_LocalInvocationIndex]), float16_t(0.5));
    c[gl_LocalInvocationIndex] = float(x.x * x.x + x.x * x.y);
}
