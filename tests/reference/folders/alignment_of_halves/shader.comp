// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Half { uint16_t half_; };
layout(buffer_reference, std430, buffer_reference_align = 1) buffer Byte { uint8_t byte; };
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    const uint64_t at = 0x100000000ul + inputs[0];  // binding 0 is there
    outputs[0] = Half(at).half_;
    outputs[1] = Byte(at + 1ul).byte;
}
