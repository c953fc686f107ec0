// SPDX-License-Identifier: Apache-2.0
#include "matrix_group.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "covering.hpp"
#include "glsl.hpp"
#include "listed.hpp"
#include "reference.hpp"
#include "requirement.hpp"

namespace coopvk::test {
namespace {

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// Vulkan's rules for matrices of scope Workgroup
// (VUID-VkPipelineShaderStageCreateInfo-module-10169,
// VUID-RuntimeSpirv-cooperativeMatrixFlexibleDimensions-10166). coopvk takes any workgroup.
bool isAllowed(const MatrixGroup& group) {
    const uint32_t lanes = Context::get().subgroupSize;
    return group.size[0] % lanes == 0 && std::has_single_bit(group.invocations() / lanes) &&
           listsWorkgroupsOf(group.invocations());
}

}  // namespace

std::string nameOf(const MatrixGroup& group) {
    if (!group.isWorkgroup) return "Subgroup";
    std::string name = "Workgroup" + std::to_string(group.size[0]);
    for (const uint32_t size : {group.size[1], group.size[2]})
        if (group.invocations() != group.size[0]) name += "x" + std::to_string(size);
    return name;
}

const std::vector<MatrixGroup>& matrixGroups() {
    static const std::vector<MatrixGroup> groups = {
        {},
        {true, {64, 1, 1}},
        {true, {128, 1, 1}},
        {true, {256, 1, 1}},
        {true, {512, 1, 1}},
        {true, {2, 32, 1}},
        {true, {6, 4, 4}},   // 96: no multiple of a subgroup of 64
        {true, {25, 2, 2}},  // 100: no multiple of one of 8
    };
    return groups;
}

std::vector<MatrixGroup> matrixGroupsOf(GroupTest test) {
    constexpr auto kTests = static_cast<size_t>(GroupTest::kManyWorkgroups) + 1;
    std::vector<MatrixGroup> groups;
    for (const auto& [of, group] : coveringIndices(kTests, matrixGroups().size()))
        if (of == static_cast<size_t>(test)) groups.push_back(matrixGroups()[group]);
    return groups;
}

std::string missing(const MatrixGroup& group) {
    if (std::string why = missing(Requirement::kFlexibleDimensions); !why.empty()) return why;
    if (!group.isWorkgroup) return {};
    if (std::string why = missing(Requirement::kWorkgroupMatrices); !why.empty()) return why;
    return !keepsToListed() || isAllowed(group) ? ""
                                                : "the workgroup's size is against Vulkan's rules";
}

std::string inGroup(std::string source, const MatrixGroup& group) {
    if (!group.isWorkgroup) return source;
    constexpr std::string_view kSize = "local_size_x_id = 0, local_size_y = 1";
    const size_t at = source.find(kSize);
    if (at == source.npos) throw std::runtime_error("no glsl::header()");
    source.replace(at, kSize.size(),
                   "local_size_x = " + std::to_string(group.size[0]) +
                       ", local_size_y = " + std::to_string(group.size[1]) +
                       ", local_size_z = " + std::to_string(group.size[2]));
    replaceAll(source, "gl_ScopeSubgroup", "gl_ScopeWorkgroup");
    return source;
}

std::string matrix2Header() {
    std::string header = glsl::header();
    header.insert(header.find("layout("), "#extension GL_NV_cooperative_matrix2 : require\n");
    return header;
}

std::string asExt(std::string source) {
    replaceAll(source, "GL_NV_cooperative_matrix2", "GL_EXT_cooperative_matrix_maintenance1");
    for (const std::string name :
         {"coopMatReduce", "coopMatPerElement", "coopMatTranspose",
          "gl_CooperativeMatrixReduceRowAndColumn", "gl_CooperativeMatrixReduceRow",
          "gl_CooperativeMatrixReduceColumn", "gl_CooperativeMatrixReduce2x2"})
        replaceAll(source, name + "NV", name + "EXT");
    return source;
}

Bytes poison(Rng& rng, const Matrix& like) { return rng.bytes(pack(like).size()); }

double numberAt(const Matrix& matrix, uint32_t row, uint32_t column) {
    const uint64_t bits = matrix.at(row, column);
    return info(matrix.component).isFloat()
               ? toDouble(matrix.component, bits)
               : static_cast<double>(toInteger(matrix.component, bits));
}

void setNumber(Matrix& matrix, uint32_t row, uint32_t column, double value) {
    const ComponentInfo& component = info(matrix.component);
    matrix.at(row, column) =
        component.isFloat()
            ? fromDouble(component.type, value + 0.0)
            : wrap(static_cast<uint64_t>(static_cast<int64_t>(value)), component.bits());
}

void expectMatrix(const std::string& source, const MatrixGroup& group, const Dispatch& dispatch,
                  Component numbers) {
    expectNumbersAsReference(compileGlsl(inGroup(source, group)), dispatch, numbers);
}

}  // namespace coopvk::test
