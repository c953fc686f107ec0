// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_shader_image_load_formatted : require
#extension GL_EXT_spirv_intrinsics : require

// Wider operands than GLSL's functions have: coordinates of a flat image, and a texel of five components.
#define LongVector spirv_type(extensions = ["SPV_EXT_long_vector"], capabilities = [5425], id = 23, uint, 5)
spirv_instruction(id = 80) LongVector construct(uint a, uint b, uint c, uint d, uint e);
spirv_instruction(capabilities = [55], id = 98) uvec4 readTexel(uimage2D image, ivec4 coordinate);
spirv_instruction(capabilities = [56], id = 99) void writeTexel(uimage2D image, ivec4 coordinate, LongVector texel);

layout(set = 0, binding = 0) uniform uimage2D image;

void main() {
    uint next = readTexel(image, ivec4(0, 0, 5, 6)).x + 1;
    writeTexel(image, ivec4(1, 0, 7, 8), construct(next, 9, 9, 9, 9));
    uvec4 outside = readTexel(image, ivec4(3, 0, 0, 0));
    writeTexel(image, ivec4(2, 0, 7, 8), construct(outside.x + outside.y + outside.z + 10 * outside.w, 9, 9, 9, 9));
}
