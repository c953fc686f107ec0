// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint offset = 0;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Pairs { uvec2 pairs[16]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uint own[4] = uint[4](1, 2, 3, 4);
    Pairs p = Pairs(0x100000000ul + offset);  // binding 0
    uvec2 pair = p.pairs[gl_LocalInvocationIndex];
    own[gl_LocalInvocationIndex % 4] = pair.x;
}
