// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

// OpFDot2MixAcc32VALVE; DotProductFloat16AccFloat32VALVE
spirv_instruction(extensions = ["SPV_VALVE_mixed_float_dot_product"], capabilities = [6912], id = 6916)
float dotAdd(f16vec2 a, f16vec2 b, float c);

void main() {
    uint i = gl_LocalInvocationIndex;
    f16vec2 x = f16vec2(float16_t(a[i]), float16_t(a[i + 1u]));
    f16vec2 y = f16vec2(float16_t(a[i + 2u]), float16_t(-0.5));
    c[i] = dotAdd(x, y, float(a[i + 3u]) * 1024.0);
}
