// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/matrix_rows.hpp"

#include <algorithm>
#include <array>

namespace coopvk::compare {
namespace {

struct Listed {
    MatrixRow row;
    VkScopeKHR scope;
};

std::vector<Listed> khrRows(const Gpu& gpu) {
    const auto all = vulkan::listAll<VkCooperativeMatrixPropertiesKHR>(
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
        {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR}, [&](uint32_t* count, auto* out) {
            return gpu.vki.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(gpu.physical, count,
                                                                             out);
        });
    std::vector<Listed> rows;
    for (const auto& p : all)
        rows.push_back({{p.MSize, p.NSize, p.KSize, p.AType, p.BType, p.CType, p.ResultType,
                         p.saturatingAccumulation == VK_TRUE, 0},
                        p.scope});
    return rows;
}

std::vector<Listed> nvRows(const Gpu& gpu) {
    const auto all = vulkan::listAll<VkCooperativeMatrixPropertiesNV>(
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV",
        {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV}, [&](uint32_t* count, auto* out) {
            return gpu.vki.vkGetPhysicalDeviceCooperativeMatrixPropertiesNV(gpu.physical, count,
                                                                            out);
        });
    std::vector<Listed> rows;
    for (const auto& p : all)
        rows.push_back(
            {{p.MSize, p.NSize, p.KSize, p.AType, p.BType, p.CType, p.DType, false}, p.scope});
    return rows;
}

// f16 to u64. SPV_NV_cooperative_matrix has no others.
bool hasOnlyArithmetic(const MatrixRow& row) {
    return hasArithmetic(std::max({row.a, row.b, row.c, row.result}));
}

void addSide(Dialect dialect, const Gpu& gpu, MatrixRows& all) {
    for (Listed& listed : dialect == Dialect::kKhr ? khrRows(gpu) : nvRows(gpu)) {
        MatrixRow& row = listed.row;
        const bool scoped = listed.scope == VK_SCOPE_SUBGROUP_KHR;
        const bool isKnown = dialect == Dialect::kKhr ? mayHave(gpu, row) : hasOnlyArithmetic(row);
        if (!scoped || !isKnown) {
            ++all.skipped[std::string(nameOf(gpu.side)) +
                          (scoped ? " rows with bf16 or 8-bit floats"
                                  : " rows that are not of subgroup scope")];
            continue;
        }
        auto found = std::find_if(all.rows.begin(), all.rows.end(),
                                  [&](const MatrixRow& other) { return other.sameAs(row); });
        if (found == all.rows.end()) found = all.rows.insert(found, row);
        (gpu.side == SideKind::kNative ? found->native : found->emulated) = true;
    }
}

}  // namespace

bool mayHave(const Gpu& gpu, const MatrixRow& row) {
    const auto bfloat16 = gpu.featuresOf<VkPhysicalDeviceShaderBfloat16FeaturesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR);
    const auto float8 = gpu.featuresOf<VkPhysicalDeviceShaderFloat8FeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT);
    return std::ranges::all_of(std::array{row.a, row.b, row.c, row.result}, [&](Component type) {
        if (hasArithmetic(type)) return true;
        if (findComponent(type) == nullptr) return false;
        return (type == VK_COMPONENT_TYPE_BFLOAT16_KHR
                    ? bfloat16.shaderBFloat16CooperativeMatrix
                    : float8.shaderFloat8CooperativeMatrix) == VK_TRUE;
    });
}

namespace {

std::string holderOf(const MatrixRow& row) {
    return row.workgroup ? "workgroup of " + std::to_string(row.workgroup) + ": " : "";
}

}  // namespace

std::string nameOf(const MatrixRow& row, const MatrixType& type) {
    return holderOf(row) + nameOf(type);
}

std::string nameOf(const MatrixRow& row) {
    const auto part = [](Component type) { return std::string(nameOf(type)); };
    return holderOf(row) + std::to_string(row.m) + "x" + std::to_string(row.n) + "x" +
           std::to_string(row.k) + " " + part(row.a) + " * " + part(row.b) + " + " + part(row.c) +
           " = " + part(row.result) + (row.saturating ? " saturating" : "");
}

MatrixRows matrixRows(Dialect dialect, const Gpu* native, const Gpu* emulated) {
    MatrixRows all;
    if (native) addSide(dialect, *native, all);
    if (emulated) addSide(dialect, *emulated, all);
    return all;
}

}  // namespace coopvk::compare
