// SPDX-License-Identifier: Apache-2.0
#include "glsl.hpp"

namespace coopvk::test::glsl {
namespace {

std::string access(std::string_view function, std::string_view matrix, std::string_view array,
                   std::string_view stride, bool columnMajor, std::string_view element) {
    return std::string(function) + "(" + std::string(matrix) + ", " + std::string(array) + ", " +
           std::string(element) + ", " + std::string(stride) + ", " + layout(columnMajor) + ");\n";
}

}  // namespace

std::string header(uint32_t subgroups) {
    return "#version 460\n"
           "#pragma use_vulkan_memory_model\n"
           "#extension GL_KHR_cooperative_matrix : require\n"
           "#extension GL_KHR_memory_scope_semantics : require\n"
           "#extension GL_KHR_shader_subgroup_basic : require\n"
           "#extension GL_EXT_control_flow_attributes : require\n"
           "#extension GL_EXT_buffer_reference2 : require\n"
           "#extension GL_EXT_scalar_block_layout : require\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
           "#extension GL_EXT_bfloat16 : enable\n"
           "#extension GL_EXT_float_e4m3 : enable\n"
           "#extension GL_EXT_float_e5m2 : enable\n"
           "layout(local_size_x_id = 0, local_size_y = " +
           std::to_string(subgroups) + ") in;\n";
}

std::string matrix(Component type, std::string_view rows, std::string_view columns, Use use) {
    return "coopmat<" + std::string(scalar(type)) + ", gl_ScopeSubgroup, " + std::string(rows) +
           ", " + std::string(columns) + ", " + std::string(useName(use)) + ">";
}

std::string matrix(Component type, uint32_t rows, uint32_t columns, Use use) {
    return matrix(type, std::to_string(rows), std::to_string(columns), use);
}

std::string buffer(uint32_t binding, std::string_view name, std::string_view element) {
    return "layout(set = 0, binding = " + std::to_string(binding) + ", scalar) buffer Block" +
           std::to_string(binding) + " { " + std::string(element) + " " + std::string(name) +
           "[]; };\n";
}

std::string layout(bool columnMajor) {
    return columnMajor ? "gl_CooperativeMatrixLayoutColumnMajor"
                       : "gl_CooperativeMatrixLayoutRowMajor";
}

std::string load(std::string_view target, std::string_view array, std::string_view stride,
                 bool columnMajor, std::string_view element) {
    return access("coopMatLoad", target, array, stride, columnMajor, element);
}

std::string store(std::string_view source, std::string_view array, std::string_view stride,
                  bool columnMajor, std::string_view element) {
    return access("coopMatStore", source, array, stride, columnMajor, element);
}

std::string_view scalar(Component type) { return info(type).glsl; }

std::string_view useName(Use use) {
    switch (use) {
        case Use::kA:
            return "gl_MatrixUseA";
        case Use::kB:
            return "gl_MatrixUseB";
        default:
            return "gl_MatrixUseAccumulator";
    }
}

}  // namespace coopvk::test::glsl
