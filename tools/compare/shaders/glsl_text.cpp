// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/glsl_text.hpp"

#include <algorithm>

namespace coopvk::compare {
namespace {

struct ComponentRow {
    Component type;
    std::string_view scalar, vectors, constant;
};
constexpr ComponentRow kComponents[] = {
    {VK_COMPONENT_TYPE_FLOAT16_KHR, "float16_t", "f16vec", "gl_ComponentTypeFloat16NV"},
    {VK_COMPONENT_TYPE_FLOAT32_KHR, "float32_t", "f32vec", "gl_ComponentTypeFloat32NV"},
    {VK_COMPONENT_TYPE_FLOAT64_KHR, "float64_t", "f64vec", "gl_ComponentTypeFloat64NV"},
    {VK_COMPONENT_TYPE_SINT8_KHR, "int8_t", "i8vec", "gl_ComponentTypeSignedInt8NV"},
    {VK_COMPONENT_TYPE_SINT16_KHR, "int16_t", "i16vec", "gl_ComponentTypeSignedInt16NV"},
    {VK_COMPONENT_TYPE_SINT32_KHR, "int32_t", "i32vec", "gl_ComponentTypeSignedInt32NV"},
    {VK_COMPONENT_TYPE_SINT64_KHR, "int64_t", "i64vec", "gl_ComponentTypeSignedInt64NV"},
    {VK_COMPONENT_TYPE_UINT8_KHR, "uint8_t", "u8vec", "gl_ComponentTypeUnsignedInt8NV"},
    {VK_COMPONENT_TYPE_UINT16_KHR, "uint16_t", "u16vec", "gl_ComponentTypeUnsignedInt16NV"},
    {VK_COMPONENT_TYPE_UINT32_KHR, "uint32_t", "u32vec", "gl_ComponentTypeUnsignedInt32NV"},
    {VK_COMPONENT_TYPE_UINT64_KHR, "uint64_t", "u64vec", "gl_ComponentTypeUnsignedInt64NV"},
    {VK_COMPONENT_TYPE_SINT8_PACKED_NV, {}, {}, "gl_ComponentTypeSignedInt8PackedNV"},
    {VK_COMPONENT_TYPE_UINT8_PACKED_NV, {}, {}, "gl_ComponentTypeUnsignedInt8PackedNV"},
    {VK_COMPONENT_TYPE_BFLOAT16_KHR, {}, {}, {}},
    {VK_COMPONENT_TYPE_FLOAT_E4M3_NV, {}, {}, "gl_ComponentTypeFloatE4M3NV"},
    {VK_COMPONENT_TYPE_FLOAT_E5M2_NV, {}, {}, "gl_ComponentTypeFloatE5M2NV"},
};

const ComponentRow& rowOf(Component type) {
    return *std::ranges::find(kComponents, type, &ComponentRow::type);
}

std::string typeOf(const Element& element) {
    if (element.size == 1) return glslScalar(element.type);
    return std::string(rowOf(holder(element.type)).vectors) + std::to_string(element.size);
}

}  // namespace

std::string glslScalar(Component type) { return std::string(rowOf(holder(type)).scalar); }

std::string_view glslComponentType(Component type) { return rowOf(type).constant; }

std::string glslConstant(Component type, uint64_t bits) {
    return glslScalar(type) + "(" + toText(type, bits) + ")";
}

GlslText::GlslText(uint32_t workgroupSize) : workgroupSize_(workgroupSize) {
    extension("GL_EXT_shader_explicit_arithmetic_types");
    extension("GL_KHR_memory_scope_semantics");
}

void GlslText::declare(std::string_view text) {
    const std::string whole = std::string(text) + "\n";
    if (declarations_.find(whole) == std::string::npos) declarations_ += whole;
}

std::string GlslText::buffer(uint32_t binding, const Element& element) {
    const std::string number = std::to_string(binding);
    declare("layout(set = 0, binding = " + number + ", std430) buffer Buffer" + number + " { " +
            typeOf(element) + " data[]; } buffer" + number + ";");
    return "buffer" + number + ".data";
}

std::string GlslText::shared(uint32_t index, const Element& element, uint32_t length) {
    const std::string name = "shared" + std::to_string(index);
    declare("shared " + typeOf(element) + " " + name + "[" + std::to_string(length) + "];");
    return name;
}

std::string GlslText::address(uint32_t index, const Element& element) {
    extension("GL_EXT_buffer_reference");
    const std::string number = std::to_string(index);
    declare("layout(buffer_reference, std430, buffer_reference_align = 16) buffer Array" + number +
            " { " + typeOf(element) + " data[]; };");
    pushConstants_ += " Array" + number + " array" + number + ";";
    return "push.array" + number + ".data";
}

void GlslText::copy(const std::string& target, const std::string& source, uint32_t count) {
    open("for (uint i = gl_LocalInvocationIndex; i < " + std::to_string(count) +
         "; i += " + std::to_string(workgroupSize_) + ")");
    line(target + "[i] = " + source + "[i];");
    close();
}

std::string GlslText::text() const {
    std::string out = "#version 460\n";
    for (const std::string& name : extensions_) out += "#extension " + name + "\n";
    out +=
        "\nlayout(local_size_x = " + std::to_string(workgroupSize_) + ") in;\n\n" + declarations_;
    if (!pushConstants_.empty())
        out += "layout(push_constant) uniform Push {" + pushConstants_ + " } push;\n";
    return out + "\nvoid main() {\n" + body_ + "}\n";
}

}  // namespace coopvk::compare
