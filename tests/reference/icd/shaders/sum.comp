// SPDX-License-Identifier: Apache-2.0
// Everything that a dispatch may bind, in one sum for each invocation.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint factor = 1;

layout(buffer_reference, std430) readonly buffer Word { uint word; };

layout(set = 0, binding = 0, std430) writeonly buffer Result { uint result[]; };
layout(set = 0, binding = 2, std430) readonly buffer Input { uint word; } inputs[2];
layout(set = 0, binding = 5, std140) uniform Uniform { uint uniformWord; };
layout(push_constant) uniform Push {
    uint64_t address;
    uint added;
    uint usesAddress;
};

void main() {
    uint sum = inputs[0].word + 10 * inputs[1].word + 100 * uniformWord + 1000 * added;
    if (usesAddress != 0) sum += Word(address).word;
    result[gl_GlobalInvocationID.x] = factor * sum + 1000000 * gl_WorkGroupID.x;
}
