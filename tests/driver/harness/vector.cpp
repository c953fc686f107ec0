// SPDX-License-Identifier: Apache-2.0
#include "vector.hpp"

#include <cstring>

namespace coopvk::test {
namespace {

constexpr VectorComponent kVectorComponents[] = {
    {VK_COMPONENT_TYPE_FLOAT16_KHR, "f16", "float16_t", "gl_ComponentTypeFloat16NV", 2, true, -2,
     2},
    {VK_COMPONENT_TYPE_FLOAT32_KHR, "f32", "float", "gl_ComponentTypeFloat32NV", 4, true, -2, 2},
    {VK_COMPONENT_TYPE_SINT8_KHR, "s8", "int8_t", "gl_ComponentTypeSignedInt8NV", 1, false, -128,
     127},
    {VK_COMPONENT_TYPE_UINT8_KHR, "u8", "uint8_t", "gl_ComponentTypeUnsignedInt8NV", 1, false, 0,
     255},
    {VK_COMPONENT_TYPE_SINT16_KHR, "s16", "int16_t", "gl_ComponentTypeSignedInt16NV", 2, false,
     -300, 300},
    {VK_COMPONENT_TYPE_UINT16_KHR, "u16", "uint16_t", "gl_ComponentTypeUnsignedInt16NV", 2, false,
     0, 600},
    {VK_COMPONENT_TYPE_SINT32_KHR, "s32", "int", "gl_ComponentTypeSignedInt32NV", 4, false, -300,
     300},
    {VK_COMPONENT_TYPE_UINT32_KHR, "u32", "uint", "gl_ComponentTypeUnsignedInt32NV", 4, false, 0,
     600},
    {VK_COMPONENT_TYPE_SINT8_PACKED_NV, "s8packed", "uint", "gl_ComponentTypeSignedInt8PackedNV", 1,
     false, -128, 127},
    {VK_COMPONENT_TYPE_UINT8_PACKED_NV, "u8packed", "uint", "gl_ComponentTypeUnsignedInt8PackedNV",
     1, false, 0, 255},
    {VK_COMPONENT_TYPE_FLOAT_E4M3_NV, "e4m3", "uint8_t", "gl_ComponentTypeFloatE4M3NV", 1, true, -2,
     2},
    {VK_COMPONENT_TYPE_FLOAT_E5M2_NV, "e5m2", "uint8_t", "gl_ComponentTypeFloatE5M2NV", 1, true, -2,
     2},
};

}  // namespace

const VectorComponent& component(VkComponentTypeKHR type) {
    for (const VectorComponent& row : kVectorComponents) {
        if (row.type == type) return row;
    }
    throw std::runtime_error("no such component type");
}

void putElement(Bytes& bytes, size_t offset, const VectorComponent& type, double value) {
    const uint32_t bits = type.isFloat ? encodeElement(type.type, value)
                                       : static_cast<uint32_t>(static_cast<int64_t>(value));
    std::memcpy(bytes.data() + offset, &bits, type.bytes);
}

double getElement(const Bytes& bytes, size_t offset, const VectorComponent& type) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + offset, type.bytes);
    if (type.isFloat) return decodeElement(type.type, bits);
    if (type.low == 0) return bits;
    const uint32_t shift = 32 - 8 * type.bytes;
    return static_cast<int32_t>(bits << shift) >> shift;
}

std::string vectorHeader(uint32_t invocations) {
    return "#version 460\n"
           "#pragma use_vulkan_memory_model\n"
           "#extension GL_NV_cooperative_vector : require\n"
           "#extension GL_KHR_memory_scope_semantics : require\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
           "#extension GL_EXT_buffer_reference : require\n"
           "#extension GL_EXT_nonuniform_qualifier : require\n"
           "layout(local_size_x = " +
           std::to_string(invocations) + ") in;\n";
}

}  // namespace coopvk::test
